import { expect, test } from "vitest";
import { loadRegistry } from "./load-registry.js";
import { entryText, localeText, writeFolder } from "./testing/registry-folder.js";

const FRAGMENT = "platform/status_events.yaml";
const LOCALE = "locales/en.yaml";

function hashOf(fragment: string, locale = localeText(["a", "b"]), file = FRAGMENT): string {
  return loadRegistry(writeFolder({ [file]: `owner: x\nevents:\n${fragment}`, [LOCALE]: locale })).registry.hash;
}

const ENTRIES = entryText("a", { emitter_subagents: "[shop, rewards]" }) + entryText("b");

test("the digest changes with every field of an entry and every message [W-REG-14]", () => {
  const hashes = [
    hashOf(ENTRIES),
    hashOf(entryText("a")),
    // What each of the changes below is a change of.
    hashOf(entryText("a") + entryText("b")),
    ...[
      ["description", "Other words"],
      ["default_render_key", "status.other"],
      ["default_policy", "suppress"],
      ["emitter_subagents", "[rewards]"],
      ["lifecycle", 'deprecated\n  deprecation: { since: 2026-05-15, note: "with a reason" }'],
      ["lifecycle", 'deprecated\n  deprecation: { since: 2026-05-16, note: "with a reason" }'],
      ["lifecycle", 'deprecated\n  deprecation: { since: 2026-05-15, note: "with another" }'],
      ["batch", "{ group: g }"],
      ["batch", "{ group: h }"],
      ["batch", "{ group: h, window_ms: 5 }"],
    ].map(([name = "", value]) => hashOf(entryText("a", { [name]: value }) + entryText("b"))),
    hashOf(
      ENTRIES,
      localeText(["a", "b"], (id) => `Now ${id}`),
    ),
    hashOf(ENTRIES, localeText(["a", "b", "c"])),
    loadRegistry(writeFolder({ [FRAGMENT]: `owner: y\nevents:\n${ENTRIES}`, [LOCALE]: localeText(["a", "b"]) }))
      .registry.hash,
    loadRegistry(writeFolder({ [FRAGMENT]: `owner: x\nevents:\n${ENTRIES}`, [LOCALE]: localeText(["a", "b"]) }), {
      defaultLocale: "de",
    }).registry.hash,
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

test("the digest stays when only order, comments or files change [W-REG-14]", () => {
  const turned = entryText("b") + entryText("a", { emitter_subagents: "[rewards, shop]" });
  expect(hashOf(`# A comment.\n${turned}`, localeText(["b", "a"]))).toBe(hashOf(ENTRIES));
  expect(hashOf(ENTRIES, localeText(["a", "b"]), "verticals/shop/status_events.yaml")).toBe(hashOf(ENTRIES));
});
