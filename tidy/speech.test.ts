import { describe, expect, test } from "vitest";
import { expectNone } from "./finding.js";
import { checkMentions } from "./mentions.js";
import { checkLockfile, checkSpeech, digestWord } from "./speech.js";
import { readTree } from "./tree.js";

function speech(text: string, path = "README.md"): string[] {
  return checkSpeech(new Map([[path, text]])).map(({ line, says }) => `${line} ${says}`);
}

function mentions(files: Record<string, string>): string[] {
  return checkMentions(new Map(Object.entries(files))).map(({ file, line, says }) => `${file}:${line} ${says}`);
}

describe("this repository", () => {
  test("documents and sources speak of the project alone", () => {
    expectNone(checkSpeech(readTree()));
  });

  test("every link and every named document leads to a file that is here", () => {
    expectNone(checkMentions(readTree()));
  });

  test("the lockfile names no private host", () => {
    expectNone(checkLockfile(readTree()));
  });
});

describe("what is not said", () => {
  test("paths of a machine, foreign folders and documents are named with their line", () => {
    expect(speech("one\nsee /home/ann/notes")).toEqual(['2 "/home/ann/notes" is a path of one machine']);
    for (const text of [
      "/Users/ann/x",
      "(`/tmp/out.log`)",
      "/work/x",
      "see shared/notes",
      "as seed 003 says",
      "(failures S9)",
      "registry.npmjs.org",
      "ann.jfrog.io",
    ])
      expect(speech(text), text).toHaveLength(1);
  });

  test("the making of a text is no part of it", () => {
    for (const text of ["The issue asks for it", "as the brief says", "another session will add it"])
      expect(speech(text), text).toHaveLength(1);
  });

  test("the domain's own words are free", () => {
    for (const text of [
      "this session is terminated, and the issue names the field",
      "a seed of 42, `seed: 20_260_515`",
      "https://example.org/home/ann and ./work/x and /v1/work",
      "one shared writer, shared by all",
      "the registry.get() of failures; the prompt is sent",
      "a task runs in this session",
    ])
      expect(speech(text), text).toEqual([]);
  });

  test("sources, tests and configurations are read like documents", () => {
    for (const path of ["tidy/x.ts", "tidy/x.test.ts", "package.json", ".ci/run", "scripts/x.mjs"])
      expect(speech("// /home/ann/x", path), path).toHaveLength(1);
  });

  test("an unsaid name is found whatever its case, and only as a whole word", () => {
    const unsaid = new Set([digestWord("blue-heron")]);
    const find = (text: string) => checkSpeech(new Map([["a.md", text]]), unsaid).map(({ says }) => says);
    expect(find("the Blue-Heron service")).toEqual(['"Blue-Heron" is a name nobody can look up here']);
    expect(find("the blue-herons and a heron")).toEqual([]);
  });

  test("a package from a private host is named with its line", () => {
    const lock = '{\n"resolved": "https://registry.npmjs.org/a.tgz",\n"resolved": "https://npm.example.org/a.tgz"\n}';
    expect(checkLockfile(new Map([["package-lock.json", lock]]))).toEqual([
      {
        file: "package-lock.json",
        line: 3,
        rule: "lockfile",
        says: "https://npm.example.org/a.tgz is not the public registry",
      },
    ]);
  });
});

describe("links and mentions", () => {
  test("a link leads to a file or a folder of the repository", () => {
    const here = { "docs/a.md": "", "src/b.ts": "" };
    for (const link of [
      "[a](docs/a.md)",
      "[a](docs/a.md#part)",
      "[src](src)",
      "[src](./src/)",
      "[me](#part)",
      "[w](https://x.org)",
    ])
      expect(mentions({ ...here, "README.md": link }), link).toEqual([]);
    expect(mentions({ ...here, "README.md": "one\n[b](src/c.ts)" })).toEqual([
      "README.md:2 the link to src/c.ts leads nowhere",
    ]);
    expect(mentions({ ...here, "docs/a.md": "[b](../src/b.ts)" })).toEqual([]);
    expect(mentions({ ...here, "docs/a.md": "[b](src/b.ts)" })).toEqual([
      "docs/a.md:1 the link to src/b.ts leads nowhere",
    ]);
    expect(mentions({ "a.md": "[x]: src/none.ts" })).toEqual(["a.md:1 the link to src/none.ts leads nowhere"]);
    expect(mentions({ "a.md": "```\n[b](none)\n```\n`[b](none)`" })).toEqual([]);
  });

  test("a document named in prose or in a comment exists; a string may name any", () => {
    expect(mentions({ "README.md": "see PLAN.md" })).toEqual([
      "README.md:1 PLAN.md is a document this repository does not have",
    ]);
    expect(mentions({ "x.ts": "let a = 1;\n// see PLAN.md" })).toEqual([
      "x.ts:2 PLAN.md is a document this repository does not have",
    ]);
    expect(mentions({ "x.ts": '// see docs/PLAN.md\nlet a = "OTHER.md";', "docs/PLAN.md": "" })).toEqual([]);
    expect(mentions({ "README.md": "https://example.org/a/PLAN.md" })).toEqual([]);
    expect(mentions({ "README.md": "the [plan](PLAN.md)" })).toEqual(["README.md:1 the link to PLAN.md leads nowhere"]);
  });
});
