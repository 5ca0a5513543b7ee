// Judges a loaded registry as a whole: what continuous integration runs and what a program refuses to start on.
// Owns: the rules between entries and locales. Does not own: the shape of files (load-registry.ts), who emits what
// (judge-emissions.ts).
//   C1. Every entry has its sentence in the default locale, so a fallback always ends at one [W-GAP-4].
//   C2. Every active entry has a sentence that renders in every locale [W-REG-5, W-REG-15].
//   C3. Warnings never fail a check [W-NFR-3].
//   C4. An id that policy refuses is an error here: policies are made with the first turns, long after the start [W-POL-6].
//   C5. No entry's key is another one's with `_part`: inside a joined sentence the one would speak for the other.

import { isEventType, isFrameType } from "@framerail/protocol";
import { readMessage } from "./check-message.js";
import { IDS_SOFT_MAX } from "./limits.js";
import type { LoadedRegistry } from "./load-registry.js";
import { BATCH_SENTENCE_KEY, ownValuesOf, PART_SUFFIX, withoutPart } from "./message-keys.js";
import type { Problem, Report } from "./problem.js";
import { quote, sortProblems } from "./problem.js";
import type { LocaleFile } from "./read-locale.js";
import type { StatusEntry } from "./registry.js";
import { sayDeprecated } from "./registry.js";

export interface RegistryCheck {
  readonly ok: boolean;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export function checkRegistry(loaded: LoadedRegistry): RegistryCheck {
  const errors: Problem[] = [...loaded.problems];
  const warnings: Problem[] = [];
  const addError: Report = (problem) => errors.push(problem);
  const addWarning: Report = (problem) => warnings.push(problem);
  checkEntries(loaded, addError);
  checkLocales(loaded, addError);
  warnOfGrowth(loaded, addWarning);
  warnOfEntries(loaded, addWarning);
  // While a fragment cannot be read, its keys would all look unused.
  if (loaded.problems.length === 0) warnOfUnusedKeys(loaded, addWarning);
  return { ok: errors.length === 0, errors: sortProblems(errors), warnings: sortProblems(warnings) };
}

function checkEntries({ registry, localeFiles, problems }: LoadedRegistry, report: Report): void {
  const defaultFile = `locales/${registry.defaultLocale}.yaml`;
  const ids = idsByKey(registry);
  const isBroken = problems.some(({ file }) => file === defaultFile);
  if (!registry.locales.has(registry.defaultLocale) && !isBroken)
    report({ file: defaultFile, line: 1, id: null, rule: "default-locale", message: "is missing: it is the default" });
  for (const entry of registry.entries.values()) {
    for (const { file, tag, messages } of localeFiles) {
      const isNeeded = entry.lifecycle === "active" || tag === registry.defaultLocale;
      if (isNeeded && !messages.has(entry.default_render_key))
        report(at(entry, "missing-key", `${quote(entry.default_render_key)} is missing in ${file}`));
    }
    // C4
    if (isEventType(entry.id) || isFrameType(entry.id))
      report(at(entry, "reserved-id", "is the name of an event or a frame"));
    const whole = wholeOf(entry.default_render_key, ids);
    if (whole !== undefined) {
      const says = `is what ${whole} says inside a joined sentence: give it another key`;
      report(at(entry, "part-key", `${quote(entry.default_render_key)} ${says}`));
    }
    if (entry.default_policy === "batch" && entry.batch === undefined)
      report(at(entry, "batch-group", "policy batch needs `batch: {group: …}`"));
  }
}

function checkLocales({ registry, localeFiles }: LoadedRegistry, report: Report): void {
  const ids = idsByKey(registry);
  const idOf = (key: string) => ids.get(key) ?? ids.get(withoutPart(key)) ?? null;
  const defaultNames = readNames(localeFiles.find(({ tag }) => tag === registry.defaultLocale));
  for (const { file, tag, messages, lines } of localeFiles) {
    const wrongTag = judgeTag(tag);
    if (wrongTag !== undefined) {
      report({ file, line: 1, id: null, rule: "locale-tag", message: wrongTag });
      continue;
    }
    for (const [key, message] of messages) {
      const fail = (rule: string, says: string) =>
        report({ file, line: lines.get(key) ?? 1, id: idOf(key), rule, message: `${quote(key)} ${says}` });
      const reading = readMessage(tag, message);
      if (reading.kind === "broken") {
        fail(reading.broken.rule, reading.broken.message);
        continue;
      }
      // What the default sentence does not ask for, nobody who writes the status knows of.
      const asked = defaultNames.get(ids.has(key) ? key : withoutPart(key));
      const known = ownValuesOf(key) ?? asked ?? reading.names;
      const strange = [...reading.names].filter((name) => !known.has(name));
      if (strange.length > 0) fail("message-values", `asks for ${strange.join(", ")}, which it is never given`);
      if (key === BATCH_SENTENCE_KEY && reading.names.size === 0) fail("message-values", "must show {parts}");
    }
  }
}

function idsByKey({ entries }: LoadedRegistry["registry"]): ReadonlyMap<string, string> {
  return new Map([...entries.values()].map(({ id, default_render_key: key }) => [key, id]));
}

/** C5. The id whose sentence has this key for its part. */
function wholeOf(key: string, ids: ReadonlyMap<string, string>): string | undefined {
  return key.endsWith(PART_SUFFIX) ? ids.get(withoutPart(key)) : undefined;
}

/** The values each sentence of the default locale asks for; broken ones are reported elsewhere. */
function readNames(locale: LocaleFile | undefined): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, ReadonlySet<string>>();
  if (locale === undefined || judgeTag(locale.tag) !== undefined) return names;
  for (const [key, message] of locale.messages) {
    const reading = readMessage(locale.tag, message);
    if (reading.kind === "good") names.set(key, reading.names);
  }
  return names;
}

function judgeTag(tag: string): string | undefined {
  try {
    const [canonical] = Intl.getCanonicalLocales(tag);
    if (canonical !== tag) return `${quote(tag)} is written ${quote(canonical)}`;
    return Intl.PluralRules.supportedLocalesOf(tag).length > 0 ? undefined : `${quote(tag)} is not known to Intl`;
  } catch {
    return `${quote(tag)} is not a language tag`;
  }
}

function warnOfGrowth({ registry, fragments }: LoadedRegistry, report: Report): void {
  const count = registry.entries.size;
  if (count <= IDS_SOFT_MAX) return;
  const counts = fragments.map(({ file, entries }) => `${file} ${entries.length}`).join(", ");
  const message = `${count} ids, over ${IDS_SOFT_MAX}: group them or retire some (${counts})`;
  report({ file: ".", line: 1, id: null, rule: "many-ids", message });
}

function warnOfEntries({ registry, fragments }: LoadedRegistry, report: Report): void {
  const verticals = new Set(fragments.map(({ file }) => verticalOf(file)));
  for (const entry of registry.entries.values()) {
    if (entry.lifecycle === "deprecated") report(at(entry, "deprecated", `is ${sayDeprecated(entry)}`));
    const vertical = verticalOf(entry.file);
    const others = entry.emitter_subagents.filter((name) => name !== vertical && verticals.has(name));
    if (vertical !== undefined && others.length > 0)
      report(at(entry, "cross-vertical", `is written by ${others.join(", ")} too: it belongs to platform/`));
  }
}

function warnOfUnusedKeys({ registry, localeFiles }: LoadedRegistry, report: Report): void {
  const used = new Set([...registry.entries.values()].map((entry) => entry.default_render_key));
  for (const { file, lines } of localeFiles)
    for (const [key, line] of lines)
      if (ownValuesOf(key) === undefined && !used.has(key) && !used.has(withoutPart(key)))
        report({ file, line, id: null, rule: "unused-key", message: `no entry uses ${quote(key)}` });
}

function verticalOf(file: string): string | undefined {
  return /^verticals\/([^/]+)\//.exec(file)?.[1];
}

function at({ file, line, id }: StatusEntry, rule: string, message: string): Problem {
  return { file, line, id, rule, message };
}
