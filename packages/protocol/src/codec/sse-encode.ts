// Writes Server-Sent Events: one call, one string, one event for every reader.
// Owns: the lines of an event. Does not own: what the data says (frame/, pipeline/), when a heartbeat is due and that it
// falls between two events (the server's writer); the fast path for our own frames is sse-framing.ts.
//   S1. The field order is id, event, retry, data, then one blank line.
//   S2. No argument can start a line of its own: `id`, `event` and comments with a line break are refused, `data` is
//       split at CRLF, CR and LF into `data:` lines, which a reader joins with LF again.
//   S3. `data` is JSON text or the sentinel: U+2028, U+2029 and U+0085 in it are written as JSON escapes (text.ts T1).

import { COMMENT_LENGTH_MAX, DECODED_BYTES_MAX, ID_LENGTH_MAX, NAME_LENGTH_MAX } from "../limits.js";
import { escapeLineSeparators, exceedsBytes } from "../schema/text.js";
import {
  refuseField,
  refuseOversize,
  requireCount,
  requireObject,
  requireOneLine,
  requireString,
  requireWellFormed,
} from "./check-argument.js";

/** Data of the unnamed event after a turn's terminal frame. It says that the transport is done, not the turn [W-FR-9c]. */
export const SSE_DONE = "[DONE]";

/** The sentinel as it stands on the wire. SSE alone has it [C-1]. Spelled out, so that a client's bundle leaves it out. */
export const SSE_DONE_FRAME = "data: [DONE]\n\n";

const LINE_END = /\r\n|\r|\n/;

export interface SseFields {
  /** The id in force from this event on. Absent: the one before stays. Empty: the reader forgets its id. */
  readonly id?: string;
  /** Absent: the event is unnamed, and a reader calls it `message`. */
  readonly event?: string;
  /** JSON text, or the sentinel. */
  readonly data: string;
  /** How long a reader waits before it connects again. */
  readonly retryMs?: number;
}

/** One whole event [W-EV-0]. */
export function encodeSse(fields: SseFields): string {
  requireObject(fields, "fields");
  const { id, event, retryMs } = fields;
  let text = "";
  if (id !== undefined) {
    requireOneLine(id, "id", ID_LENGTH_MAX);
    text += `id: ${id}\n`;
  }
  if (event !== undefined) {
    requireOneLine(event, "event", NAME_LENGTH_MAX);
    // A reader takes an empty name for no name: it would see another event than the one sent.
    if (event === "") throw refuseField("event", "length_min", "must have at least 1 character");
    text += `event: ${event}\n`;
  }
  if (retryMs !== undefined) {
    requireCount(retryMs, "retryMs");
    text += `retry: ${retryMs}\n`;
  }
  return `${text}${encodeData(fields.data)}\n`;
}

function encodeData(data: string): string {
  requireString(data, "data");
  requireWellFormed(data, "data");
  const safe = escapeLineSeparators(data);
  const bytesMax = DECODED_BYTES_MAX - "data: ".length;
  if (exceedsBytes(safe, bytesMax)) throw refuseOversize("data", bytesMax);
  return `data: ${safe.split(LINE_END).join("\ndata: ")}\n`;
}

/** A line that readers skip: the first bytes of a response (`: ok`) and its heartbeats. */
export function encodeSseComment(text = ""): string {
  requireOneLine(text, "text", COMMENT_LENGTH_MAX);
  return `: ${text}\n\n`;
}

/** Sets how long readers wait before they connect again, without an event. */
export function encodeSseRetry(ms: number): string {
  requireCount(ms, "ms");
  return `retry: ${ms}\n\n`;
}
