import { describe, expect, test } from "vitest";
import { checkFiles } from "./file-shape.js";
import { expectNone, summarize } from "./finding.js";
import { checkSyntax } from "./syntax-shape.js";
import { readTree } from "./tree.js";

function lines(count: number): string {
  return "let x = 1;\n".repeat(count);
}

function files(path: string, text = "// Says what it is.\n"): string[] {
  return summarize(checkFiles(new Map([[path, text]])));
}

function syntax(text: string, path = "packages/client/src/x.ts"): string[] {
  return checkSyntax(new Map([[path, text]])).map(({ line, rule }) => `${line} ${rule}`);
}

describe("this repository", () => {
  test("every file has a telling name, a bearable length and a header", () => {
    expectNone(checkFiles(readTree()));
  });

  test("every file keeps the rules about functions, exports, types, failures and tests", () => {
    expectNone(checkSyntax(readTree()));
  });
});

describe("files", () => {
  test("names that say nothing are refused for files, tests and folders", () => {
    for (const name of ["utils", "util", "helpers", "common", "shared", "misc", "types"]) {
      expect(files(`tidy/${name}.ts`)).toEqual([`tidy/${name}.ts:1 names`]);
      expect(files(`tidy/${name}.test.ts`)).toEqual([`tidy/${name}.test.ts:1 names`]);
      expect(files(`packages/client/src/${name}/x.ts`)).toEqual([`packages/client/src/${name}/x.ts:1 names`]);
    }
    expect(files("tidy/event-types.ts")).toEqual([]);
  });

  test("file and folder names are kebab-case", () => {
    for (const path of ["tidy/readFrame.ts", "tidy/read_frame.ts", "tidy/Read.tsx", "tidy/readFrame/x.ts"])
      expect(files(path)).toEqual([`${path}:1 names`]);
    for (const path of ["tidy/project-04.ts", "vitest.config.ts", "tidy/x.test.ts", ".ci/x.mjs"])
      expect(files(path)).toEqual([]);
  });

  test("a file has at most 500 lines, and above 300 a header of three lines", () => {
    const header = "// One.\n// Two words.\n// Three words.\n";
    expect(files("tidy/x.ts", header + lines(497))).toEqual([]);
    expect(files("tidy/x.ts", header + lines(498))).toEqual(["tidy/x.ts:501 length"]);
    expect(files("tidy/x.ts", `// One.\n${lines(299)}`)).toEqual([]);
    expect(files("tidy/x.ts", `// One.\n${lines(300)}`)).toEqual(["tidy/x.ts:1 length"]);
    expect(files("tidy/x.test.ts", lines(301))).toEqual(["tidy/x.test.ts:1 length"]);
    expect(files("tidy/x.ts", `/* One.\n   Two words.\n   Three words. */\n${lines(400)}`)).toEqual([]);
  });

  test("a source starts with a header, and a directive or an empty comment is none", () => {
    for (const text of [
      "export {};\n",
      "\n// Late.\n",
      "// biome-ignore lint: x\n",
      "//\n",
      "/// <reference types='x' />\n",
    ])
      expect(files("tidy/x.ts", text), text).toEqual(["tidy/x.ts:1 header"]);
    for (const text of ["// Says.\n", "/* Says. */\n", "/**\n * Says.\n */\n", "#!/usr/bin/env node\n// Says.\n"])
      expect(files("tidy/x.ts", text), text).toEqual([]);
    expect(files("tidy/x.test.ts", "export {};\n")).toEqual([]);
  });
});

describe("syntax", () => {
  test("a function has at most 70 lines, in any form; tests are free", () => {
    const body = "\n".repeat(69);
    for (const [open, close] of [
      ["function f() {", "}"],
      ["const f = () => {", "};"],
      ["const o = { f() {", "} };"],
      ["class C { constructor() {", "} }"],
    ]) {
      expect(syntax(`${open}${body}${close}`)).toEqual([]);
      expect(syntax(`${open}\n${body}${close}`)).toEqual(["1 function-length"]);
    }
    expect(syntax(`function f() {\n${body}}`, "tidy/x.test.ts")).toEqual([]);
  });

  test("a maker of closures is judged by what is its own, and each closure by itself", () => {
    const inner = `function g() {${"\n".repeat(60)}}\n`;
    expect(syntax(`function f() {\n${inner}${inner}}`)).toEqual([]);
    expect(syntax(`function f() {\n${inner}${"\n".repeat(70)}}`)).toEqual(["1 function-length"]);
    expect(syntax(`function f() {\nfunction g() {${"\n".repeat(70)}}\n}`)).toEqual(["2 function-length"]);
  });

  test("defaults are for configurations and agents, and nothing is exported by star", () => {
    for (const text of [
      "export default 1;",
      "export default function f() {}",
      "const a = 1; export { a as default };",
      "export = 1;",
    ]) {
      expect(syntax(text), text).toEqual(["1 exports"]);
      expect(syntax(text, "vitest.config.ts"), text).toEqual([]);
      expect(syntax(text, "examples/shop/agents/shop.ts"), text).toEqual([]);
    }
    expect(syntax('export * from "./a.js";')).toEqual(["1 exports"]);
    expect(syntax('export * as a from "./a.js";')).toEqual(["1 exports"]);
    expect(syntax("switch (x) { default: }")).toEqual([]);
  });

  test("what cannot be erased, and any, is refused", () => {
    expect(syntax("enum A { B }")).toEqual(["1 erasable"]);
    expect(syntax("const enum A { B }")).toEqual(["1 erasable"]);
    expect(syntax("class A { constructor(readonly b: string) {} }")).toEqual(["1 erasable"]);
    expect(syntax("namespace A {}")).toEqual(["1 erasable"]);
    expect(syntax("declare global {}")).toEqual([]);
    expect(syntax("\nlet a: any;")).toEqual(["2 any"]);
    expect(syntax("f(x as any);", "tidy/x.test.ts")).toEqual(["1 any"]);
    expect(syntax('const any = "any";')).toEqual([]);
  });

  test("an empty catch needs its reason", () => {
    for (const text of [
      "try { f(); } catch {}",
      "try { f(); } catch (e) { }",
      "p.catch(() => {});",
      "p.catch(function () {});",
    ])
      expect(syntax(text), text).toEqual(["1 empty-catch"]);
    for (const text of [
      "try { f(); } catch {\n// Gone already.\n}",
      "p.catch(() => { /* Heard by q. */ });",
      "p.catch(f);",
    ])
      expect(syntax(text), text).toEqual([]);
  });

  test("a test that would not run is refused", () => {
    const path = "tidy/x.test.ts";
    for (const text of [
      "test.skip('a', f);",
      "it.only('a', f);",
      "describe.todo('a');",
      "test.only.each([1])('a', f);",
    ])
      expect(syntax(text, path), text).toEqual(["1 every-test-runs"]);
    expect(syntax("test.skipIf(x)('a', f);", path)).toEqual(["1 every-test-runs"]);
    expect(syntax("test('a', { skip: true }, f);", path)).toEqual(["1 every-test-runs"]);
    for (const text of ["items.skip(1);", "test.concurrent('a', f);", "const a = { only: 1 };"])
      expect(syntax(text, path), text).toEqual([]);
  });

  test("nothing is put off in a comment; a string may say so", () => {
    for (const word of ["TODO", "FIXME", "XXX"]) {
      expect(syntax(`let a = 1;\n// ${word} later`)).toEqual(["2 put-off"]);
      expect(syntax(`/** ${word}: later */\nlet a = 1;`)).toEqual(["1 put-off"]);
      expect(syntax(`let a = "// ${word}";`)).toEqual([]);
    }
  });
});
