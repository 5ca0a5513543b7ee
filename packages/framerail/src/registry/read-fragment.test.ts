import { describe, expect, test } from "vitest";
import { BATCH_WINDOW_MS_MAX, DESCRIPTION_LENGTH_MAX, NAME_LENGTH_MAX } from "./limits.js";
import { loadRegistry } from "./load-registry.js";
import { entryText, writeFolder } from "./testing/registry-folder.js";

/** The problems of one fragment, as `line id rule`. */
function fragmentProblems(text: string): string[] {
  const { problems } = loadRegistry(writeFolder({ "platform/status_events.yaml": text }));
  return problems.map(({ line, id, rule }) => `${line} ${id} ${rule}`);
}

describe("the fields of an entry [W-REG-3]", () => {
  const LINES = ["id", "description", "default_render_key", "default_policy", "emitter_subagents", "lifecycle"];

  test("a missing field is named at its entry", () => {
    for (const name of LINES) {
      const id = name === "id" ? "null" : "b";
      expect(fragmentProblems(entryText("a") + entryText("b", { [name]: undefined })), name).toEqual([
        `7 ${id} missing-field`,
      ]);
    }
  });

  test("a misspelt field is named in its own line, and the field it was meant for is missed", () => {
    for (const [index, name] of LINES.entries()) {
      const id = name === "id" ? "null" : "a";
      const text = entryText("a").replace(`${name}:`, `${name}x:`);
      expect(fragmentProblems(text), name).toEqual([`${index + 1} ${id} unknown-field`, `1 ${id} missing-field`]);
    }
  });

  test.each([
    ["id", "Prose with blanks", "1 null pattern"],
    ["id", "7", "1 null type"],
    ["id", "x".repeat(NAME_LENGTH_MAX + 1), "1 null range"],
    ["description", '" "', "2 a type"],
    ["description", "[a]", "2 a type"],
    ["default_render_key", "no key", "3 a pattern"],
    ["default_policy", "shout", "4 a one-of"],
    ["default_policy", "[forward]", "4 a one-of"],
    ["emitter_subagents", "shop", "5 a type"],
    ["emitter_subagents", "[shop, 7]", "5 a type"],
    ["emitter_subagents", "[shop, shop]", "5 a range"],
    ["emitter_subagents", '["a b"]', "5 a pattern"],
    ["emitter_subagents", "[]", "5 a range"],
    ["lifecycle", "retired", "6 a one-of"],
    ["lifecycle", "", "6 a one-of"],
    ["batch", "lookup", "7 a type"],
    ["batch", "{ window_ms: 100 }", "7 a missing-field"],
    ["batch", "{ group: G 1 }", "7 a pattern"],
    ["batch", "{ group: g, window_ms: 0 }", "7 a range"],
    ["batch", `{ group: g, window_ms: ${BATCH_WINDOW_MS_MAX + 1} }`, "7 a range"],
    ["batch", "{ group: g, window_ms: 1.5 }", "7 a range"],
    ["batch", "{ group: g, windowms: 1 }", "7 a unknown-field"],
    ["description", "x".repeat(DESCRIPTION_LENGTH_MAX + 1), "2 a range"],
    ["constructor", "shop", "7 a unknown-field"],
    ["__proto__", "shop", "7 a unknown-field"],
  ])("a wrong %s (%s) is named with its line", (name, value, problem) => {
    const text = entryText("a", { [name]: value });
    expect(fragmentProblems(text)).toEqual([problem]);
    expect(loadRegistry(writeFolder({ "platform/status_events.yaml": text })).registry.entries.size).toBe(0);
  });

  test("every broken field of every entry and file is named, not just the first", () => {
    const bad = entryText("a", { default_policy: "shout", lifecycle: "gone", note: "x" });
    const files = { "platform/status_events.yaml": bad + bad.replace("id: a", "id: b"), "locales/en.yaml": "a: 1" };
    const { problems } = loadRegistry(writeFolder(files));
    expect(problems.map(({ file, line, id, rule }) => `${file}:${line} ${id} ${rule}`)).toEqual([
      "platform/status_events.yaml:4 a one-of",
      "platform/status_events.yaml:6 a one-of",
      "platform/status_events.yaml:7 a unknown-field",
      "platform/status_events.yaml:11 b one-of",
      "platform/status_events.yaml:13 b one-of",
      "platform/status_events.yaml:14 b unknown-field",
      "locales/en.yaml:1 null type",
    ]);
  });

  test("what is just within its maximum is taken", () => {
    const changed = {
      description: "x".repeat(DESCRIPTION_LENGTH_MAX),
      default_render_key: "k".repeat(NAME_LENGTH_MAX),
      batch: `{ group: g, window_ms: ${BATCH_WINDOW_MS_MAX} }`,
    };
    const longest = "i".repeat(NAME_LENGTH_MAX);
    const text = entryText(longest, changed) + entryText("b", { batch: "{ group: g, window_ms: 1 }" });
    const { registry, problems } = loadRegistry(writeFolder({ "platform/status_events.yaml": text }));
    expect(problems).toEqual([]);
    expect([...registry.entries.keys()]).toEqual([longest, "b"]);
  });

  test("a batch that is whole is taken, and a deprecated entry may be without emitters", () => {
    const text =
      entryText("a", { batch: "{ group: g, window_ms: 5 }" }) +
      entryText("b", { emitter_subagents: "[]", lifecycle: "deprecated" });
    const { registry, problems } = loadRegistry(writeFolder({ "platform/status_events.yaml": text }));
    expect(problems).toEqual([]);
    expect(registry.entries.get("a")?.batch).toEqual({ group: "g", window_ms: 5 });
    expect(registry.entries.get("b")?.emitter_subagents).toEqual([]);
  });

  test("a deprecated entry says since when and what to write instead, and no other entry does [W-REG-6]", () => {
    const deprecation = '{ since: 2026-05-15, note: "write seeking" }';
    const text = entryText("old", { lifecycle: "deprecated", deprecation });
    const { registry, problems } = loadRegistry(writeFolder({ "platform/status_events.yaml": text }));
    expect(problems).toEqual([]);
    expect(registry.entries.get("old")?.deprecation).toEqual({ since: "2026-05-15", note: "write seeking" });
    const problemsOf = (lifecycle: string, given?: string) =>
      fragmentProblems(entryText("old", { lifecycle, deprecation: given }));
    expect(problemsOf("deprecated")).toEqual(["6 old deprecation"]);
    expect(problemsOf("active", deprecation)).toEqual(["6 old deprecation"]);
    const unclear = entryText("b", { lifecycle: undefined, deprecation });
    expect(fragmentProblems(entryText("a") + unclear)).toEqual(["7 b missing-field"]);
    expect(problemsOf("deprecated", "soon")).toEqual(["7 old type"]);
    expect(problemsOf("deprecated", "{ since: 2026-06-31, note: n }")).toEqual(["7 old day"]);
    expect(problemsOf("deprecated", "{ since: 15.5.2026, note: n }")).toEqual(["7 old day"]);
    expect(problemsOf("deprecated", "{ since: 2026-05-15, note: ' ' }")).toEqual(["7 old type"]);
    expect(problemsOf("deprecated", "{ since: 2026-05-15 }")).toEqual(["7 old missing-field"]);
  });

  test("a file that is neither a list nor a map of events is refused", () => {
    expect(fragmentProblems("just text")).toEqual(["1 null type"]);
    expect(fragmentProblems("- text\n- [a]\n")).toEqual(["1 null type", "2 null type"]);
    expect(fragmentProblems("owner: a b\nevents: x\nother: 1\n")).toEqual([
      "1 null pattern",
      "2 null type",
      "3 null unknown-field",
    ]);
    expect(fragmentProblems("owner: shop\n")).toEqual(["1 null missing-field"]);
  });
});
