import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testCallsOf } from "./test-calls.js";
import type { Tree } from "./tree.js";
import { ROOT, readTree } from "./tree.js";

/** By row and topic: the file of the test, and words of its name. */
type Required = Readonly<Record<string, Readonly<Record<string, readonly [file: string, words: string]>>>>;

const REQUIRED = JSON.parse(readFileSync(join(ROOT, "tidy/required-tests.json"), "utf8")) as Required;

function missingOf(tree: Tree, topics: Required[string] = {}): string[] {
  return Object.entries(topics).flatMap(([topic, [file, words]]) => {
    const calls = testCallsOf(file, tree.get(file) ?? "");
    return calls.some(({ kind, name }) => kind === "test" && name.includes(words)) ? [] : [`${topic}: ${file}`];
  });
}

describe("the tests that are required", () => {
  const tree = readTree();

  test("of single parts are there, each by its name [W-TST-1]", () => {
    expect(missingOf(tree, REQUIRED["W-TST-1"])).toEqual([]);
  });

  test("of the parts together are there, each by its name [W-TST-2]", () => {
    expect(missingOf(tree, REQUIRED["W-TST-2"])).toEqual([]);
  });

  test("of the contract are there, each by its name [W-TST-3]", () => {
    expect(missingOf(tree, REQUIRED["W-TST-3"])).toEqual([]);
  });

  test("of failures are ten, each by its name [W-TST-4]", () => {
    expect(Object.keys(REQUIRED["W-TST-4"] ?? {})).toHaveLength(10);
    expect(missingOf(tree, REQUIRED["W-TST-4"])).toEqual([]);
  });

  test("are missed when a test or its file is gone", () => {
    const tree = new Map([["a.test.ts", 'test("a frame ends", f); const note = "a frame begins";']]);
    const topics = {
      ends: ["a.test.ts", "frame ends"],
      begins: ["a.test.ts", "frame begins"],
      other: ["b.ts", ""],
    } as const;
    expect(missingOf(tree, topics)).toEqual(["begins: a.test.ts", "other: b.ts"]);
  });
});
