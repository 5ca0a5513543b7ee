import { ERROR_CODES, FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { problemOf } from "./problem.js";

test("an exception, and an error that is no caller's business, are told as 500 with nothing of theirs [W-FR-7] [G7]", () => {
  const canary = "password=CANARY at db-1.internal";
  for (const error of [new Error(canary), canary, undefined, new FramerailError("INVARIANT_VIOLATION", canary)]) {
    expect(problemOf(error)).toMatchObject({ status: 500, code: "INTERNAL" });
    expect(JSON.stringify(problemOf(error))).not.toContain("CANARY");
  }
});

test("a code has one status and one title, and only sentences for callers are passed on", () => {
  const statuses = Object.fromEntries(
    ERROR_CODES.map((code) => [code, problemOf(new FramerailError(code, "CANARY")).status]),
  );
  expect(statuses).toMatchObject({
    NOT_FOUND: 404,
    TURN_RUNNING: 409,
    KEY_REUSED: 422,
    CURSOR_EXPIRED: 410,
    STORE_UNAVAILABLE: 503,
  });
  const told = ERROR_CODES.filter((code) =>
    JSON.stringify(problemOf(new FramerailError(code, "CANARY"))).includes("CANARY"),
  );
  expect(told.sort()).toEqual(["FORBIDDEN", "INVALID_ARGUMENT"]);
});
