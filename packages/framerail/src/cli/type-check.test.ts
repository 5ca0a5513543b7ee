import { expect, test } from "vitest";
import { beginTypeCheck, explainVerdict } from "./type-check.js";

const first = {
  file: "/srv/mine/agents/shop.ts",
  line: 3,
  column: 5,
  code: 2322,
  message: "Type 'a' is not\n\u001b[31mb",
};

test("a mistake is one line with its place and the remedy, from where the person is", () => {
  expect(() => explainVerdict({ kind: "wrong", first, count: 1 }, "/srv/mine")).toThrow(
    /^agents\/shop\.ts:3:5: Type 'a' is not b \(TS2322\)\. Correct it, or start with --no-type-check$/,
  );
  expect(() => explainVerdict({ kind: "wrong", first, count: 3 }, "/srv/yours")).toThrow(
    /^\/srv\/mine\/agents\/shop\.ts:3:5: .* \(TS2322\), and 2 more\. Correct it/,
  );
});

test("a check that was left out is for operators, and one that passed or was not wanted is for nobody", async () => {
  expect(explainVerdict({ kind: "sound" }, "/")).toBeUndefined();
  expect(explainVerdict({ kind: "left_out", reason: "no TypeScript is installed" }, "/")).toBe(
    "the types of the agents were not checked: no TypeScript is installed",
  );
  const unwanted = beginTypeCheck("/no/such/folder", false);
  expect(await unwanted.pass()).toBeUndefined();
  await unwanted.stop();
});
