import { readFileSync } from "node:fs";
import { join } from "node:path";
import { IntlMessageFormat } from "intl-messageformat";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { describeEntries, generateCodeowners } from "./describe-registry.js";
import { loadRegistry } from "./load-registry.js";
import { openRegistry } from "./open-registry.js";
import { EXAMPLE, entryText, soundFiles, writeFolder } from "./testing/registry-folder.js";

test("every entry is a row with its policy, emitters, owner, lifecycle and file [W-REG-9]", () => {
  const rows = describeEntries(loadRegistry(EXAMPLE));
  expect(rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).sort());
  expect(rows).toContainEqual({
    id: "looking_up_purchase_history",
    policy: "transform",
    emitters: ["shop", "rewards"],
    owner: "platform",
    lifecycle: "active",
    file: "platform/status_events.yaml",
  });
});

test("CODEOWNERS gives each fragment to its owner and the rest to the platform [W-REG-9]", () => {
  const files = {
    ...soundFiles({ platform: ["a"], "verticals/shop": ["b"] }),
    "verticals/rewards/status_events.yaml": `owner: "@acme/points"\nevents:\n${entryText("c")}`,
    "verticals/travel/status_events.yaml": "owner: travel@example.org\nevents: []\n",
  };
  const loaded = loadRegistry(writeFolder(files));
  const rulesOf = (folder: string) =>
    generateCodeowners(loaded, { folder, org: "acme" })
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
  expect(rulesOf("config/status")).toEqual([
    "/config/status/ @acme/platform",
    "/config/status/platform/status_events.yaml @acme/platform",
    "/config/status/verticals/rewards/status_events.yaml @acme/points",
    "/config/status/verticals/shop/status_events.yaml @acme/shop",
    "/config/status/verticals/travel/status_events.yaml travel@example.org",
  ]);
  expect(rulesOf("")[0]).toBe("/ @acme/platform");
  expect(rulesOf("my config")[0]).toBe("/my\\ config/ @acme/platform");
});

test("every active id of the example has a rendering in every locale, and it is what a user reads [W-REG-15]", () => {
  type Rendering = { readonly values?: Record<string, number>; readonly sentences: Readonly<Record<string, string>> };
  const expected = parse(readFileSync(join(EXAMPLE, "renderings.yaml"), "utf8")) as Readonly<Record<string, Rendering>>;
  const { entries, locales } = openRegistry(EXAMPLE);
  expect([...locales.keys()].sort()).toEqual(["ar", "de", "en", "es", "ja"]);
  const rendered: Record<string, Rendering["sentences"]> = {};
  for (const { id, lifecycle, default_render_key: key } of entries.values()) {
    if (lifecycle !== "active") continue;
    const say = (tag: string, text = "") => String(new IntlMessageFormat(text, tag).format(expected[id]?.values));
    rendered[id] = Object.fromEntries([...locales].map(([tag, { messages }]) => [tag, say(tag, messages.get(key))]));
  }
  expect(rendered).toEqual(Object.fromEntries(Object.entries(expected).map(([id, { sentences }]) => [id, sentences])));
});

test("the locales of the example hold the same keys", () => {
  const { locales } = openRegistry(EXAMPLE);
  const keys = [...locales.values()].map(({ messages }) => [...messages.keys()].sort());
  for (const own of keys) expect(own).toEqual(keys[0]);
});
