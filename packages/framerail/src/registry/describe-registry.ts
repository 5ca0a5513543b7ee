// The registry for people: its entries as rows, and who reviews which file [W-REG-9].

import type { LoadedRegistry } from "./load-registry.js";
import { compareText } from "./problem.js";
import type { Registry, StatusEntry } from "./registry.js";

export interface EntryRow {
  readonly id: string;
  readonly policy: string;
  readonly emitters: readonly string[];
  readonly owner: string;
  readonly lifecycle: string;
  readonly file: string;
}

/** One row for each entry, by id. */
export function describeEntries({ registry }: LoadedRegistry): EntryRow[] {
  return [...registry.entries.values()]
    .map(({ id, default_policy, emitter_subagents, owner, lifecycle, file }) => ({
      id,
      policy: default_policy,
      emitters: emitter_subagents,
      owner,
      lifecycle,
      file,
    }))
    .sort((a, b) => compareText(a.id, b.id));
}

/** The vocabulary as a server tells it. */
export function describeCatalogue(registry: Registry): object {
  const { hash, defaultLocale, locales } = registry;
  const ids = [...registry.entries.keys()].sort(compareText);
  const entries = ids.map((id) => registry.entries.get(id) as StatusEntry);
  return {
    hash,
    default_locale: defaultLocale,
    locales: [...locales.keys()],
    events: entries.map(({ id, description, default_policy, emitter_subagents, lifecycle }) => ({
      id,
      description,
      policy: default_policy,
      emitters: emitter_subagents,
      lifecycle,
    })),
  };
}

export interface OwnersOptions {
  /** The registry's folder from the repository's root, with `/` and without one at its ends; "" is the root. */
  readonly folder: string;
  /** The organisation of owners that are bare team names. */
  readonly org: string;
}

/** A template for CODEOWNERS. The last matching line wins there, so what is special stands below what is general. */
export function generateCodeowners({ fragments }: LoadedRegistry, { folder, org }: OwnersOptions): string {
  const base = folder === "" ? "/" : `/${folder.replaceAll(" ", "\\ ")}/`;
  const platform = fragments.find(({ file }) => file.startsWith("platform/"))?.owner ?? "platform";
  const rows = fragments.map(({ file, owner }) => [base + file, owner] as const);
  return [
    "# Who reviews the status registry: the platform its schema, its locales and what all verticals use,",
    "# each vertical its own fragment.",
    ...[[base, platform] as const, ...rows].map(([path, owner]) => `${path} ${handleOf(owner, org)}`),
    "",
  ].join("\n");
}

/** A handle and a mail address stay as they are. */
function handleOf(owner: string, org: string): string {
  return owner.includes("@") ? owner : `@${org}/${owner}`;
}
