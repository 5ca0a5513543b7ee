// The decoders as async generators, for borders where streams are `AsyncIterable`.
// Owns: pulling, releasing the source, what a cut end means. Does not own: decoding (sse-decode.ts, ndjson-decode.ts).
//   G1. Everything that is whole before an error or a cut is given out first, so that what a consumer sees does not
//       depend on how the bytes were cut.
//   G2. The source is released on every way out: leaving the loop early, an error here, an error of the source.
//   G3. The source's own errors pass unchanged. To stop waiting, abort the source: a generator cannot be left while it
//       waits for bytes.

import { FramerailError } from "../error.js";
import { refuseArgument, requireObject } from "./check-argument.js";
import type { NdjsonDecoderOptions } from "./ndjson-decode.js";
import { createNdjsonDecoder } from "./ndjson-decode.js";
import type { SseDecoderOptions, SseEvent } from "./sse-decode.js";
import { createSseDecoder } from "./sse-decode.js";

/** Bytes in pieces of any size. A web stream need not be async iterable, which in some browsers it is not. */
export type ByteSource = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

interface EndOption {
  /** Throws STREAM_TRUNCATED when the source ends in the middle of an event or a line. */
  readonly requireCleanEnd?: boolean | undefined;
}

export type DecodeSseOptions = Omit<SseDecoderOptions, "onEvent"> & EndOption;
export type DecodeNdjsonOptions = Omit<NdjsonDecoderOptions, "onLine"> & EndOption;

/** The events of a response. A cut end is normal here, the reader connects again: `requireCleanEnd` is off. */
export function decodeSse(source: ByteSource, options: DecodeSseOptions = {}): AsyncGenerator<SseEvent, void> {
  requireObject(options, "options");
  const { requireCleanEnd = false, ...rest } = options;
  const whole: SseEvent[] = [];
  const decoder = createSseDecoder({ ...rest, onEvent: (event) => whole.push(event) });
  return decode({ chunks: readSource(source), decoder, whole, requireCleanEnd });
}

/** The lines of a response or a file. Nothing tells a cut end from a whole one later: `requireCleanEnd` is on. */
export function decodeNdjson(source: ByteSource, options: DecodeNdjsonOptions = {}): AsyncGenerator<string, void> {
  requireObject(options, "options");
  const { requireCleanEnd = true, ...rest } = options;
  const whole: string[] = [];
  const decoder = createNdjsonDecoder({ ...rest, onLine: (line) => whole.push(line) });
  return decode({ chunks: readSource(source), decoder, whole, requireCleanEnd });
}

interface Decoding<Item> {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly decoder: { push(bytes: Uint8Array): void; end(): { readonly clean: boolean } };
  /** Where the decoder puts what is whole. */
  readonly whole: Item[];
  readonly requireCleanEnd: boolean;
}

async function* decode<Item>({ chunks, decoder, whole, requireCleanEnd }: Decoding<Item>): AsyncGenerator<Item, void> {
  for await (const chunk of chunks) {
    let failure: { readonly error: unknown } | undefined;
    try {
      decoder.push(chunk);
    } catch (error) {
      failure = { error };
    }
    yield* whole.splice(0);
    if (failure !== undefined) throw failure.error;
  }
  const { clean } = decoder.end();
  yield* whole.splice(0);
  if (requireCleanEnd && !clean) {
    throw new FramerailError("STREAM_TRUNCATED", "the stream ended in the middle of an event or line");
  }
}

function readSource(source: ByteSource): AsyncIterable<Uint8Array> {
  if (typeof source === "object" && source !== null) {
    if ("getReader" in source) return readStream(source);
    if (Symbol.asyncIterator in source) return source;
  }
  throw refuseArgument("source", "type", "must be an async iterable or a readable stream of bytes");
}

async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  if (stream.locked) throw refuseArgument("source", "locked", "must not be locked to another reader");
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // To a stream that ended this does nothing, and one that failed gives its own error once more.
    try {
      await reader.cancel();
    } finally {
      reader.releaseLock();
    }
  }
}
