import { describe, expect, test } from "vitest";
import {
  JSON_BYTES_MAX,
  requireCount,
  requireSize,
  requireText,
  requireTime,
  requireUuid,
  TEXT_LENGTH_MAX,
  TIME_MS_MAX,
  toExactJson,
} from "./checked-value.js";

const REFUSED = { code: "INVALID_ARGUMENT", issue: expect.objectContaining({ path: "field" }) as unknown };

describe("values that must come back as they went in", () => {
  test.each([
    ["U+0000", "a\0b"],
    ["half a surrogate pair", "a\ud800"],
    ["more than the maximum", "x".repeat(TEXT_LENGTH_MAX + 1)],
  ])("a name with %s is refused with its field", (_, text) => {
    expect(() => requireText("field", text)).toThrow(expect.objectContaining(REFUSED));
  });

  test("a name at the maximum, and one of any script, pass unchanged", () => {
    for (const text of ["", "x".repeat(TEXT_LENGTH_MAX), "žluťoučký 🐎", "\\u0000"])
      expect(requireText("field", text)).toBe(text);
  });

  test.each([[{ a: "\0" }], [{ "\0": 1 }], ["\udc00"], [Number.NaN], [["\0"]]])(
    "JSON that the database would change or refuse is refused: %j",
    (value) => {
      expect(() => toExactJson("field", value)).toThrow(expect.objectContaining(REFUSED));
    },
  );

  test("JSON with the escape of U+0000 spelled out in plain text is kept", () => {
    expect(toExactJson("field", { path: "C:\\u0000" })).toBe('{"path":"C:\\\\u0000"}');
  });

  test("a document over the maximum is refused by size", () => {
    expect(requireSize("field", "é".repeat(JSON_BYTES_MAX / 2))).toHaveLength(JSON_BYTES_MAX / 2);
    const over = "é".repeat(JSON_BYTES_MAX / 2 + 1);
    expect(() => requireSize("field", over)).toThrow(expect.objectContaining({ code: "INPUT_TOO_LARGE" }));
  });

  test("a count, a time or an id that no column can hold is refused", () => {
    for (const count of [-1, 0.5, Number.NaN, 2 ** 31])
      expect(() => requireCount("field", count)).toThrow(expect.objectContaining(REFUSED));
    for (const time of [-1, 0.5, Number.NaN, TIME_MS_MAX + 1])
      expect(() => requireTime("field", time)).toThrow(expect.objectContaining(REFUSED));
    expect(() => requireUuid("field", "7")).toThrow(expect.objectContaining(REFUSED));
    expect([requireCount("field", 2 ** 31 - 1), requireTime("field", TIME_MS_MAX).getTime()]).toEqual([
      2 ** 31 - 1,
      TIME_MS_MAX,
    ]);
  });
});
