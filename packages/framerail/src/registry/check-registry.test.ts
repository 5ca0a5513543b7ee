import { describe, expect, test } from "vitest";
import {
  CLAUSE_SUFFIX,
  BATCH_SENTENCE_KEY as SPOKEN_BATCH,
  FALLBACK_KEY as SPOKEN_FALLBACK,
} from "../policy/message-layers.js";
import { checkRegistry } from "./check-registry.js";
import { judgeEmissions } from "./judge-emissions.js";
import { IDS_SOFT_MAX } from "./limits.js";
import type { LoadOptions } from "./load-registry.js";
import { loadRegistry } from "./load-registry.js";
import { BATCH_SENTENCE_KEY, FALLBACK_KEY, PART_SUFFIX } from "./message-keys.js";
import { openRegistry } from "./open-registry.js";
import type { Problem } from "./problem.js";
import type { Files } from "./testing/registry-folder.js";
import { EXAMPLE, entryText, localeText, soundFiles, writeFolder } from "./testing/registry-folder.js";

const FRAGMENT = "platform/status_events.yaml";

function check(files: Files, options?: LoadOptions) {
  return checkRegistry(loadRegistry(writeFolder(files), options));
}

function show(problems: readonly Problem[]): string[] {
  return problems.map(({ file, line, id, rule }) => `${file}:${line} ${id} ${rule}`);
}

/** The errors of a registry whose ids `a` and `b` are sound, with this as its German. */
function germanErrors(text: string, english = localeText(["a", "b"])): string[] {
  const files = { ...soundFiles({ platform: ["a", "b"] }), "locales/en.yaml": english, "locales/de.yaml": text };
  return show(check(files).errors);
}

describe("sentences", () => {
  test("a key that is missing in the default locale fails the check [W-REG-5, W-GAP-4]", () => {
    const { ok, errors } = check({ [FRAGMENT]: entryText("a") + entryText("b"), "locales/en.yaml": localeText(["a"]) });
    expect(ok).toBe(false);
    expect(errors).toEqual([
      { file: FRAGMENT, line: 7, id: "b", rule: "missing-key", message: '"status.b" is missing in locales/en.yaml' },
    ]);
  });

  test("an active id without a sentence in any one locale fails the check [W-REG-5, W-REG-15]", () => {
    expect(germanErrors(localeText(["a"]))).toEqual([`${FRAGMENT}:7 b missing-key`]);
    expect(germanErrors(localeText(["a", "b"]))).toEqual([]);
  });

  test("a deprecated id keeps its sentence in the default locale, where every fallback ends [W-GAP-4, I-6]", () => {
    const old = entryText("old", { lifecycle: "deprecated" });
    const files = { [FRAGMENT]: entryText("a") + old, "locales/en.yaml": localeText(["a", "old"]) };
    expect(check({ ...files, "locales/de.yaml": localeText(["a"]) }).errors).toEqual([]);
    expect(show(check({ ...files, "locales/en.yaml": localeText(["a"]) }).errors)).toEqual([
      `${FRAGMENT}:7 old missing-key`,
    ]);
  });

  test("a default locale that is not there is named, and another can be chosen [W-GAP-4]", () => {
    const files = { [FRAGMENT]: entryText("a"), "locales/de.yaml": localeText(["a"]) };
    expect(show(check(files).errors)).toEqual(["locales/en.yaml:1 null default-locale"]);
    expect(check(files, { defaultLocale: "de" }).ok).toBe(true);
    // One that is there but cannot be read has a problem of its own already.
    expect(show(check({ ...files, "locales/en.yaml": "[" }).errors)).toEqual(["locales/en.yaml:1 null yaml"]);
  });

  test.each([
    ["{count", "message-syntax"],
    ["{n, plural, one {x}}", "message-syntax"],
    ["{n, number, ::currency/nothing}", "message-render"],
    ["<b>loud</b>", "message-markup"],
    ["  ", "message-render"],
    ["{n, plural, =0 {} other {x}}", "message-render"],
    ["{n, select, new {} other {x}}", "message-render"],
    ["{n, select, new {<b>neu</b>} other {x}}", "message-markup"],
  ])("a sentence that cannot be said (%s) is named with its line and its id [W-REG-15]", (text, rule) => {
    const english = localeText(["a", "b"], () => "{n, number} {count}");
    expect(
      germanErrors(
        localeText(["a", "b"], (id) => (id === "b" ? text : "gut")),
        english,
      ),
    ).toEqual([`locales/de.yaml:3 b ${rule}`]);
  });

  test("every tag of a message is named, and a name that is also counted is tried with counts", () => {
    const say = (text: string) =>
      check({ [FRAGMENT]: entryText("a"), "locales/en.yaml": localeText(["a"], () => text) });
    expect(say("<b>so <i>loud</i></b>").errors[0]?.message).toContain("(b, i)");
    const counted = "{k, select, x {{n}} other {{n, plural, =1 {} other {y}}}}";
    expect(show(say(counted).errors)).toEqual(["locales/en.yaml:2 a message-render"]);
  });

  test("every kind of ICU argument renders with sample values", () => {
    const text =
      "{name} {n, number} {n, plural, one {#} other {#}} {o, selectordinal, other {#}} {d, date, short} {t, time} " +
      "{kind, select, new {neu} other {alt {deep, plural, other {#}}}}";
    const german = localeText(["a", "b"], () => text);
    expect(germanErrors(german, german)).toEqual([]);
  });

  test("a translation that asks for a value the default sentence does not know is named", () => {
    const english = localeText(["a", "b"], () => "{count, number} offers");
    const german = localeText(["a", "b"], (id) => (id === "a" ? "{count, number} Angebote" : "{anzahl} Angebote"));
    expect(germanErrors(german, english)).toEqual(["locales/de.yaml:3 b message-values"]);
    const part = `${localeText(["a", "b"], () => "gut")}  a_part: "{anzahl}"\n`;
    expect(germanErrors(part, english)).toEqual(["locales/de.yaml:4 a message-values"]);
  });

  test("the keys that policy speaks with are known, and take only the values they are given", () => {
    expect([PART_SUFFIX, BATCH_SENTENCE_KEY, FALLBACK_KEY]).toEqual([CLAUSE_SUFFIX, SPOKEN_BATCH, SPOKEN_FALLBACK]);
    const german = (fallback: string, sentence: string) =>
      `${localeText(["a", "b"])}  fallback: "${fallback}"\nbatch:\n  sentence: "${sentence}"\n`;
    expect(germanErrors(german("Moment", "{parts} …"))).toEqual([]);
    expect(germanErrors(german("{parts}", "nothing"))).toEqual([
      "locales/de.yaml:4 null message-values",
      "locales/de.yaml:6 null message-values",
    ]);
    expect(germanErrors(german("Moment", "{parts} {more}"))).toEqual(["locales/de.yaml:6 null message-values"]);
  });

  test("an id whose sentence another one's joined sentence would take for its part is named for that alone", () => {
    const sentences = 'status:\n  finding: Finding…\n  finding_part: "Finding part {number}…"\n';
    const files = { [FRAGMENT]: entryText("finding_part") + entryText("finding"), "locales/en.yaml": sentences };
    const message = '"status.finding_part" is what finding says inside a joined sentence: give it another key';
    expect(check(files).errors).toEqual([{ file: FRAGMENT, line: 1, id: "finding_part", rule: "part-key", message }]);
    // Alone it is a key like any other.
    expect(check({ ...files, [FRAGMENT]: entryText("finding_part") }).errors).toEqual([]);
    expect(germanErrors(`${localeText(["a", "b"])}  a_part: gut\n`)).toEqual([]);
  });

  test("a locale that Intl does not know, or that is spelt otherwise, is named", () => {
    const files = soundFiles({ platform: ["a"] });
    for (const tag of ["en_US", "EN-us", "tlh", "x"])
      expect(show(check({ ...files, [`locales/${tag}.yaml`]: localeText(["a"]) }).errors), tag).toEqual([
        `locales/${tag}.yaml:1 null locale-tag`,
      ]);
    for (const tag of ["de-AT", "zh-Hant-TW", "sr-Latn"])
      expect(check({ ...files, [`locales/${tag}.yaml`]: localeText(["a"]) }).ok, tag).toBe(true);
  });
});

test("policy batch without a group is an error", () => {
  const files = { "locales/en.yaml": localeText(["a", "b"]) };
  const grouped = entryText("b", { default_policy: "batch", batch: "{ group: g }" });
  const text = entryText("a", { default_policy: "batch" }) + grouped;
  expect(show(check({ ...files, [FRAGMENT]: text }).errors)).toEqual([`${FRAGMENT}:1 a batch-group`]);
});

test("an id with the name of an event or a frame is an error: no policy can be made of it [W-POL-6]", () => {
  const { ok, errors } = check(soundFiles({ platform: ["a", "thinking", "tool_completed", "node_enter"] }));
  expect(ok).toBe(false);
  expect(show(errors)).toEqual([
    `${FRAGMENT}:7 thinking reserved-id`,
    `${FRAGMENT}:13 tool_completed reserved-id`,
    `${FRAGMENT}:19 node_enter reserved-id`,
  ]);
});

describe("warnings", () => {
  test("more ids than the soft maximum are counted by fragment, and id 51 can be emitted [W-NFR-3, W-R-7]", () => {
    const ids = Array.from({ length: IDS_SOFT_MAX + 1 }, (_, index) => `id_${index}`);
    const few = check(soundFiles({ platform: ids.slice(0, 20), "verticals/shop": ids.slice(20, IDS_SOFT_MAX) }));
    expect(few).toEqual({ ok: true, errors: [], warnings: [] });
    const loaded = loadRegistry(
      writeFolder(soundFiles({ platform: ids.slice(0, 20), "verticals/shop": ids.slice(20) })),
    );
    const { ok, warnings } = checkRegistry(loaded);
    expect(ok).toBe(true);
    expect(show(warnings)).toEqual([".:1 null many-ids"]);
    expect(warnings[0]?.message).toContain("51 ids");
    expect(warnings[0]?.message).toContain(`${FRAGMENT} 20, verticals/shop/status_events.yaml 31`);
    const manifest = { id: "shop", emitters: [{ id: "shop", emits: ids }] };
    expect(judgeEmissions(manifest, loaded.registry)).toEqual([]);
  });

  test("deprecated entries, unused keys and entries of the wrong folder are named and fail nothing [W-REG-6, W-REG-9]", () => {
    const { ok, warnings } = check({
      [FRAGMENT]: entryText("a", { lifecycle: "deprecated" }),
      "verticals/shop/status_events.yaml": entryText("b", { emitter_subagents: "[shop, rewards, assistant]" }),
      "verticals/rewards/status_events.yaml": "[]",
      "locales/en.yaml": `${localeText(["a", "b"])}  b_part: b\n  c: C\n`,
    });
    expect(ok).toBe(true);
    expect(show(warnings)).toEqual([
      "locales/en.yaml:5 null unused-key",
      `${FRAGMENT}:1 a deprecated`,
      "verticals/shop/status_events.yaml:1 b cross-vertical",
    ]);
    expect(warnings[1]?.message).toBe("is deprecated since 2026-05-15: write something else");
    // The assistant is no vertical: it may write what it likes of anybody's.
    expect(warnings.at(-1)?.message).toBe("is written by rewards too: it belongs to platform/");
  });
});

test("a sentence whose own key ends like a part is used, and its translations are held to its values", () => {
  const files = {
    ...soundFiles({ platform: ["ordering_part"] }),
    "locales/en.yaml": localeText(["ordering_part"], () => "Ordering {name}"),
  };
  const german = (text: string) => check({ ...files, "locales/de.yaml": localeText(["ordering_part"], () => text) });
  expect(german("{name} wird bestellt")).toEqual({ ok: true, errors: [], warnings: [] });
  expect(show(german("{teil} wird bestellt").errors)).toEqual(["locales/de.yaml:2 ordering_part message-values"]);
});

test("while a file is broken nothing is called unused, and errors stand in the order of files", () => {
  const { errors, warnings } = check({
    [FRAGMENT]: entryText("b"),
    "verticals/shop/status_events.yaml": entryText("a", { lifecycle: "gone" }),
    "locales/en.yaml": localeText(["a"]),
  });
  expect(show(errors)).toEqual([`${FRAGMENT}:1 b missing-key`, "verticals/shop/status_events.yaml:6 a one-of"]);
  expect(warnings).toEqual([]);
});

test("a start refuses a registry with errors and names all of them [W-FR-11]", () => {
  const dir = writeFolder({ [FRAGMENT]: entryText("a") + entryText("b"), "locales/en.yaml": "{}" });
  const start = () => openRegistry(dir);
  expect(start).toThrow(expect.objectContaining({ code: "INVALID_REGISTRY" }));
  expect(start).toThrow(/status_events\.yaml:1 a: .*missing[\s\S]*status_events\.yaml:7 b: .*missing/);
  expect(start).not.toThrow(dir);
});

test("the example registry has neither errors nor warnings", () => {
  expect(checkRegistry(loadRegistry(EXAMPLE))).toEqual({ ok: true, errors: [], warnings: [] });
});
