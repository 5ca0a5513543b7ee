// Which of the available languages a reader gets: the best of what was wished for, in the order of the wish [W-GAP-4].
// Owns: reading a wish, a tag or an Accept-Language header. Does not own: which messages a language has.
//   L1. For each wish, best first: the tag itself, then the tag without its last part, down to the bare language.
//   L2. A sibling is no match: who asks for zh-TW is not served with zh-CN. What nobody can serve gets the default.
//   L3. A wish comes from outside: nonsense in it is passed over, never refused, and only so much of it is read.

import type { Registry } from "../registry/registry.js";
import { WANTED_LENGTH_MAX, WANTED_LOCALES_MAX } from "./limits.js";

/** One tag, an Accept-Language list, or tags with the best first. */
export type WantedLocale = string | readonly string[] | undefined;

/** A tag of `registry.locales`, or its default. */
export function chooseLocale(wanted: WantedLocale, registry: Pick<Registry, "locales" | "defaultLocale">): string {
  const available = new Map([...registry.locales.keys()].map((tag) => [normalize(tag), tag]));
  for (const wish of readWishes(wanted)) {
    if (wish === "*") break;
    for (let tag = wish; tag !== ""; tag = shorten(tag)) {
      const found = available.get(tag);
      if (found !== undefined) return found;
    }
  }
  return registry.defaultLocale;
}

/** The tag and what it falls back to among the available ones: itself, its language, the default; each once. */
export function fallbacksOf(locale: string, registry: Pick<Registry, "locales" | "defaultLocale">): string[] {
  const available = new Map([...registry.locales.keys()].map((tag) => [normalize(tag), tag]));
  const chain = new Set<string>([locale]);
  for (let tag = normalize(locale); tag !== ""; tag = shorten(tag)) {
    const found = available.get(tag);
    if (found !== undefined) chain.add(found);
  }
  return [...chain.add(registry.defaultLocale)];
}

export function languageOf(tag: string): string {
  return normalize(tag).split("-", 1)[0] as string;
}

function readWishes(wanted: WantedLocale): string[] {
  const text = typeof wanted === "string" ? wanted : (wanted ?? []).join(",");
  const wishes = text.slice(0, WANTED_LENGTH_MAX).split(",", WANTED_LOCALES_MAX).map(readWish);
  // The sort is stable: equal weights stay in the order they were written.
  return wishes
    .filter(({ tag, weight }) => tag !== "" && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}

function readWish(range: string): { tag: string; weight: number } {
  const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
  const quality = parameters.find((parameter) => /^q=/i.test(parameter));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { tag: normalize(tag), weight: weight <= 1 ? weight : 0 };
}

function normalize(tag: string): string {
  return tag.replaceAll("_", "-").toLowerCase();
}

function shorten(tag: string): string {
  return tag.slice(0, Math.max(0, tag.lastIndexOf("-")));
}
