import { expect, test } from "vitest";
import { CountedText, type Writing } from "./counted-text.js";

const WRITINGS: readonly Writing[] = ["gathered", "piece by piece"];

test("every byte is counted, however the text is cut and written", () => {
  for (const writing of WRITINGS) {
    for (const piece of ["", "a", "naïve ", "日本語と🙂", "x".repeat(16_384), "語".repeat(16_384)]) {
      const text = new CountedText(writing);
      for (let times = 0; times < 50; times += 1) text.add(piece);
      expect(text.end()).toBe(50 * Buffer.byteLength(piece));
    }
  }
});

test("a piece that the buffer could cut off is refused", () => {
  expect(() => new CountedText("gathered").add("x".repeat(16_385))).toThrow(/does not fit/);
});
