// Writes NDJSON: one JSON text, one line, byte-equal to the data of the same frame on SSE [D-7].
// Owns: the line. Does not own: the JSON in it (frame/, pipeline/); the fast path for our own frames is sse-framing.ts.
//   N1. No argument can start a line of its own: CR and LF are refused, which compact JSON never holds, and the other
//       line separators are written as JSON escapes (text.ts T1).

import { DECODED_BYTES_MAX } from "../limits.js";
import { escapeLineSeparators, exceedsBytes } from "../schema/text.js";
import { refuseField, refuseOversize, requireString, requireWellFormed } from "./check-argument.js";
import { SSE_DONE } from "./sse-encode.js";

/** An empty line: a sign of life between two frames [D-7]. */
export const NDJSON_HEARTBEAT = "\n";

const LINE_END = /[\r\n]/;

/** One line with its LF. */
export function encodeNdjson(jsonText: string): string {
  requireString(jsonText, "jsonText");
  if (jsonText === "") throw refuseField("jsonText", "length_min", "must have at least 1 character");
  if (LINE_END.test(jsonText)) throw refuseField("jsonText", "no_line_break", "must not hold a line break");
  // The end of an NDJSON response is the end of its bytes; the sentinel is not JSON and belongs to SSE alone [C-1].
  if (jsonText === SSE_DONE) throw refuseField("jsonText", "no_sentinel", "must not be the sentinel of SSE");
  requireWellFormed(jsonText, "jsonText");
  const safe = escapeLineSeparators(jsonText);
  if (exceedsBytes(safe, DECODED_BYTES_MAX)) throw refuseOversize("jsonText", DECODED_BYTES_MAX);
  return `${safe}\n`;
}
