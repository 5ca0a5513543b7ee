// Text as bytes, for the frame of every token: escaped for JSON, made UTF-8 and judged well-formed in one pass, with nothing
// made on the way.
// Owns: the bytes. Does not own: where they go, what stands around them (encode-frame.ts).
//   W1. What stands between the quotes is, byte for byte, the UTF-8 of `escapeText` (schema/text.ts).
//   W2. A text that no UTF-8 can carry gets no bytes: -1, and whoever asks says what is wrong with it.

import { stampOf } from "../clock.js";
import { escapeText } from "../schema/text.js";

/** Bytes that one unit of text takes at most: `\u0000`. */
export const UNIT_BYTES_MAX = 6;

const ASCII_END = 0x80;
const [TWO_BYTES_END, SURROGATES, LOW_SURROGATES, SURROGATES_END] = [0x800, 0xd800, 0xdc00, 0xe000];
const [LEAD_2, LEAD_3, LEAD_4, FOLLOWS, SIX_BITS] = [0xc0, 0xe0, 0xf0, 0x80, 0x3f];
const ZERO = 48;

/** Bound once: an engine has many kinds of strings, and looking the method up on each, for each unit, would cost most. */
const { charCodeAt } = String.prototype;

const isEscaped = (unit: number) => escapeText(String.fromCharCode(unit)).length > 1;
/** 1 for every ASCII unit that stands for itself. */
const PLAIN = Uint8Array.from({ length: ASCII_END }, (_, unit) => (isEscaped(unit) ? 0 : 1));
/** The others that do not: rare enough to be looked for among units that are no ASCII. */
const SEPARATORS: readonly number[] = [0x85, 0x2028, 0x2029];

/** Writes `text` from `start` on, and gives where it ends (W1, W2). There must be UNIT_BYTES_MAX for each unit. */
export function writeText(text: string, to: Uint8Array, start: number): number {
  const { length } = text;
  let end = start;
  for (let index = 0; index < length; index += 1) {
    const unit = charCodeAt.call(text, index);
    if (unit < ASCII_END && PLAIN[unit] === 1) {
      to[end] = unit;
      end += 1;
    } else if (unit < ASCII_END || SEPARATORS.includes(unit)) end = writeAscii(escapeText(text.charAt(index)), to, end);
    else if (unit < SURROGATES || unit >= SURROGATES_END) end = writeUnit(unit, to, end);
    else {
      const low = unit < LOW_SURROGATES ? charCodeAt.call(text, index + 1) : 0;
      if (!(low >= LOW_SURROGATES && low < SURROGATES_END)) return -1;
      end = writePair(unit, low, to, end);
      index += 1;
    }
  }
  return end;
}

function writeUnit(unit: number, to: Uint8Array, start: number): number {
  if (unit < TWO_BYTES_END) {
    to[start] = LEAD_2 | (unit >> 6);
    to[start + 1] = FOLLOWS | (unit & SIX_BITS);
    return start + 2;
  }
  to[start] = LEAD_3 | (unit >> 12);
  to[start + 1] = FOLLOWS | ((unit >> 6) & SIX_BITS);
  to[start + 2] = FOLLOWS | (unit & SIX_BITS);
  return start + 3;
}

function writePair(high: number, low: number, to: Uint8Array, start: number): number {
  const point = 0x10000 + ((high - SURROGATES) << 10) + (low - LOW_SURROGATES);
  to[start] = LEAD_4 | (point >> 18);
  to[start + 1] = FOLLOWS | ((point >> 12) & SIX_BITS);
  to[start + 2] = FOLLOWS | ((point >> 6) & SIX_BITS);
  to[start + 3] = FOLLOWS | (point & SIX_BITS);
  return start + 4;
}

/** Writes text that is ASCII, and gives where it ends. */
export function writeAscii(text: string, to: Uint8Array, start: number): number {
  const { length } = text;
  for (let index = 0; index < length; index += 1) to[start + index] = charCodeAt.call(text, index);
  return start + length;
}

/** Writes a whole number below 2^31 so that its last digit stands before `end`. */
export function writeDigits(value: number, to: Uint8Array, end: number): void {
  let rest = value | 0;
  let at = end;
  do {
    // Of whole numbers, which an engine divides by a multiplication.
    const tenth = (rest / 10) | 0;
    at -= 1;
    to[at] = ZERO + rest - tenth * 10;
    rest = tenth;
  } while (rest > 0);
}

/** What a time looks like until the year 9999. */
export const STAMP_BYTES = 24;
/** The one that was written last, for all turns: they run at the same time. */
const latest = { ms: Number.NaN, bytes: new Uint8Array(STAMP_BYTES) };

export function writeStamp(epochMs: number, to: Uint8Array, start: number): void {
  const { bytes } = latest;
  if (epochMs !== latest.ms) {
    writeAscii(stampOf(epochMs), bytes, 0);
    latest.ms = epochMs;
  }
  for (let index = 0; index < STAMP_BYTES; index += 1) to[start + index] = bytes[index] as number;
}
