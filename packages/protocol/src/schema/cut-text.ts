// Text made to fit a bound in UTF-8 bytes: split into parts that lose nothing, or cut with a sign that it was.
//   K1. No cut breaks a character, and what leaves is well-formed: half of a surrogate pair, which UTF-8 cannot carry,
//       becomes U+FFFD, as every encoder would make it. Both count three bytes, so a size taken before holds after.

import { refuse } from "../error.js";
import { TEXT_CHUNK_BYTES_MAX } from "../limits.js";
import { countBytes, cutAtBytes, exceedsBytes, isWellFormed } from "./text.js";

const ELLIPSIS = "…";
const SUFFIX = `${ELLIPSIS}(truncated)`;
const SUFFIX_BYTES = countBytes(SUFFIX);
/** The longest character of UTF-8: a smaller part could not hold it, and splitting would never end. */
const CHARACTER_BYTES_MAX = 4;

const LONE_SURROGATES = /\p{Surrogate}/gu;

export function replaceLoneSurrogates(text: string): string {
  return isWellFormed(text) ? text : text.replace(LONE_SURROGATES, "\ufffd");
}

/**
 * A text of at most `bytesMax` bytes: the text itself, or its start with "…(truncated)" after it. Where that suffix
 * has no room before it, the ellipsis stands alone, and where even that has no room, nothing [E-10, E-11].
 */
export function truncateMessage(text: string, bytesMax: number): string {
  requireText(text);
  requireBytes(bytesMax, 0);
  if (!exceedsBytes(text, bytesMax)) return replaceLoneSurrogates(text);
  if (bytesMax <= SUFFIX_BYTES) return ELLIPSIS.slice(0, cutAtBytes(ELLIPSIS, bytesMax));
  return replaceLoneSurrogates(text.slice(0, cutAtBytes(text, bytesMax - SUFFIX_BYTES))) + SUFFIX;
}

/** The text in parts of at most `bytesMax` bytes, in order, each as full as whole characters make it (K1); at least one. */
export function splitText(text: string, bytesMax: number = TEXT_CHUNK_BYTES_MAX): [string, ...string[]] {
  requireText(text);
  requireBytes(bytesMax, CHARACTER_BYTES_MAX);
  const whole = replaceLoneSurrogates(text);
  if (!exceedsBytes(whole, bytesMax)) return [whole];
  let end = cutAtBytes(whole, bytesMax);
  const parts: [string, ...string[]] = [whole.slice(0, end)];
  while (end < whole.length) {
    const start = end;
    end = cutAtBytes(whole, bytesMax, start);
    parts.push(whole.slice(start, end));
  }
  return parts;
}

function requireText(text: unknown): void {
  if (typeof text === "string") return;
  throw refuse("INVALID_ARGUMENT", "a text to cut", { path: "text", rule: "type", message: "text must be a string" });
}

function requireBytes(bytesMax: unknown, min: number): void {
  if (Number.isSafeInteger(bytesMax) && (bytesMax as number) >= min) return;
  const message = `bytesMax must be a whole number of at least ${min}`;
  throw refuse("INVALID_ARGUMENT", "a bound", { path: "bytesMax", rule: "minimum", message });
}
