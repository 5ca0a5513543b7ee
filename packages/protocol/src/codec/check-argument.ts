// What every entry of the codec asks of its options and fields, so that a wrong one gets a typed error with the
// field's name instead of a TypeError from somewhere inside.
//   A1. A refused value never enters a message: it may be a secret, and messages reach logs.

import { type FramerailError, refuse } from "../error.js";
import { DECODED_BYTES_CEILING, DECODED_BYTES_MAX } from "../limits.js";
import { isWellFormed } from "../schema/text.js";

// Every character at which some reader of lines cuts, although SSE itself cuts at CR and LF alone, and NUL, for which
// an `id` is ignored. JSON can escape them; these fields cannot, so they are refused.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const LINE_BREAK = /[\0\n\v\f\r\x1c-\x1e\u0085\u2028\u2029]/;

export function requireObject(value: unknown, path: string): void {
  if (typeof value !== "object" || value === null) throw refuseArgument(path, "type", "must be an object");
}

export function requireFunction(value: unknown, path: string): void {
  if (typeof value !== "function") throw refuseArgument(path, "type", "must be a function");
}

export function requireOptionalFunction(value: unknown, path: string): void {
  if (value !== undefined) requireFunction(value, path);
}

export function requireString(value: unknown, path: string): void {
  if (typeof value !== "string") throw refuseArgument(path, "type", "must be a string");
}

/** A count or a duration: printed in decimal digits, never as `1e+21` or `NaN`. */
export function requireCount(value: unknown, path: string): void {
  if (!Number.isSafeInteger(value)) throw refuseArgument(path, "type", "must be a whole number");
  if ((value as number) < 0) throw refuseArgument(path, "minimum", "must be at least 0");
}

/** The bound of a decoder, with its default. */
export function requireBytesMax(value: number | undefined): number {
  const bytesMax = value ?? DECODED_BYTES_MAX;
  if (!Number.isSafeInteger(bytesMax) || bytesMax < 1 || bytesMax > DECODED_BYTES_CEILING) {
    throw refuseArgument("bytesMax", "range", `must be a whole number from 1 to ${DECODED_BYTES_CEILING}`);
  }
  return bytesMax;
}

/** Text that goes onto a line of its own as it is: an `id`, an `event`, a comment. */
export function requireOneLine(value: unknown, path: string, lengthMax: number): void {
  requireString(value, path);
  const text = value as string;
  if (text.length > lengthMax) throw refuseField(path, "length_max", `must have at most ${lengthMax} characters`);
  if (LINE_BREAK.test(text)) throw refuseField(path, "no_line_break", "must not hold a line break or NUL");
  requireWellFormed(text, path);
}

/** Half of a surrogate pair would reach the reader as U+FFFD: another text than the one sent. */
export function requireWellFormed(text: string, path: string): void {
  if (!isWellFormed(text)) {
    throw refuseField(path, "well_formed", "must be well-formed Unicode (it holds a lone surrogate)");
  }
}

export function refuseArgument(path: string, rule: string, message: string): FramerailError {
  return refuse("INVALID_ARGUMENT", "argument refused", { path, rule, message: `${path} ${message}` });
}

export function refuseField(path: string, rule: string, message: string): FramerailError {
  return refuse("MALFORMED_FIELD", "field refused", { path, rule, message: `${path} ${message}` });
}

/** What our own decoder would refuse with its default bound is refused here, where the sender can still act. */
export function refuseOversize(path: string, bytesMax: number): FramerailError {
  return refuse("FRAME_TOO_LARGE", "field refused", {
    path,
    rule: "bytes_max",
    message: `${path} must have at most ${bytesMax} bytes`,
  });
}
