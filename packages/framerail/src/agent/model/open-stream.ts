// A model's stream, opened and read so that every way of leaving it closes the request behind it.
// Owns: the request's signal, the reader, the classes of what a provider throws. Does not own: parts.
//   O1. An abort of the caller's signal aborts the request and cancels the stream in the same tick [G11]. Cancelling
//       settles a pending read at once and empties the queue, so that nothing comes after it, also from a provider
//       that does not look at its signal.
//   O2. A stream that a provider opens after its call was given up is closed when it comes.
//   O3. After the finish the stream is read on, in the background and bounded, because a connection whose answer was
//       not read to its end cannot be used again.

import type { LanguageModelV3StreamPart, LanguageModelV3StreamResult } from "@ai-sdk/provider";
import type { Clock } from "@framerail/protocol";
import { DRAIN_MS_MAX, DRAIN_PARTS_MAX } from "./limits.js";
import type { ModelCall } from "./model-call.js";
import { cancelledBy, failureOf } from "./model-failure.js";
import { untilAborted } from "./until-aborted.js";

type Reader = ReadableStreamDefaultReader<LanguageModelV3StreamPart>;

export interface ModelStream {
  /** The next part; undefined at the end. Rejects with a FramerailError. */
  read(): Promise<LanguageModelV3StreamPart | undefined>;
  /** Closes the request, without waiting for anything. */
  close(): void;
  /** Lets a stream whose finish was read come to its end. */
  drain(clock: Clock): void;
}

export async function openStream(call: ModelCall): Promise<ModelStream> {
  const { model, signal } = call;
  const request = new AbortController();
  let reader: Reader | undefined;
  const stop = (reason?: unknown) => {
    signal.removeEventListener("abort", stopByCaller);
    request.abort(reason);
    if (reader !== undefined) cancelQuietly(reader, reason);
  };
  const stopByCaller = () => stop(signal.reason);
  signal.addEventListener("abort", stopByCaller, { once: true });

  const failWith = (cause: unknown) => {
    stop();
    return signal.aborted ? cancelledBy(signal, model.modelId) : failureOf(model.modelId, cause);
  };

  const opening = startStream(call, request.signal);
  try {
    reader = (await untilAborted(opening, signal)).stream.getReader();
  } catch (error) {
    closeWhenOpened(opening);
    throw failWith(error);
  }
  const opened = reader;
  return {
    async read() {
      try {
        const { done, value } = await opened.read();
        if (signal.aborted) throw cancelledBy(signal, model.modelId);
        return done ? undefined : value;
      } catch (error) {
        throw failWith(error);
      }
    },
    close: () => stop(),
    drain(clock) {
      signal.removeEventListener("abort", stopByCaller);
      const cancelTimer = clock.schedule(DRAIN_MS_MAX, () => stop());
      void readToEnd(opened).then((ended) => {
        cancelTimer();
        if (!ended) stop();
      });
    },
  };
}

/** Async, so that a provider that throws and one that rejects are the same. */
async function startStream(call: ModelCall, abortSignal: AbortSignal): Promise<LanguageModelV3StreamResult> {
  const { model, messages, tools, settings } = call;
  return model.doStream({
    ...settings,
    prompt: messages,
    ...(tools.length > 0 && { tools: [...tools] }),
    abortSignal,
  });
}

function closeWhenOpened(opening: Promise<LanguageModelV3StreamResult>): void {
  opening
    .then(({ stream }) => stream.cancel())
    // The call has ended with an error of its own; nobody waits for a second one.
    .catch(() => undefined);
}

function cancelQuietly(reader: Reader, reason: unknown): void {
  // Rejects with the error of a stream that had failed before, which its reader has heard.
  reader.cancel(reason).catch(() => undefined);
}

async function readToEnd(reader: Reader): Promise<boolean> {
  try {
    for (let parts = 0; parts < DRAIN_PARTS_MAX; parts += 1) if ((await reader.read()).done) return true;
  } catch {
    // The answer was complete: what breaks after it is no failure of the call, and there is nothing left to close.
    return true;
  }
  return false;
}
