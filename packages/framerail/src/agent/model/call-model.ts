// One call of one model, from the request to its accounting.
// Owns: the request's life, the pace, the one metrics event. Does not own: what parts mean (collect-step.ts), asking
// another model (model-node.ts).
//   C1. Exactly one metrics event per call, whatever happens, also when the provider throws before it streams [R-6-5, G9].
//   C2. When the signal aborts, the request is closed in the same tick, nothing more is written, and the call ends at
//       once, also for a provider that does not listen [G11].
//   C3. A call that ends early for any other reason closes its request too.
//   C4. The log sets the pace [D-6]: after PACE_LENGTH_MAX has been written, `ready()` is awaited before the next part is
//       read. Not after every part: a look costs a turn of the microtask queue, and the log's mark is far higher.
//   C5. A model that goes on is heard of, also while nothing of it is written: a sub-agent's words stay inside, and a
//       tool's arguments are given out whole. Else its turn would be given up for silence [W-CAN-2].

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { ErrorCode, EventOf, FramerailError } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";
import { whileItGoesOn } from "../goes-on.js";
import type { StepCollector } from "./collect-step.js";
import { createStepCollector } from "./collect-step.js";
import type { CountedTokens } from "./count-tokens.js";
import { countTokens, estimatePrompt } from "./count-tokens.js";
import { PACE_LENGTH_MAX, PACE_PIECE_LENGTH, PIECE_LENGTH_MAX } from "./limits.js";
import type { ModelCall } from "./model-call.js";
import { cancelledBy } from "./model-failure.js";
import type { ModelStep } from "./model-step.js";
import { openStream } from "./open-stream.js";
import { askPrice } from "./price-table.js";
import { untilAborted } from "./until-aborted.js";

const CALL_FAILURES: ReadonlySet<ErrorCode> = new Set(["MODEL_FAILED", "RATE_LIMITED", "CANCELLED"]);

export type CallEnd = (
  | { readonly kind: "done"; readonly step: ModelStep }
  /** `shown`: a reader may have seen some of it, so that no other model can take over. */
  | { readonly kind: "failed"; readonly failure: FramerailError; readonly shown: boolean }
) & { readonly usedTokens: number };

/** Resolves for whatever the provider does; rejects only for what the writer throws. */
export async function callModel(call: ModelCall): Promise<CallEnd> {
  const { model, writer, clock, signal } = call;
  const collector = createStepCollector({ model: model.modelId, writer, clock });
  const startedAt = clock.now();
  const stopTelling = tellProgress(call, collector);
  try {
    await readStream(call, collector);
    const { tokens } = countCall(call, collector);
    return { kind: "done", step: { ...collector.step(), usage: tokens }, usedTokens: tokens.total_tokens };
  } catch (error) {
    const failure = signal.aborted ? cancelledBy(signal, model.modelId) : error;
    if (!isCallFailure(failure)) throw failure;
    const usedTokens = countCall(call, collector).tokens.total_tokens;
    return { kind: "failed", failure, shown: collector.shown, usedTokens };
  } finally {
    stopTelling();
    writer.write(metricsOf(call, collector, startedAt));
  }
}

async function readStream(call: ModelCall, collector: StepCollector): Promise<void> {
  const { signal, writer, clock } = call;
  const stream = await openStream(call);
  try {
    let unpaced = 0;
    while (collector.finish === undefined) {
      const part = await stream.read();
      if (part === undefined) break;
      for (const piece of piecesOf(part)) {
        collector.take(piece);
        if ("delta" in piece && typeof piece.delta === "string") unpaced += PACE_PIECE_LENGTH + piece.delta.length;
        if (unpaced < PACE_LENGTH_MAX) continue;
        unpaced = 0;
        await untilAborted(writer.ready(), signal);
      }
    }
    stream.drain(clock);
  } catch (error) {
    stream.close();
    throw error;
  }
}

// C5
function tellProgress({ model, writer, clock }: ModelCall, collector: StepCollector): () => void {
  let told = 0;
  // No timer of its own bounds a call.
  return whileItGoesOn(clock, Number.POSITIVE_INFINITY, () => {
    if (collector.outputLength !== told) writer.log("debug", `model ${model.modelId} goes on`);
    told = collector.outputLength;
  });
}

/** A delta too long to be written at once, in slices; the collector mends what a slice cuts in half. */
function piecesOf(part: LanguageModelV3StreamPart): readonly LanguageModelV3StreamPart[] {
  if (part?.type !== "text-delta" && part?.type !== "reasoning-delta") return [part];
  const { delta } = part;
  if (!(delta?.length > PIECE_LENGTH_MAX)) return [part];
  const pieces: LanguageModelV3StreamPart[] = [];
  for (let start = 0; start < delta.length; start += PIECE_LENGTH_MAX) {
    pieces.push({ ...part, delta: delta.slice(start, start + PIECE_LENGTH_MAX) });
  }
  return pieces;
}

function metricsOf(call: ModelCall, collector: StepCollector, startedAt: number): EventOf<"metrics"> {
  const { tokens, estimated } = countCall(call, collector);
  const model = call.model.modelId;
  const cost = askPrice(call.prices, model, tokens);
  const { firstTokenAt } = collector;
  return {
    type: "metrics",
    model,
    // The clock may be set back while a call runs.
    ...(firstTokenAt !== undefined && { ttft_ms: Math.max(0, firstTokenAt - startedAt) }),
    total_ms: Math.max(0, call.clock.now() - startedAt),
    tokens,
    ...(cost !== undefined && { cost }),
    ...(estimated && { estimated }),
  };
}

function countCall({ messages, tools }: ModelCall, collector: StepCollector): CountedTokens {
  return countTokens(collector.finish?.usage, {
    inputTokens: () => estimatePrompt(messages, tools),
    outputLength: collector.outputLength,
    reasoningLength: collector.reasoningLength,
  });
}

function isCallFailure(error: unknown): error is FramerailError {
  return isFramerailError(error) && CALL_FAILURES.has(error.code);
}
