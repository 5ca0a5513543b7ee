// One frame as one line: for a person who follows a turn, and for a program that does.
//   L1. For a program the line is the frame as NDJSON carries it, to the byte [D-7]. Shown on a screen it is the same
//       JSON, with an escape for each character that would command the terminal or turn the line.
//   L2. For a person it is one line of the screen: when, which, what, and as much of the rest as fits.

import type { Frame } from "@framerail/protocol";
import { encodeNdjson } from "@framerail/protocol";
import type { Device } from "./device.js";
import { cutToWidth } from "./display-width.js";
import { toOneLine } from "./strip-controls.js";

const TIME_COLUMNS = 9;
const SEQ_COLUMNS = 6;
const TYPE_COLUMNS = 15;

/** What JSON writes as it is, and a terminal may obey: C1 controls and turns of direction. */
const OBEYED = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

// L1
export function encodeFrameLine(frame: Frame, { isShared }: Pick<Device, "isShared">): string {
  const line = encodeNdjson(JSON.stringify(frame));
  return isShared ? line.replaceAll(OBEYED, escapeCharacter) : line;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** `since`: the time from which the line counts, in milliseconds of the Unix epoch. */
export function describeFrame(frame: Frame, since: number, columns: number): string {
  const { event_type: type, version: _, timestamp, response_id: __, seq, ...payload } = frame;
  const seconds = ((Date.parse(timestamp) - since) / 1000).toFixed(3);
  const start = `+${seconds}`.padStart(TIME_COLUMNS) + String(seq ?? "").padStart(SEQ_COLUMNS);
  const rest = Object.keys(payload).length === 0 ? "" : JSON.stringify(payload);
  // L2
  const line = `${start}  ${type.padEnd(TYPE_COLUMNS)} ${toOneLine(rest)}`;
  return `${cutToWidth(line.trimEnd(), columns)}\n`;
}
