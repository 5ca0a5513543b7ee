import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SEQUENCE_LENGTH_MAX } from "./limits.js";
import { createControlStripper, toOneLine } from "./strip-controls.js";

const strip = (...pieces: readonly string[]) => {
  const take = createControlStripper();
  return pieces.map((piece) => take(piece)).join("");
};

const isForbidden = (character: string) => {
  const unit = character.codePointAt(0) ?? 0;
  if (unit === 0x0a || unit === 0x09) return false;
  return unit < 0x20 || (unit >= 0x7f && unit <= 0x9f) || /[\u202a-\u202e\u2066-\u2069]/.test(character);
};
const forbiddenIn = (text: string) => [...text].filter(isForbidden);

/** Whole sequences, none of which may leave a trace. */
const SEQUENCES = [
  "\x1b[31m",
  "\x1b[?1049h",
  "\x1b[38;2;1;2;3m",
  "\x1b[2 q",
  "\x9b2J",
  "\x1b]0;title\x07",
  "\x1b]8;;https://example.org\x1b\\",
  "\x1b]52;c;Y29weQ==\x9c",
  "\x9d0;title\x07",
  "\x1bP1$tx\x1b\\",
  "\x90q#0\x9c",
  "\x1b_command\x1b\\",
  "\x1b^private\x1b\\",
  "\x1bXstart\x1b\\",
  "\x1bc",
  "\x1b7",
  "\x1b(B",
  "\x1b#8",
  "\x1b\x1b[A",
  "\x1b]0;cut off\x18",
  "\x1b]0;torn\x1b[1m",
] as const;

/** Text with sequences, parts of them and single controls in it. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...SEQUENCES),
      fc.constantFrom(
        "\x1b",
        "\x9b",
        "\x1b[",
        "\x1b]",
        "\x07",
        "\r",
        "\b",
        "\x7f",
        "\u202e",
        "\u2066",
        "\n",
        "\t",
        "😀",
      ),
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("a sequence", () => {
  test.each(SEQUENCES.map((sequence) => [JSON.stringify(sequence), sequence]))(
    "like %s leaves nothing behind, wherever it is cut",
    (_, sequence) => {
      const text = `before ${sequence}after`;
      for (let cut = 0; cut <= text.length; cut += 1) {
        expect(strip(text.slice(0, cut), text.slice(cut))).toBe("before after");
      }
      expect(strip(...text)).toBe("before after");
    },
  );

  test("that never ends hides no more than its line, or its maximum [G8]", () => {
    expect(strip("a\x1b]0;no end\nnext line")).toBe("a\nnext line");
    // What introduces it counts too.
    const rest = "1".repeat(SEQUENCE_LENGTH_MAX - 1);
    for (const start of ["\x1b[", "\x1bP", "\x1b]", "\x1b_"]) expect(strip("a", start, rest, "2b")).toBe("a2b");
  });

  test("that is broken off by other text gives that text back", () => {
    expect(strip("\x1b[31é")).toBe("é");
    expect(strip("\x1b😀")).toBe("😀");
    expect(strip("\x1b(\nx")).toBe("\nx");
  });
});

test("line feeds and tabs stay, every other control character goes", () => {
  const controls = Array.from({ length: 0xa0 }, (_, unit) => String.fromCharCode(unit)).filter(isForbidden);
  expect(controls).toHaveLength(0x20 - 2 + 0x21);
  for (const control of controls) expect(forbiddenIn(strip(`a\tb\n${control}`))).toEqual([]);
  expect(strip("a\tb\r\nc")).toBe("a\tb\nc");
});

test("characters that turn the direction of a line are shown as nothing, marks of a script are kept", () => {
  expect(strip("user\u202e\u2066 txt.exe\u2069\u202c")).toBe("user txt.exe");
  expect(strip("\u200fشكرا\u200e")).toBe("\u200fشكرا\u200e");
});

test("a character of two halves is never torn by the border of two frames", () => {
  const take = createControlStripper();
  expect(["a😀".slice(0, 2), "a😀".slice(2)].map(take)).toEqual(["a", "😀"]);
});

test("hostile text gives the same for every way of cutting it, and nothing that commands a terminal", () => {
  fc.assert(
    fc.property(hostile, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
      const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((place, index) => text.slice(places[index], place));
      const whole = strip(text);
      expect(strip(...pieces)).toBe(whole);
      expect(strip(...text.split(""))).toBe(whole);
      expect(forbiddenIn(whole)).toEqual([]);
    }),
  );
});

test("text without controls comes out as it went in", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      fc.pre(forbiddenIn(text).length === 0);
      expect(strip(text)).toBe(text);
    }),
  );
});

test("the big list of naughty strings is shown without what is naughty for a terminal", () => {
  expect(naughtyStrings.length).toBeGreaterThan(400);
  for (const text of naughtyStrings) {
    const shown = strip(text);
    expect(forbiddenIn(shown)).toEqual([]);
    if (forbiddenIn(text).length === 0) expect(shown).toBe(text);
  }
});

test("a name in a line of ours cannot begin another line", () => {
  expect(toOneLine(" a\nb\t\u2028c\x1b[2J\r ")).toBe("a b c");
});
