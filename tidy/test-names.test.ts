import { describe, expect, test } from "vitest";
import { expectNone } from "./finding.js";
import { COMPUTED, testCallsOf } from "./test-calls.js";
import { checkTestNames } from "./test-names.js";
import { readTree } from "./tree.js";

function judge(text: string): string[] {
  return checkTestNames(new Map([["tidy/x.test.ts", text]])).map(({ line, says }) => `${line} ${says}`);
}

test("every test of this repository is named by a sentence", () => {
  expectNone(checkTestNames(readTree()));
});

describe("a name", () => {
  test("says what happens, never what ought to", () => {
    expect(judge('\ntest("it should close the stream", f);')).toEqual([
      '2 say what happens, not what "should": "it should close the stream"',
    ]);
    for (const text of [
      'it("a stream shouldn\'t stay open", f);',
      'describe("Should", f);',
      'test.each([1])("%i should be one", f);',
      "test(`the $" + "{x} should be small`, f);",
      "it.each`a`('this should be caught', f);",
      'test("a name with options should be caught", { timeout: 1 }, f);',
    ])
      expect(judge(text)[0], text).toContain("should");
    expect(judge('test("a shoulder is no auxiliary verb", f);')).toEqual([]);
  });

  test("is a sentence for a test and may be a topic for a group", () => {
    for (const text of ['test("works", f);', 'test("two words", f);', 'test("two words [E-1]", f);'])
      expect(judge(text)[0], text).toContain("is a sentence");
    for (const text of ['describe("codec", f);', 'test.each(a)("%s [E-1]", f);', "test(name, f);"])
      expect(judge(text), text).toEqual([]);
    expect(judge('test("a frame ends.", f);')[0]).toContain("full stop");
  });

  test("has its ids at the end", () => {
    expect(judge('test("a frame [E-1] ends its turn", f);')[0]).toContain("at the end");
    expect(judge('test("[E-1] a frame ends its turn", f);')[0]).toContain("at the end");
    for (const ids of ["[E-1]", "[E-1, E-2]", "[E-1] [E-2]", "[L-1 … L-3]"])
      expect(judge(`test("a frame ends its turn ${ids}", f);`), ids).toEqual([]);
    expect(judge('test("data: [DONE] is sent once", f);')).toEqual([]);
    expect(judge('describe("the one end [C-1]:", f);')).toEqual([]);
  });

  test("is given to one test of a file", () => {
    const text = 'test("a frame ends its turn", f);\n';
    expect(judge(text + text)).toEqual(['2 two tests of a file have one name: "a frame ends its turn"']);
  });
});

describe("finding tests", () => {
  test("reads names through every way of writing a test", () => {
    const text = [
      'test("one", f);',
      'it.concurrent("two", f);',
      'test.each([["x", 1]])("three", f);',
      "test.each`a | b`('four', f);",
      "describe(`five $" + "{x} six`, f);",
      'test("seven" + " eight", f);',
      "test(name, f);",
    ].join("\n");
    expect(testCallsOf("tidy/x.test.ts", text).map(({ name }) => name)).toEqual([
      "one",
      "two",
      "three",
      "four",
      `five ${COMPUTED} six`,
      "seven eight",
      COMPUTED,
    ]);
  });

  test("takes neither a regular expression's test nor a table for a test", () => {
    expect(testCallsOf("tidy/x.test.ts", '/a/.test("x", 1); other("a", f); test.each(a, b);')).toEqual([]);
  });
});
