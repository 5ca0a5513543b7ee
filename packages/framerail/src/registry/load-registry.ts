// Reads a registry's folder and merges its fragments and locales into one catalogue [W-REG-1].
// Owns: which files there are, the merge, collisions. Does not own: the inside of a file (read-fragment.ts,
// read-locale.ts), whether the whole makes sense (check-registry.ts).
//   L1. Nothing throws for what stands in the folder: every problem is listed, and what could be read is there.
//   L2. Files are taken in the order of their names, so that two machines list the same problems.
//   L3. An id is taken once. The second one is refused with both places [W-REG-2].
//   L4. A link that leads nowhere is named, wherever it stands: a registry that lacks a part must not look whole.

import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hashRegistry } from "./hash-registry.js";
import { FILES_MAX } from "./limits.js";
import type { Problem, Report } from "./problem.js";
import { compareText, quote } from "./problem.js";
import type { Fragment } from "./read-fragment.js";
import { readFragment } from "./read-fragment.js";
import type { LocaleFile } from "./read-locale.js";
import { readLocale } from "./read-locale.js";
import { codeOf, readYaml } from "./read-yaml.js";
import type { Registry, StatusEntry } from "./registry.js";

export const DEFAULT_LOCALE = "en";

const FRAGMENT = "status_events.yaml";
const MISNAMED_FRAGMENT = "status_events.yml";
const VERTICAL_NAME = /^[A-Za-z0-9][\w-]*$/;

export interface LoadOptions {
  /** Where a reader whose language is missing ends up. */
  readonly defaultLocale?: string;
}

export interface LoadedRegistry {
  readonly registry: Registry;
  readonly problems: readonly Problem[];
  readonly fragments: readonly Fragment[];
  /** The locales with the line of every message. */
  readonly localeFiles: readonly LocaleFile[];
}

export function loadRegistry(dir: string, options: LoadOptions = {}): LoadedRegistry {
  const problems: Problem[] = [];
  const report: Report = (problem) => problems.push(problem);
  const fragments: Fragment[] = [];
  for (const { file, owner } of listFragments(dir, report)) {
    const yaml = readYaml(dir, file, report);
    if (yaml !== undefined) fragments.push(readFragment(yaml, owner, report));
  }
  const localeFiles: LocaleFile[] = [];
  for (const { file, tag } of listLocales(dir, report)) {
    const yaml = readYaml(dir, file, report);
    if (yaml !== undefined) localeFiles.push(readLocale(yaml, tag, report));
  }
  const parts = {
    entries: mergeFragments(fragments, report),
    locales: new Map(localeFiles.map(({ tag, messages }) => [tag, { tag, messages }])),
    defaultLocale: options.defaultLocale ?? DEFAULT_LOCALE,
  };
  return { registry: { ...parts, hash: hashRegistry(parts) }, problems, fragments, localeFiles };
}

function mergeFragments(fragments: readonly Fragment[], report: Report): ReadonlyMap<string, StatusEntry> {
  const places = new Map<string, string>();
  const entries = new Map<string, StatusEntry>();
  for (const fragment of fragments) {
    for (const { id, line } of fragment.ids) {
      const first = places.get(id);
      if (first === undefined) places.set(id, `${fragment.file}:${line}`);
      else {
        const message = `${quote(id)} is in ${first} and again in ${fragment.file}:${line}`;
        report({ file: fragment.file, line, id, rule: "duplicate-id", message });
      }
    }
    for (const entry of fragment.entries) if (!entries.has(entry.id)) entries.set(entry.id, entry);
  }
  return entries;
}

function listFragments(dir: string, report: Report): { file: string; owner: string }[] {
  const found: { file: string; owner: string }[] = [];
  const look = (folder: string, owner: string) => {
    const file = `${folder}/${FRAGMENT}`;
    if (exists(join(dir, file))) found.push({ file, owner });
    if (exists(join(dir, folder, MISNAMED_FRAGMENT)))
      report(misnamed(`${folder}/${MISNAMED_FRAGMENT}`, `is not read: a fragment's name is ${FRAGMENT}`));
  };
  // L4
  const leadsNowhere = (folder: string): boolean => {
    const isDangling = isDanglingLink(join(dir, folder));
    if (isDangling) report({ file: folder, line: 1, id: null, rule: "unreadable", message: "cannot be read (ENOENT)" });
    return isDangling;
  };
  if (!leadsNowhere("platform")) look("platform", "platform");
  for (const name of listNames(dir, "verticals", report)) {
    if (leadsNowhere(`verticals/${name}`) || !isFolder(join(dir, "verticals", name))) continue;
    if (VERTICAL_NAME.test(name)) look(`verticals/${name}`, name);
    else report(misnamed(`verticals/${name}`, "is not read: a vertical's name is letters, digits, _ and -"));
  }
  // A mistyped folder must not look like a registry without problems.
  if (found.length === 0)
    report({ file: ".", line: 1, id: null, rule: "folder", message: `has no fragment: no platform/${FRAGMENT}` });
  return found;
}

function listLocales(dir: string, report: Report): { file: string; tag: string }[] {
  const found: { file: string; tag: string }[] = [];
  for (const name of listNames(dir, "locales", report)) {
    const file = `locales/${name}`;
    if (name.endsWith(".yaml")) found.push({ file, tag: name.slice(0, -".yaml".length) });
    else if (name.endsWith(".yml")) report(misnamed(file, "is not read: a locale file ends in .yaml"));
  }
  return found;
}

/** The names in a folder, sorted; none when it is not there. Hidden ones are not ours. */
function listNames(dir: string, folder: string, report: Report): string[] {
  const fail = (rule: string, message: string) => report({ file: folder, line: 1, id: null, rule, message });
  try {
    const names = readdirSync(join(dir, folder)).filter((name) => !name.startsWith("."));
    if (names.length > FILES_MAX)
      fail("file-count", `has ${names.length} files, over ${FILES_MAX}; the rest is left out`);
    return names.sort(compareText).slice(0, FILES_MAX);
  } catch (error) {
    if (exists(join(dir, folder))) fail("unreadable", `cannot be read (${codeOf(error)})`);
    return [];
  }
}

function misnamed(file: string, message: string): Problem {
  return { file, line: 1, id: null, rule: "file-name", message };
}

/** A link that leads nowhere is there too: reading it says so. What cannot be looked at is left to the reading as well. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function isDanglingLink(path: string): boolean {
  try {
    return exists(path) && statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Follows links: mounted configuration is often made of them. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return true;
  }
}
