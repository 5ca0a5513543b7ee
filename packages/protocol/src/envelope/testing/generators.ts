// Inputs for the tests of the envelope, and bytes counted by the platform instead of by the code under test.

import fc from "fast-check";
import { vi } from "vitest";
import type { FramerailError } from "../../error.js";
import { isFramerailError } from "../../error.js";
import type { Json } from "../../schema/schema.js";

const LONG = Boolean(process.env.FRAMERAIL_LONG);
if (LONG) vi.setConfig({ testTimeout: 3_600_000 });

/** Checks a property with a fixed seed; a long run takes fifty times as many and a new seed, which a failure prints. */
export function holds<T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>, runs: number): void {
  fc.assert(property, LONG ? { numRuns: runs * 50 } : { numRuns: runs, seed: 20_260_216 });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/** What any UTF-8 encoder makes of a text: lone surrogates become U+FFFD. */
export function throughUtf8(text: string): string {
  return decoder.decode(encoder.encode(text));
}

/** The longest start of `text` within `bytesMax`, found in the bytes: step back while the next byte goes on a character. */
export function startWithin(text: string, bytesMax: number): string {
  const bytes = encoder.encode(text);
  let end = Math.min(bytesMax, bytes.length);
  while (end > 0 && end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return decoder.decode(bytes.subarray(0, end));
}

export const EMOJI = "😀";
export const HIGH = "\ud83d";
export const LOW = "\ude00";

/** One character of every size, the ones JSON escapes, the ones lines break at, and halves of pairs. */
const UNITS = ["a", "é", "中", EMOJI, HIGH, LOW, "\ufeff", "\ufffd", "\u0000", '"', "\\", "\n", "\u2028", "\u0301"];

export const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom(...UNITS), fc.string({ unit: "binary", maxLength: 1 })),
});

/** Texts whose size is a few characters around a multiple of `bytes`, where a bound is got wrong. */
export function textAround(bytes: number): fc.Arbitrary<string> {
  return fc
    .record({
      lead: fc.string({ unit: fc.constantFrom(...UNITS), maxLength: 5 }),
      unit: fc.constantFrom(...UNITS),
      times: fc.integer({ min: 1, max: 3 }),
      more: fc.integer({ min: -6, max: 6 }),
      tail: fc.string({ unit: fc.constantFrom(...UNITS), maxLength: 5 }),
    })
    .map(({ lead, unit, times, more, tail }) => {
      const room = bytes * times - bytesOf(lead) - bytesOf(tail);
      return lead + unit.repeat(Math.max(0, Math.floor(room / bytesOf(unit)) + more)) + tail;
    });
}

/** Any JSON as a parser gives it, but for the one key that is refused at every depth. */
export const anyJson: fc.Arbitrary<Json> = fc
  .json({ maxDepth: 4 })
  .filter((text) => !text.includes("__proto__"))
  .map((text) => JSON.parse(text) as Json);

export function refusalOf(act: () => unknown): FramerailError {
  try {
    act();
  } catch (error) {
    if (isFramerailError(error)) return error;
    throw new Error("a raw error escaped", { cause: error });
  }
  throw new Error("nothing was refused");
}
