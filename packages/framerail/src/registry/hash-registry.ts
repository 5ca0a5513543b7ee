// The digest of a registry: the same for the same meaning, whatever the order, the comments and the files it stands in;
// another as soon as an entry or a message changes [W-REG-14].

import { createHash } from "node:crypto";
import { compareText } from "./problem.js";
import type { Registry } from "./registry.js";

export function hashRegistry({ entries, locales, defaultLocale }: Omit<Registry, "hash">): string {
  const sorted = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => compareText(a, b));
  const meaning = {
    defaultLocale,
    // Field by field, because the order of the fields in a file means nothing.
    entries: sorted(entries).map(([id, entry]) => [
      id,
      entry.description,
      entry.default_render_key,
      entry.default_policy,
      [...entry.emitter_subagents].sort(compareText),
      // Which is also its lifecycle: an entry is deprecated where this stands, and nowhere else.
      entry.deprecation === undefined ? null : [entry.deprecation.since, entry.deprecation.note],
      entry.batch === undefined ? null : [entry.batch.group, entry.batch.window_ms ?? null],
      entry.owner,
    ]),
    locales: sorted(locales).map(([tag, { messages }]) => [tag, sorted(messages)]),
  };
  return createHash("sha256").update(JSON.stringify(meaning)).digest("hex");
}
