// Ids of requirements, guarantees and decisions, cited in square brackets: `[W-FR-9a]`, `[E-5, E-6]`, `[L-21 … L-25]`.
// Owns: how a citation is written, which ids it means, which are known. Does not own: what an id stands for.
//   Q1. Every id cited in code, tests or documents is known.
//   Q2. Every row the contract claims is cited in the name of a test.

import type { Finding } from "./finding.js";
import { COMPUTED, stringsOf, testCallsOf } from "./test-calls.js";
import type { Tree } from "./tree.js";
import { isCode, isTest } from "./tree.js";

const ID = String.raw`(?:[A-Z]+(?:-(?:[A-Z]+|\d+(?:\.\d+)*))*-\d+[a-z]?|C-[A-D]|G\d{1,2})`;
const LIST = String.raw`${ID}(?:(?:,\s*|\s*…\s*|\s+and\s+)${ID})*`;

/** A whole citation; its first group is what stands between the brackets. A link's text is none. */
export const CITATION = new RegExp(String.raw`\[(${LIST})\](?!\()`, "g");
/** Brackets that start with an id and go on with something that cannot be read as one. */
const MALFORMED = new RegExp(String.raw`\[(?!${LIST}\])${ID}[\s,;][^\]\n]*\](?!\()`, "g");
const BARE_LIST = new RegExp(`^${LIST}$`);

const CAN_CITE = /\.(?:md|ya?ml|sql|proto)$/;

export function checkCitations(tree: Tree, known: ReadonlySet<string>): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!isCode(file) && !CAN_CITE.test(file)) continue;
    const report = (index: number, says: string) =>
      findings.push({ file, line: text.slice(0, index).split("\n").length, rule: "citations", says });
    for (const { 0: written, index } of text.matchAll(MALFORMED))
      report(index, `${written} cannot be read: write [E-5, E-6] or [L-21 … L-25]`);
    for (const { 1: list = "", index } of text.matchAll(CITATION))
      for (const id of readIds(list))
        if (!known.has(id)) report(index, `[${id}] is not known (tidy/requirement-ids.json)`);
  }
  return findings;
}

/** The ids of a list; a range stands for all between its ends. */
export function readIds(list: string): string[] {
  const ids: string[] = [];
  for (const part of list.split(/,\s*|\s+and\s+/)) {
    const [first = "", last] = part.split(/\s*…\s*/);
    const stem = first.replace(/\d+[a-z]?$/, "");
    const from = Number.parseInt(first.slice(stem.length), 10);
    const to = Number.parseInt(last?.slice(stem.length) ?? "", 10);
    if (last === undefined) ids.push(first);
    else if (!last.startsWith(stem) || !(to > from)) ids.push(part);
    else for (let number = from; number <= to; number += 1) ids.push(`${stem}${number}`);
  }
  return ids;
}

/** The ids that the names of tests cite. */
export function citedByTests(tree: Tree): Set<string> {
  const cited = new Set<string>();
  for (const [path, text] of tree) {
    if (!isTest(path)) continue;
    for (const name of namesOf(path, text))
      for (const { 1: list = "" } of name.matchAll(CITATION)) for (const id of readIds(list)) cited.add(id);
  }
  return cited;
}

// A computed name is put together from strings of its file: whole names in a table, or, where the name has brackets
// around the computed part, bare ids.
function namesOf(path: string, text: string): string[] {
  const calls = testCallsOf(path, text);
  const names = calls.map(({ name }) => name);
  if (calls.every(({ isLiteral }) => isLiteral)) return names;
  const strings = stringsOf(path, text);
  const bare = names.some((name) => name.includes(`[${COMPUTED}`)) ? strings.filter((one) => BARE_LIST.test(one)) : [];
  return [...names, ...strings, ...bare.map((list) => `[${list}]`)];
}

export function findUncited(tree: Tree, rows: readonly string[]): string[] {
  const cited = citedByTests(tree);
  return rows.filter((row) => !cited.has(row));
}
