import { expect, test } from "vitest";
import { GrowingText } from "./growing-text.js";

const pieceOf = (index: number) => `${index};`;

test("every piece is there once, in its order, whenever the text is asked for [P-29]", () => {
  const PIECES = 300;
  // Never before the end, at every piece, and at distances that fall together with joining and that do not.
  for (const every of [PIECES, 1, 3, 4, 7, 16, 64, 65]) {
    const text = new GrowingText("first;");
    let expected = "first;";
    for (let index = 0; index < PIECES; index += 1) {
      text.add(pieceOf(index));
      expected += pieceOf(index);
      if (index % every === every - 1) expect(text.toString()).toBe(expected);
    }
    expect(text.toString()).toBe(expected);
    expect(text.toString()).toBe(expected);
  }
});

test("an empty piece is no end of the text", () => {
  const text = new GrowingText("");
  for (const piece of ["", "a", "", "", "b", ""]) text.add(piece);
  expect(text.toString()).toBe("ab");
});
