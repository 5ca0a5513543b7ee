// Reads NDJSON from bytes: lines end at LF, with or without a CR before it, and nowhere else.
// Owns: which lines are text and which are heartbeats. Does not own: lines, the bound, dead decoders (line-splitter.ts
// L1 to L5), JSON (parse-json.ts).
//   R1. A line without its LF is cut text and is discarded, even when it happens to be JSON: `1` may have been `12`.
//       `acceptLastLine` is for files whose writer leaves out the last LF.
//   R2. An exception of a callback passes through and ends the decoder (L5).

import { requireBytesMax, requireFunction, requireObject, requireOptionalFunction } from "./check-argument.js";
import { decodeUtf8 } from "./decode-utf8.js";
import { CR, createLineSplitter } from "./line-splitter.js";

export interface NdjsonDecoderOptions {
  onLine(text: string): void;
  /** An empty line [D-7]. */
  onHeartbeat?: (() => void) | undefined;
  /** What may be held for one line. */
  readonly bytesMax?: number | undefined;
  /** Takes a last line without its LF as a whole one. */
  readonly acceptLastLine?: boolean | undefined;
}

export interface NdjsonEnd {
  /** False when an unfinished line was discarded (R1), or the decoder had failed. */
  readonly clean: boolean;
}

export interface NdjsonDecoder {
  push(bytes: Uint8Array): void;
  end(): NdjsonEnd;
}

export function createNdjsonDecoder(options: NdjsonDecoderOptions): NdjsonDecoder {
  requireObject(options, "options");
  const { onLine, onHeartbeat, acceptLastLine = false } = options;
  requireFunction(onLine, "onLine");
  requireOptionalFunction(onHeartbeat, "onHeartbeat");
  const splitter = createLineSplitter({
    endsAtCr: false,
    bytesMax: requireBytesMax(options.bytesMax),
    onLine(bytes, start, end) {
      // Before an empty line stands the LF of another one, or nothing, so this never reaches over its start.
      const textEnd = bytes[end - 1] === CR ? end - 1 : end;
      if (textEnd === start) onHeartbeat?.();
      else onLine(decodeUtf8(bytes, start, textEnd));
      return 0;
    },
  });
  return {
    push: splitter.push,
    end: () => ({ clean: splitter.end({ acceptLastLine }) }),
  };
}
