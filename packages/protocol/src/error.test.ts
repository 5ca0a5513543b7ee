import { expect, test } from "vitest";
import { ERROR_CODES, FramerailError, isFramerailError, refuse, unreachable } from "./error.js";
import { explainCode } from "./explain-code.js";

test("an error carries its code, advice, cause and the field that was wrong", () => {
  const cause = new Error("socket");
  const error = new FramerailError("STREAM_TRUNCATED", "cut", { cause });
  expect(error).toMatchObject({ name: "FramerailError", code: "STREAM_TRUNCATED", retry: "from_start", cause });
  const refused = refuse("INVALID_FRAME", "text frame", {
    path: "chunk",
    rule: "type",
    message: "chunk must be a string",
  });
  expect(refused.message).toBe("text frame: chunk must be a string");
  expect(refused).toMatchObject({ retry: "never", issue: { path: "chunk", rule: "type" } });
});

test("an error of another copy of the package is recognised, anything else is not", () => {
  const foreign = Object.assign(new Error("x"), { [Symbol.for("framerail.error")]: true });
  expect(isFramerailError(foreign)).toBe(true);
  expect(isFramerailError(new FramerailError("CANCELLED", "x"))).toBe(true);
  for (const other of [new Error("x"), null, undefined, "INVALID_FRAME", { code: "INVALID_FRAME" }]) {
    expect(isFramerailError(other)).toBe(false);
  }
});

test("every code is explained", () => {
  for (const code of ERROR_CODES) expect(explainCode(code)).not.toBe("");
});

test("a value past an exhaustive switch gets a typed error", () => {
  expect(() => unreachable("x" as never)).toThrow(expect.objectContaining({ code: "INVARIANT_VIOLATION" }));
});
