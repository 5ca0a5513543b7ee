// The fast path from an encoded frame to the wire: the fixed parts are checked and joined once, a frame costs one string
// concatenation. The same string serves NDJSON, whose line is the SSE data and its LF, byte for byte [D-7].
// Owns: the shape of our own frames on the wire. Does not own: free events (sse-encode.ts), cursors, JSON.
//   F1. `data` comes from our own JSON writer: one line, well formed, separators escaped, its size checked there. It is
//       not looked at again. Text from anywhere else goes through encodeSse.
//   F2. What stands before the data is printable ASCII, so `sseDataStart` counts bytes as well as characters.

import { ID_LENGTH_MAX, NAME_LENGTH_MAX } from "../limits.js";
import { weld } from "../schema/text.js";
import {
  refuseArgument,
  refuseField,
  requireCount,
  requireObject,
  requireOneLine,
  requireString,
} from "./check-argument.js";

/** Event names are a short closed list; a caller with more pays for the check again instead of filling memory. */
const CACHED_EVENTS_MAX = 256;
const SEQ_DIGITS_MAX = 16;
const PRINTABLE_ASCII = /^[\x21-\x7e]*$/;
const DATA_FIELD = "\ndata: ";
const FRAME_END = "\n\n";

export interface SseFramingOptions {
  /** What stands before the sequence number in every `id`. */
  readonly idPrefix: string;
}

export interface FrameSse {
  (event: string, seq: number, data: string): string;
  /** The same in its parts, for an encoder that writes all of it in one go: `<lead><seq><middle>data<tail>`. */
  readonly lead: string;
  middleOf(event: string): string;
  readonly tail: string;
}

/** Returns a function that gives `id: <idPrefix><seq>`, `event:` and `data:` lines with their blank line [W-EV-0]. */
export function createSseFraming(options: SseFramingOptions): FrameSse {
  requireObject(options, "options");
  requireAscii(options.idPrefix, "idPrefix", ID_LENGTH_MAX - SEQ_DIGITS_MAX);
  const lead = weld("id: ", options.idPrefix);
  const frameSse = (event: string, seq: number, data: string) => {
    requireCount(seq, "seq");
    return `${lead}${seq}${middleOf(event)}${data}${FRAME_END}`;
  };
  return Object.assign(frameSse, { lead, middleOf, tail: FRAME_END });
}

/** For all turns: what stands between the number and the data says nothing about a turn. */
const MIDDLES = new Map<string, string>();

function middleOf(event: string): string {
  let middle = MIDDLES.get(event);
  if (middle === undefined) {
    requireAscii(event, "event", NAME_LENGTH_MAX);
    if (event === "") throw refuseField("event", "length_min", "must have at least 1 character");
    middle = weld("\nevent: ", event, DATA_FIELD);
    if (MIDDLES.size < CACHED_EVENTS_MAX) MIDDLES.set(event, middle);
  }
  return middle;
}

/** Whole frames of `createSseFraming` that stand one after the other: an empty line ends one, and no frame holds another. */
export function splitSseFrames(text: string): string[] {
  const frames = text.split("\n\n");
  frames.pop();
  return frames.map((frame) => `${frame}\n\n`);
}

/** Where the data of a frame of `createSseFraming` starts: `frame.slice(start, -1)` is its NDJSON line with its LF. */
export function sseDataStart(frame: string): number {
  requireString(frame, "frame");
  // The first match is the field: nothing before it can hold a line break (F2). The sentinel has no line before its
  // data and so no NDJSON line either [C-1].
  const at = frame.indexOf(DATA_FIELD);
  if (at === -1) throw refuseArgument("frame", "type", "must be a frame made by createSseFraming");
  return at + DATA_FIELD.length;
}

/** The NDJSON line of a frame of `createSseFraming` [D-7]. */
export function ndjsonLineOf(frame: string): string {
  return frame.slice(sseDataStart(frame), -1);
}

function requireAscii(value: string, path: string, lengthMax: number): void {
  requireOneLine(value, path, lengthMax);
  if (!PRINTABLE_ASCII.test(value)) throw refuseField(path, "pattern", "must be printable ASCII without spaces");
}
