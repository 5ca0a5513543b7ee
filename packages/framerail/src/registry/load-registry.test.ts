import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FILE_BYTES_MAX, FILES_MAX, MESSAGE_LENGTH_MAX, NAME_LENGTH_MAX, YAML_DEPTH_MAX } from "./limits.js";
import { loadRegistry } from "./load-registry.js";
import { openRegistry } from "./open-registry.js";
import type { Files } from "./testing/registry-folder.js";
import { EXAMPLE, entryText, localeText, soundFiles, writeFolder } from "./testing/registry-folder.js";

/** The problems of a folder with these files, as `file:line id rule`. */
function problemsOf(files: Files): string[] {
  return loadRegistry(writeFolder(files)).problems.map(({ file, line, id, rule }) => `${file}:${line} ${id} ${rule}`);
}

/** The problems of one fragment, as `line id rule`. */
function fragmentProblems(text: string): string[] {
  return problemsOf({ "platform/status_events.yaml": text }).map((line) => line.slice(line.indexOf(":") + 1));
}

function localeProblems(text: string | Uint8Array): string[] {
  const found = problemsOf({ ...soundFiles({ platform: ["a"] }), "locales/de.yaml": text });
  return found.map((line) => line.slice(line.indexOf(":") + 1));
}

describe("the merge", () => {
  test("the platform's fragment and those of the verticals become one registry [W-REG-1]", () => {
    const dir = writeFolder(soundFiles({ platform: ["a"], "verticals/shop": ["b", "c"], "verticals/rewards": ["d"] }));
    const { registry, problems } = loadRegistry(dir);
    expect(problems).toEqual([]);
    expect([...registry.entries.keys()].sort()).toEqual(["a", "b", "c", "d"]);
    expect(registry.entries.get("c")).toEqual({
      id: "c",
      description: "Says c",
      default_render_key: "status.c",
      default_policy: "transform",
      emitter_subagents: ["shop"],
      lifecycle: "active",
      owner: "shop",
      file: "verticals/shop/status_events.yaml",
      line: 7,
    });
  });

  test("an id in two fragments names itself and both places, and stops a start [W-REG-2]", () => {
    const dir = writeFolder(soundFiles({ platform: ["a"], "verticals/shop": ["b", "a"] }));
    const message = '"a" is in platform/status_events.yaml:1 and again in verticals/shop/status_events.yaml:7';
    expect(loadRegistry(dir).problems).toEqual([
      { file: "verticals/shop/status_events.yaml", line: 7, id: "a", rule: "duplicate-id", message },
    ]);
    expect(loadRegistry(dir).registry.entries.get("a")).toMatchObject({ owner: "platform", line: 1 });
    expect(() => openRegistry(dir)).toThrow(expect.objectContaining({ code: "INVALID_REGISTRY" }));
    expect(() => openRegistry(dir)).toThrow(message);
  });

  test("an id collides also with an entry that is broken otherwise [W-REG-2]", () => {
    const files = {
      "platform/status_events.yaml": entryText("a", { lifecycle: "gone" }),
      "verticals/shop/status_events.yaml": entryText("a"),
    };
    expect(problemsOf(files)).toEqual([
      "platform/status_events.yaml:6 a one-of",
      "verticals/shop/status_events.yaml:1 a duplicate-id",
    ]);
  });

  test("a fragment names its owner, or is owned by its folder's name [W-REG-9]", () => {
    const indented = entryText("b").replaceAll("\n", "\n  ").trimEnd();
    const { registry, fragments } = loadRegistry(
      writeFolder({
        "platform/status_events.yaml": entryText("a"),
        "verticals/shop/status_events.yaml": `owner: "@acme/offers"\nevents:\n  ${indented}\n`,
        "verticals/rewards/status_events.yaml": entryText("c"),
      }),
    );
    expect([...registry.entries.values()].map(({ id, owner }) => [id, owner])).toEqual([
      ["a", "platform"],
      ["c", "rewards"],
      ["b", "@acme/offers"],
    ]);
    expect(fragments.map(({ owner }) => owner)).toEqual(["platform", "rewards", "@acme/offers"]);
  });

  test("the example fragments hold the seed entries [W-REG-4]", () => {
    const { entries } = openRegistry(EXAMPLE);
    for (const [id, emitters] of [
      ["searching_offers", ["shop"]],
      ["matching_receipt", ["ereceipts"]],
      ["looking_up_purchase_history", ["shop", "rewards"]],
    ] as const)
      expect(entries.get(id)).toMatchObject({
        default_render_key: `status.${id}`,
        default_policy: "transform",
        emitter_subagents: emitters,
        lifecycle: "active",
      });
  });
});

describe("files", () => {
  test("every error of YAML's syntax has its line [W-REG-3]", () => {
    expect(fragmentProblems('- id: a\n  id: "b\n')[0]).toMatch(/^\d null yaml$/);
    expect(fragmentProblems("- a: [1\n- b: 2\n")).toContain("2 null yaml");
    expect(fragmentProblems(`${entryText("a")}  lifecycle: active\n`)).toEqual(["7 a duplicate-key"]);
    expect(fragmentProblems("a: 1\n---\nb: 2\n")).toEqual(["2 null yaml"]);
    expect(fragmentProblems("- !secret a\n")).toEqual(["1 null yaml"]);
  });

  test("anchors and aliases are refused, so that nothing can multiply", () => {
    expect(fragmentProblems("- &a [x]\n- [*a, *a]\n")).toEqual(["1 null alias", "2 null alias", "2 null alias"]);
  });

  test("a file that nests without end is refused before it is built", () => {
    expect(fragmentProblems(`- a\n- ${"[".repeat(60_000)}`)).toEqual(["2 null depth"]);
    expect(fragmentProblems(`${"- ".repeat(40_000)}a`)).toEqual(["1 null depth"]);
    expect(localeProblems(Array.from({ length: 100 }, (_, depth) => `${" ".repeat(depth)}k:\n`).join(""))).toEqual([
      expect.stringMatching(/^\d+ null depth$/),
    ]);
  });

  test("a file nests as deep as its maximum, and no step deeper", () => {
    const nest = (depth: number) => `a: ${"[".repeat(depth)}${"]".repeat(depth)}\n`;
    // Below the document and the map, each bracket is a step.
    expect(localeProblems(nest(YAML_DEPTH_MAX - 2))).toEqual(["1 null type"]);
    expect(localeProblems(nest(YAML_DEPTH_MAX - 1))).toEqual(["1 null depth"]);
  });

  test("a file over its maximum is not read", () => {
    const comment = (length: number) => `#${"x".repeat(length - 1)}`;
    expect(localeProblems(comment(FILE_BYTES_MAX))).toEqual([]);
    expect(localeProblems(comment(FILE_BYTES_MAX + 1))).toEqual(["1 null file-size"]);
  });

  test("bytes that are not UTF-8 are refused, and a byte order mark is not", () => {
    expect(localeProblems(new Uint8Array([0x61, 0x3a, 0x20, 0xff]))).toEqual(["1 null encoding"]);
    expect(localeProblems("\ufeffstatus:\n  a: x\n")).toEqual([]);
  });

  test("more files than the maximum are named, and the rest is left alone", () => {
    const files = soundFiles({ platform: ["a"] });
    for (let index = 0; index < FILES_MAX; index += 1) files[`locales/x${index}.yaml`] = "";
    const { registry, problems } = loadRegistry(writeFolder(files));
    expect(problems.map(({ file, rule }) => `${file} ${rule}`)).toEqual(["locales file-count"]);
    expect(registry.locales.size).toBe(FILES_MAX);
  });

  test("a name that would be passed over in silence is named", () => {
    const files = {
      ...soundFiles({ platform: ["a"] }),
      "verticals/shop/status_events.yml": "",
      "verticals/a b/status_events.yaml": "",
      "locales/de.yml": "",
      "locales/README.md": "",
      "locales/.hidden.yaml": "!",
      "verticals/empty/notes.md": "",
    };
    expect(problemsOf(files)).toEqual([
      "verticals/a b:1 null file-name",
      "verticals/shop/status_events.yml:1 null file-name",
      "locales/de.yml:1 null file-name",
    ]);
  });

  test("a folder that holds no fragment, or is not there, is no registry without problems", () => {
    expect(problemsOf({})).toEqual([".:1 null folder"]);
    const dir = writeFolder({});
    rmSync(dir, { recursive: true });
    expect(loadRegistry(dir).problems.map(({ rule }) => rule)).toEqual(["folder"]);
  });

  test("a folder that cannot be read is named", () => {
    const files = { "platform/status_events.yaml": entryText("a"), locales: "", verticals: "" };
    expect(problemsOf(files)).toEqual(["verticals:1 null unreadable", "locales:1 null unreadable"]);
  });

  test("a fragment behind a link is read, and one whose link leads nowhere is named", () => {
    const dir = writeFolder({ ...soundFiles({ platform: ["a"] }), "data/status_events.yaml": entryText("b") });
    mkdirSync(join(dir, "verticals/rewards"), { recursive: true });
    symlinkSync(join(dir, "data"), join(dir, "verticals/shop"));
    symlinkSync(join(dir, "nowhere"), join(dir, "verticals/rewards/status_events.yaml"));
    const { registry, problems } = loadRegistry(dir);
    expect(registry.entries.get("b")).toMatchObject({ owner: "shop" });
    expect(problems.map(({ file, message }) => `${file} ${message}`)).toEqual([
      "verticals/rewards/status_events.yaml cannot be read (ENOENT)",
    ]);
  });

  test("a folder that is a link to nowhere is named, and never passed over [W-REG-1]", () => {
    const problemsWith = (...links: readonly string[]) => {
      const dir = writeFolder(soundFiles({ "verticals/rewards": ["a"] }));
      for (const link of links) {
        rmSync(join(dir, link), { recursive: true, force: true });
        symlinkSync("../gone", join(dir, link));
      }
      return loadRegistry(dir).problems.map(({ file, rule, message }) => `${file} ${rule}: ${message}`);
    };
    const says = "unreadable: cannot be read (ENOENT)";
    expect(problemsWith("verticals/shop", "platform")).toEqual([`platform ${says}`, `verticals/shop ${says}`]);
    expect(problemsWith("locales")).toEqual([`locales ${says}`]);
    expect(problemsWith("verticals")[0]).toBe(`verticals ${says}`);
  });

  test("links are followed, and one that leads nowhere is named without the place it points to", () => {
    const dir = writeFolder({ ...soundFiles({ platform: ["a"] }), "data/de.yaml": localeText(["a"]) });
    symlinkSync(join(dir, "data/de.yaml"), join(dir, "locales/de.yaml"));
    symlinkSync(join(dir, "nowhere"), join(dir, "locales/fr.yaml"));
    symlinkSync(join(dir, "locales"), join(dir, "locales/it.yaml"));
    const { registry, problems } = loadRegistry(dir);
    expect([...registry.locales.keys()]).toEqual(["de", "en"]);
    expect(problems.map(({ file, message }) => `${file} ${message}`)).toEqual([
      "locales/fr.yaml cannot be read (ENOENT)",
      "locales/it.yaml is not a file",
    ]);
  });
});

describe("locales", () => {
  test("nested keys are joined by dots", () => {
    const text = "status:\n  a: A\n  b:\n    c: C\nd.e: E\n";
    const { registry } = loadRegistry(writeFolder({ "locales/en.yaml": text }));
    expect([...(registry.locales.get("en")?.messages ?? [])]).toEqual([
      ["status.a", "A"],
      ["status.b.c", "C"],
      ["d.e", "E"],
    ]);
  });

  test("what is not a text, too long or there twice is named with its line", () => {
    expect(localeProblems("a:\n  b: 7\n  c: [x]\n  d:\n  e: {count}\n")).toEqual([
      "2 null type",
      "3 null type",
      "4 null type",
      "5 null type",
    ]);
    expect(localeProblems("7: x\n? [a]\n: y\n")).toEqual(["1 null type", "2 null type"]);
    expect(localeProblems('"": x\n')).toEqual(["1 null type"]);
    expect(localeProblems("- a\n")).toEqual(["1 null type"]);
    expect(localeProblems("a: x\na: y\n")).toEqual(["2 null duplicate-key"]);
    expect(localeProblems("a.b: x\na:\n  b: y\n")).toEqual(["3 null duplicate-key"]);
    expect(localeProblems(`a: ${"x".repeat(MESSAGE_LENGTH_MAX)}\n`)).toEqual([]);
    expect(localeProblems(`a: ${"x".repeat(MESSAGE_LENGTH_MAX + 1)}\n`)).toEqual(["1 null range"]);
    expect(localeProblems(`${"k".repeat(NAME_LENGTH_MAX)}: x\n`)).toEqual([]);
    expect(localeProblems(`${"k".repeat(NAME_LENGTH_MAX + 1)}: x\n`)).toEqual(["1 null range"]);
  });
});

test("a value from a file cannot speak to a terminal through a message", () => {
  const text = entryText("a", { default_policy: '"\\e[2J"' });
  const [problem] = loadRegistry(writeFolder({ "platform/status_events.yaml": text })).problems;
  expect(problem?.message).toContain("\\u001b[2J");
  expect(problem?.message).not.toContain("\u001b");
  const long = entryText("a", { default_policy: "x".repeat(10_000) });
  expect(loadRegistry(writeFolder({ "platform/status_events.yaml": long })).problems[0]?.message.length).toBeLessThan(
    200,
  );
});
