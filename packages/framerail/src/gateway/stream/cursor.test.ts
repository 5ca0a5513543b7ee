import { randomUUID } from "node:crypto";
import { isFramerailError } from "@framerail/protocol";
import big from "big-list-of-naughty-strings" with { type: "json" };
import { expect, test } from "vitest";
import { readCursor, writeCursor } from "./cursor.js";

const turn = randomUUID();
const codeOf = (text: string) => {
  try {
    readCursor(text, turn);
  } catch (error) {
    if (isFramerailError(error)) return error.code;
    throw error;
  }
  return "read";
};

test("a cursor is the id of a frame or its number, and reads back as it was written [D-2]", () => {
  expect(readCursor(writeCursor(turn, 3, 17), turn)).toEqual({ epoch: 3, seq: 17 });
  expect(readCursor("17", turn)).toEqual({ epoch: undefined, seq: 17 });
  expect(readCursor("0", turn)).toEqual({ epoch: undefined, seq: 0 });
});

test("another turn's cursor is not found, and what is none is refused [D-2]", () => {
  expect(codeOf(writeCursor(randomUUID(), 1, 1))).toBe("NOT_FOUND");
  for (const text of ["", "-1", "1.5", "1e3", `${turn}.1`, `${turn}.1.1.1`, `${turn}.x.1`, "9".repeat(11), " 1", "1\n"])
    expect(codeOf(text), JSON.stringify(text)).toBe("INVALID_ARGUMENT");
  for (const text of big as string[]) expect(["INVALID_ARGUMENT", "read"]).toContain(codeOf(text));
});
