// The effective status catalogue: what the fragments and locale files say, merged and checked. The one source of truth
// for wire, store and documentation [W-FR-11].
// Owns: the shape. Does not own: reading files (load-registry.ts), judging them (check-registry.ts), wording (policy/).

export const POLICIES = ["forward", "transform", "suppress", "batch"] as const;
export type PolicyName = (typeof POLICIES)[number];

export interface StatusEntry {
  readonly id: string;
  readonly description: string;
  /** Key in the locale files, such as `status.searching_offers`. */
  readonly default_render_key: string;
  readonly default_policy: PolicyName;
  /** The agents and sub-agents that may write it. */
  readonly emitter_subagents: readonly string[];
  readonly lifecycle: "active" | "deprecated";
  /** Of a deprecated entry: since which day, and what its emitters write instead [W-REG-6]. */
  readonly deprecation?: { readonly since: string; readonly note: string };
  /** With policy `batch`: entries of one group that fall into one window become one sentence. */
  readonly batch?: { readonly group: string; readonly window_ms?: number };
  /** Who reviews changes: the fragment's owner. */
  readonly owner: string;
  /** Where it stands, relative to the registry's folder. */
  readonly file: string;
  readonly line: number;
}

/** Messages of one language by flat key, in ICU syntax. */
export interface Locale {
  readonly tag: string;
  readonly messages: ReadonlyMap<string, string>;
}

export interface Registry {
  readonly entries: ReadonlyMap<string, StatusEntry>;
  readonly locales: ReadonlyMap<string, Locale>;
  readonly defaultLocale: string;
  /** Changes when any entry or message changes; part of an agent's manifest [W-REG-14]. */
  readonly hash: string;
}

/** For authors: since when an entry is deprecated, and what to write instead. */
export function sayDeprecated({ deprecation }: StatusEntry): string {
  return deprecation === undefined ? "deprecated" : `deprecated since ${deprecation.since}: ${deprecation.note}`;
}

export const EMPTY_REGISTRY: Registry = { entries: new Map(), locales: new Map(), defaultLocale: "en", hash: "" };
