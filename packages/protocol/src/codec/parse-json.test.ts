import { describe, expect, test } from "vitest";
import { FramerailError } from "../error.js";
import { PARSED_DEPTH_MAX } from "../limits.js";
import { parseJson } from "./parse-json.js";

function refusal(text: string): { code: string; path: string | undefined; rule: string | undefined; error: Error } {
  try {
    parseJson(text);
  } catch (error) {
    if (!(error instanceof FramerailError)) throw error;
    return { code: error.code, path: error.issue?.path, rule: error.issue?.rule, error };
  }
  throw new Error("accepted");
}

describe("parseJson", () => {
  test("JSON text gives its value", () => {
    expect(parseJson(' {"a":[1,null,"é\\u2028"]} ')).toEqual({ a: [1, null, "é\u2028"] });
    for (const text of [
      "null",
      "0",
      '""',
      "false",
      '"__proto__"',
      '["__proto__"]',
      '{"a":"__proto__"}',
      '{"proto":1}',
    ]) {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }
  });

  test("what is not JSON is refused, and nothing of it is in the error", () => {
    for (const text of [
      "",
      "secret",
      '{"secret":',
      "[DONE]",
      "{'secret':1}",
      '"secret\n"',
      "\ufeff1",
      "NaN",
      "undefined",
    ]) {
      const { code, rule, error } = refusal(text);
      expect([code, rule]).toEqual(["MALFORMED_JSON", "json"]);
      expect(error.message).not.toContain("secret");
      expect(error.cause).toBeUndefined();
    }
  });

  test("what is not text is refused", () => {
    for (const wrong of [undefined, null, 5, {}, ["1"]]) {
      expect(() => parseJson(wrong as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    }
  });

  test("a __proto__ key is refused at every depth and in every spelling", () => {
    expect(refusal('{"__proto__":{}}')).toMatchObject({
      code: "MALFORMED_JSON",
      rule: "forbidden_key",
      path: "__proto__",
    });
    expect(refusal('{"a":[0,{"b":{"__proto__":null}}]}')).toMatchObject({
      rule: "forbidden_key",
      path: "a.1.b.__proto__",
    });
    const letters = [..."__proto__"];
    for (const [index, letter] of letters.entries()) {
      const lower = `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
      const upper = `\\u${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
      for (const spelled of [lower, upper]) {
        const key = letters.with(index, spelled).join("");
        expect(refusal(`[{"${key}":1}]`)).toMatchObject({ rule: "forbidden_key", path: "0.__proto__" });
      }
    }
    const allEscaped = letters.map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");
    expect(refusal(`{"${allEscaped}":1}`)).toMatchObject({ rule: "forbidden_key" });
  });

  test("nesting up to the maximum passes and one more is refused, in arrays, objects and both", () => {
    const nest = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      expect(parseJson(nest(PARSED_DEPTH_MAX, open, close))).toBeDefined();
      expect(refusal(nest(PARSED_DEPTH_MAX + 1, open, close))).toMatchObject({
        code: "MALFORMED_JSON",
        rule: "depth_max",
      });
    }
    // Brackets beside the deep part make the text suspect, so the value is walked although it is not too deep.
    expect(parseJson(`[${nest(PARSED_DEPTH_MAX - 1, "[", "]")}${",[]".repeat(200)}]`)).toHaveLength(201);
    expect(parseJson(nest(PARSED_DEPTH_MAX / 2, '[{"a":', "}]"))).toBeDefined();
    expect(refusal(`[${nest(PARSED_DEPTH_MAX / 2, '[{"a":', "}]")}]`)).toMatchObject({ rule: "depth_max" });
  });

  test("nesting beyond all reason is refused without an engine's error", () => {
    for (const depth of [10_000, 200_000]) {
      expect(refusal("[".repeat(depth) + "]".repeat(depth)).code).toBe("MALFORMED_JSON");
      expect(refusal("[".repeat(depth)).code).toBe("MALFORMED_JSON");
    }
  });

  test("many brackets side by side, or in a string, are not nesting", () => {
    expect(parseJson(`[${"[],{},".repeat(500)}1]`)).toHaveLength(1_001);
    expect(parseJson(`"${"[".repeat(500)}"`)).toHaveLength(500);
  });
});
