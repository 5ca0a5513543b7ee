import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { IntlMessageFormat } from "intl-messageformat";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { openRegistry } from "./open-registry.js";
import { judgeSentence } from "./testing/judge-sentence.js";
import { EXAMPLE, REPOSITORY } from "./testing/registry-folder.js";

const { entries, locales } = openRegistry(EXAMPLE);
const active = [...entries.values()].filter(({ lifecycle }) => lifecycle === "active");
const verticals = [...new Set(active.map(({ owner }) => owner))];

function sentencesOf(owner: string): { tag: string; id: string; sentence: string }[] {
  return active
    .filter((entry) => entry.owner === owner)
    .flatMap(({ id, default_render_key: key }) =>
      [...locales].map(([tag, { messages }]) => {
        const format = new IntlMessageFormat(messages.get(key) ?? "", tag);
        return { tag, id, sentence: String(format.format({ count: 3, points: 1 })) };
      }),
    );
}

describe("what users read while they wait", () => {
  test.each(verticals)("is a plain sentence of their language, for every id of %s [W-TST-5]", (owner) => {
    const judged = sentencesOf(owner);
    expect(judged.length).toBeGreaterThan(0);
    for (const { tag, id, sentence } of judged)
      expect(judgeSentence(tag, sentence, entries.keys()), `${id} in ${tag}: ${sentence}`).toEqual([]);
  });

  test("has one voice in each language: the same end, and no two ids that say the same [W-TST-5]", () => {
    const all = verticals.flatMap(sentencesOf);
    expect(all).toHaveLength(active.length * locales.size);
    for (const tag of locales.keys()) {
      const said = all.filter((one) => one.tag === tag).map(({ sentence }) => sentence);
      expect(new Set(said).size, tag).toBe(said.length);
      for (const sentence of said) expect(sentence).toMatch(/…$/);
    }
  });
});

test("what users read when something failed admits it in words, and names no code [W-TST-5] [W-FR-8]", () => {
  const folder = join(REPOSITORY, "examples/shop");
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) => (parse(readFileSync(join(folder, name), "utf8")) as { steps: { text?: string }[] }).steps)
    .flatMap(({ text = "" }) => text.split(/(?<=\.) /))
    .filter((text) => text !== "");
  for (const text of texts) expect(judgeSentence("en", text, entries.keys()), text).toEqual([]);
  expect(texts.filter((text) => /could not|not available/.test(text))).toHaveLength(2);
});

test("the rules find what they are for [W-TST-5]", () => {
  const plants: [tag: string, sentence: string, rule: string][] = [
    ["en", "", "is empty"],
    ["en", " Searching…", "is not trimmed"],
    ["en", "x".repeat(81), "is too long"],
    ["en", "Failed with CCS_ENVELOPE_ERROR…", "names a code"],
    ["en", "Failed with UPSTREAM_AWAY…", "names a code"],
    ["en", "Now searching_offers…", "names an id"],
    ["en", "Comparing {count} stores…", "has a placeholder left"],
    ["en", "検索しています…", "is not in its language"],
    ["ja", "Searching offers…", "is not in its language"],
    ["ar", "Searching offers…", "is not in its language"],
  ];
  for (const [tag, sentence, rule] of plants) expect(judgeSentence(tag, sentence)).toContain(rule);
});
