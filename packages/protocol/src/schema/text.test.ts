import naughty from "big-list-of-naughty-strings" with { type: "json" };
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  countBytes,
  cutAtBytes,
  escapeLineSeparators,
  escapeText,
  exceedsBytes,
  isWellFormed,
  quote,
  weld,
} from "./text.js";

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      "a",
      '"',
      "\\",
      "\n",
      "\u0000",
      "\u0085",
      "\u2028",
      "\u2029",
      "é",
      "漢",
      "😀",
      "\ud800",
      "\udc00",
    ),
  }),
);
const encoder = new TextEncoder();

test("a quoted text is one line of JSON and reads back the same, lone surrogates included", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const quoted = quote(text);
      expect(JSON.parse(quoted)).toBe(text);
      expect(quoted).not.toMatch(/[\n\r\u0085\u2028\u2029]/);
      expect(encoder.encode(quoted).length).toBe(countBytes(quoted));
    }),
  );
});

test("each character that some reader ends a line at is written as an escape, alone or among others", () => {
  for (const [character, written] of [
    ["\u0085", "\\u0085"],
    ["\u2028", "\\u2028"],
    ["\u2029", "\\u2029"],
    ["\n", "\\n"],
    ["\r", "\\r"],
    ["\0", "\\u0000"],
  ]) {
    expect(quote(`a${character}b`)).toBe(`"a${written}b"`);
    expect(quote(`"${character}`)).toBe(`"\\"${written}"`);
  }
});

test("every naughty string reads back the same", () => {
  for (const text of naughty as string[]) expect(JSON.parse(quote(text))).toBe(text);
});

test("line separators in JSON text become escapes and the value stays", () => {
  expect(escapeLineSeparators('{"a":"x\u2028y\u2029z\u0085"}')).toBe('{"a":"x\\u2028y\\u2029z\\u0085"}');
  expect(escapeLineSeparators('"\u0085"')).toBe('"\\u0085"');
  expect(escapeLineSeparators('"\u2028"')).toBe('"\\u2028"');
  expect(escapeLineSeparators('"\u2029"')).toBe('"\\u2029"');
});

test("bytes are counted as UTF-8 counts them", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(countBytes(text)).toBe(encoder.encode(text).length);
    }),
  );
});

test("a bound in bytes is exact on both sides", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const bytes = encoder.encode(text).length;
      expect(exceedsBytes(text, bytes)).toBe(false);
      if (bytes > 0) expect(exceedsBytes(text, bytes - 1)).toBe(true);
    }),
  );
});

test("a cut keeps as many whole characters as fit", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, bytesMax) => {
      const head = text.slice(0, cutAtBytes(text, bytesMax));
      expect(encoder.encode(head).length).toBeLessThanOrEqual(bytesMax);
      expect(isWellFormed(head)).toBe(true);
      const next = [...text.slice(head.length)][0] ?? "";
      if (next !== "") expect(encoder.encode(head + next).length).toBeGreaterThan(bytesMax);
    }),
  );
});

test("a lone surrogate is seen wherever it stands", () => {
  expect(isWellFormed("a😀b")).toBe(true);
  for (const text of ["\ud800", "a\ud800b", "\udc00", "\udc00\ud800", "x\ud83d"])
    expect(isWellFormed(text)).toBe(false);
});

test("escaped text is what stands between the quotes, and plain text is itself", () => {
  fc.assert(fc.property(anyText, (text) => `"${escapeText(text)}"` === quote(text)));
  expect(escapeText("plain 漢字 😀")).toBe("plain 漢字 😀");
});

test("welded parts are the text they make", () => {
  fc.assert(fc.property(fc.array(anyText), (parts) => weld(...parts) === parts.reduce((a, b) => a + b, "")));
});
