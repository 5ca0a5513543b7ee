import fc from "fast-check";
import { expect, test } from "vitest";
import { cutToWidth, displayWidth } from "./display-width.js";

test.each([
  ["Searching offers…", 17],
  ["✓ done", 6],
  ["価格を比較", 10],
  ["가격", 4],
  ["ｶﾅ", 2],
  ["Ｗide", 5],
  ["café", 4],
  ["cafe\u0301", 4],
  ["😀", 2],
  ["❤️", 2],
  ["مرحبا", 5],
  ["", 0],
])("%s takes as many columns as a terminal gives it", (text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});

test("a text that fits is left alone, a longer one ends with an ellipsis within the width", () => {
  expect(cutToWidth("Searching", 9)).toBe("Searching");
  expect(cutToWidth("Searching", 8)).toBe("Searchi…");
  expect(cutToWidth("価格を比較", 6)).toBe("価格…");
  expect(cutToWidth("Searching offers", 11)).toBe("Searching…");
  expect(cutToWidth("Searching", 1)).toBe("…");
  expect(cutToWidth("Searching", 0)).toBe("");
});

test("a cut never goes through what is seen as one character", () => {
  expect(cutToWidth("ab👨‍👩‍👧cd", 6)).toBe("ab…");
  expect(cutToWidth("cafe\u0301s are", 5)).toBe("cafe\u0301…");
});

test("whatever is cut is no wider than the line", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 0, max: 40 }), (text, columns) => {
      const cut = cutToWidth(text, columns);
      expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
      if (displayWidth(text) <= columns) expect(cut).toBe(text);
    }),
  );
});
