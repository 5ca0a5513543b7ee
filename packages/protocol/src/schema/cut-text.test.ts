import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anyText,
  bytesOf,
  EMOJI,
  HIGH,
  holds,
  LOW,
  refusalOf,
  startWithin,
  textAround,
  throughUtf8,
} from "../envelope/testing/generators.js";
import { ENVELOPE_MESSAGE_BYTES_MAX } from "../limits.js";
import { splitText, truncateMessage } from "./cut-text.js";

const SUFFIX = "…(truncated)";

describe("truncating a message", () => {
  test("a message of 4096 bytes is unchanged and one of 4097 is truncated [E-9, C-17]", () => {
    const full = "x".repeat(4096);
    expect(truncateMessage(full, ENVELOPE_MESSAGE_BYTES_MAX)).toBe(full);
    expect(truncateMessage(`${full}x`, ENVELOPE_MESSAGE_BYTES_MAX)).toBe(`${"x".repeat(4082)}${SUFFIX}`);
  });

  test("the suffix has 14 bytes, so 5000 ASCII characters keep 4082 [E-10]", () => {
    const cut = truncateMessage("x".repeat(5000), 4096);
    expect(bytesOf(SUFFIX)).toBe(14);
    expect(cut).toBe("x".repeat(4082) + SUFFIX);
    expect(bytesOf(cut)).toBe(4096);
  });

  test("an emoji at any place of the cut is kept whole or not at all [E-10, E-33]", () => {
    const sizes = [0, 1, 2, 3].map((shift) => {
      const cut = truncateMessage("x".repeat(shift) + EMOJI.repeat(1200), 4096);
      expect(cut).toBe("x".repeat(shift) + EMOJI.repeat(Math.floor((4082 - shift) / 4)) + SUFFIX);
      return bytesOf(cut);
    });
    expect(sizes).toEqual([4094, 4095, 4096, 4093]);
  });

  test.each(Array.from({ length: 17 }, (_, bound) => bound))("a long message within %i bytes [E-11]", (bound) => {
    const wanted = bound <= 2 ? "" : bound <= 14 ? "…" : bound === 15 ? `a${SUFFIX}` : `ab${SUFFIX}`;
    expect(truncateMessage("abcdefghijklmnopqrstuvwxyz", bound)).toBe(wanted);
    // An emoji needs four bytes before the suffix, so it has no room up to 17.
    expect(truncateMessage(EMOJI.repeat(9), bound)).toBe(bound <= 2 ? "" : bound <= 14 ? "…" : SUFFIX);
  });

  test("a message within a tiny bound is unchanged [E-11]", () => {
    for (let bound = 0; bound <= 16; bound += 1)
      expect(truncateMessage("x".repeat(bound), bound)).toBe("x".repeat(bound));
  });

  test("for any text and bound, the longest start that fits, then the suffix [E-10, E-11, E-33]", () => {
    const bounds = fc.integer({ min: 0, max: 60 });
    const property = fc.property(anyText, bounds, (text, bound) => {
      const cut = truncateMessage(text, bound);
      const clean = throughUtf8(text);
      if (bytesOf(clean) <= bound) expect(cut).toBe(clean);
      else if (bound > 14) expect(cut).toBe(startWithin(clean, bound - 14) + SUFFIX);
      else expect(cut).toBe(bound < 3 ? "" : "…");
      expect(bytesOf(cut)).toBeLessThanOrEqual(bound);
    });
    holds(property, 20_000);
  });

  test("half of a pair becomes U+FFFD, kept or cut [E-33]", () => {
    expect(truncateMessage(`a${HIGH}b${LOW}`, 4096)).toBe("a\ufffdb\ufffd");
    expect(truncateMessage(HIGH.repeat(20), 20)).toBe(`\ufffd\ufffd${SUFFIX}`);
  });

  test("a bound that is no count of bytes, or a text that is none, is refused by name [E-11]", () => {
    for (const bound of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "9" as never, undefined as never]) {
      expect(refusalOf(() => truncateMessage("x", bound))).toMatchObject({
        code: "INVALID_ARGUMENT",
        issue: { path: "bytesMax" },
      });
    }
    for (const text of [undefined, null, 3, {}, ["x"]] as never[]) {
      expect(refusalOf(() => truncateMessage(text, 9))).toMatchObject({
        code: "INVALID_ARGUMENT",
        issue: { path: "text" },
      });
    }
  });
});

describe("splitting a text", () => {
  test("for any text and bound, full parts in order that make the text again [E-8, E-33]", () => {
    const property = fc.property(anyText, fc.integer({ min: 4, max: 12 }), (text, bound) => {
      const parts = splitText(text, bound);
      let rest = throughUtf8(text);
      for (const part of parts) {
        expect(part).toBe(startWithin(rest, bound));
        rest = rest.slice(part.length);
      }
      expect(rest).toBe("");
      if (parts.length > 1) expect(parts).not.toContain("");
    });
    holds(property, 20_000);
  });

  test("around multiples of a bound, nothing is lost and no part is over it [E-8, E-33]", () => {
    const property = fc.property(textAround(64), (text) => {
      const parts = splitText(text, 64);
      expect(parts.join("")).toBe(throughUtf8(text));
      for (const part of parts) expect(bytesOf(part)).toBeLessThanOrEqual(64);
    });
    holds(property, 10_000);
  });

  test("no text is one empty part [E-8]", () => {
    expect(splitText("", 4)).toEqual([""]);
  });

  test("a bound that could not hold every character is refused, because splitting would never end [E-8]", () => {
    for (const bound of [3, 0, -1, 4.5, Number.NaN]) {
      expect(refusalOf(() => splitText(EMOJI, bound))).toMatchObject({
        code: "INVALID_ARGUMENT",
        issue: { path: "bytesMax" },
      });
    }
    expect(splitText(EMOJI.repeat(2), 4)).toEqual([EMOJI, EMOJI]);
    expect(refusalOf(() => splitText(null as never, 4))).toMatchObject({
      code: "INVALID_ARGUMENT",
      issue: { path: "text" },
    });
  });
});

test("text for a frame is split by 40 KiB unless told otherwise, and not at all below it [C-18]", () => {
  expect(splitText("x".repeat(40_960))).toHaveLength(1);
  expect(splitText("x".repeat(40_961)).map((piece) => piece.length)).toEqual([40_960, 1]);
});
