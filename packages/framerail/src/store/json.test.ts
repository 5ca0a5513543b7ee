import fc from "fast-check";
import { expect, test } from "vitest";
import { toJsonb } from "./json.js";

test("characters that a jsonb column refuses become U+FFFD, in values and in keys, and all else is kept", () => {
  const given = { "a\0": ["b\0c", "\ud800", "\udc00x", "😀", "\\u0000", 1, null, true], é: { deep: "\0" } };
  expect(JSON.parse(toJsonb(given))).toEqual({
    "a\uFFFD": ["b\uFFFDc", "\uFFFD", "\uFFFDx", "😀", "\\u0000", 1, null, true],
    é: { deep: "\uFFFD" },
  });
});

test("a value without such characters is written as JSON.stringify writes it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!/\\u0000|\\ud[89a-f]/i.test(text));
      expect(toJsonb(value)).toBe(text);
    }),
  );
});
