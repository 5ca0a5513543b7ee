import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkCitations, citedByTests, findUncited, readIds } from "./citations.js";
import { expectNone, summarize } from "./finding.js";
import { ROOT, readTree } from "./tree.js";

function readList(name: string): string[] {
  return JSON.parse(readFileSync(join(ROOT, "tidy", name), "utf8")) as string[];
}

/** What the parts of the product claim to do, each row proved by a test. */
const CLAIMS = ["contract-rows.json", "agents-rows.json", "store-rows.json", "gateway-rows.json", "client-rows.json"];
const KNOWN = new Set(readList("requirement-ids.json"));

/** Planted texts are put together here, so that this file itself cites nothing. */
function cite(...ids: string[]): string {
  return `[${ids.join(", ")}]`;
}

describe("this repository", () => {
  test("every id that is cited is known", () => {
    expectNone(checkCitations(readTree(), KNOWN));
  });

  test.each(CLAIMS)("every row of %s is cited in the name of a test", (name) => {
    const missing = findUncited(readTree(), readList(name));
    expect(missing, `no test names ${missing.join(" ")} (tidy/${name})`).toEqual([]);
  });

  test("the lists hold each id once, and only known rows are claimed", () => {
    for (const name of ["requirement-ids.json", ...CLAIMS]) {
      const ids = readList(name);
      expect(ids.filter((id, index) => ids.indexOf(id) !== index || readIds(id).length !== 1)).toEqual([]);
    }
    expect(CLAIMS.flatMap(readList).filter((id) => !KNOWN.has(id))).toEqual([]);
  });
});

describe("citations", () => {
  test("an unknown id is named with its line, wherever it stands", () => {
    const text = `one\ntwo ${cite("E-1", "E-999")} three\n`;
    for (const path of ["README.md", "tidy/x.ts", "tidy/x.test.ts", "packages/a/src/b.tsx"])
      expect(checkCitations(new Map([[path, text]]), KNOWN)).toEqual([
        { file: path, line: 2, rule: "citations", says: `${cite("E-999")} is not known (tidy/requirement-ids.json)` },
      ]);
    expect(checkCitations(new Map([["x.json", text]]), KNOWN)).toEqual([]);
  });

  test("every kind of id is understood", () => {
    const ids = ["W-FR-9a", "R-5.2.1-3", "C-B", "G13", "D-7", "SSE-1", "R-3.5-4", "W-EV-0"];
    const tree = new Map([["a.md", cite(...ids)]]);
    expect(checkCitations(tree, KNOWN)).toEqual([]);
    expect(checkCitations(tree, new Set())).toHaveLength(ids.length);
  });

  test("a range stands for all between its ends, and a range that is none is unknown", () => {
    expect(readIds("L-9 … L-11, E-1 and G2")).toEqual(["L-9", "L-10", "L-11", "E-1", "G2"]);
    for (const range of ["L-11 … L-9", "L-1 … E-2", "L-60 … L-70"])
      expect(summarize(checkCitations(new Map([["a.md", cite(range)]]), KNOWN)).length, range).toBeGreaterThan(0);
  });

  test("brackets that start with an id and cannot be read are refused", () => {
    for (const text of [cite("E-1; E-2"), cite("E-1", "see below"), cite("E-1 E-2")])
      expect(summarize(checkCitations(new Map([["a.md", text]]), KNOWN)), text).toEqual(["a.md:1 citations"]);
  });

  test("character classes, arrays and links are no citations", () => {
    const text = "/[A-Za-z0-9]/ /[A-Z0-9]/ [DONE] items[N - 1] [UTF-8](https://example.org) [1, 2]";
    expect(checkCitations(new Map([["a.md", text]]), KNOWN)).toEqual([]);
  });
});

describe("coverage", () => {
  const cited = (text: string, path = "tidy/x.test.ts") => [...citedByTests(new Map([[path, text]]))];

  test("only the name of a test or a group counts, not a comment, a value or a source", () => {
    expect(cited(`test("a frame ends ${cite("E-1")}", f);`)).toEqual(["E-1"]);
    expect(cited(`describe("frames ${cite("E-1", "E-2")}", f);`)).toEqual(["E-1", "E-2"]);
    expect(cited(`// ${cite("E-1")}\nconst a = "${cite("E-2")}"; test("a frame ends", f);`)).toEqual([]);
    expect(cited(`test("a frame ends ${cite("E-1")}", f);`, "tidy/x.ts")).toEqual([]);
  });

  test("a computed name cites what the strings of its file cite", () => {
    expect(cited(`for (const name of ["a ${cite("E-1")}"]) test(name, f);`)).toEqual(["E-1"]);
    expect(cited('const rows = { a: "E-1, E-2", b: "plain" }; test(`a [$' + "{rows.a}]`, f);")).toEqual(["E-1", "E-2"]);
    expect(cited('const a = "E-1"; test(`a $' + "{a} b`, f);")).toEqual([]);
  });

  test("a row that no test names is found", () => {
    const tree = new Map([["tidy/x.test.ts", `test("a frame ends ${cite("L-1 … L-3")}", f);`]]);
    expect(findUncited(tree, ["L-1", "L-2", "L-3", "L-4"])).toEqual(["L-4"]);
  });
});
