// Rules about a file as a whole: its name, its length, its header.
//   F1. Names say what is inside: kebab-case, and none of the names that say nothing.
//   F2. A file is never longer than LINES_MAX; above LINES_EXPLAINED its header is long enough to say why.
//   F3. Every source starts with a comment that says what it is.

import type { Finding } from "./finding.js";
import type { Tree } from "./tree.js";
import { isCode, isTest } from "./tree.js";

const LINES_MAX = 500;
const LINES_EXPLAINED = 300;
const EXPLANATION_LINES_MIN = 3;

const SAYS_NOTHING = /^(?:utils?|helpers?|common|shared|misc|types)$/;
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function checkFiles(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!isCode(file)) continue;
    const report = (rule: string, says: string, line = 1) => findings.push({ file, line, rule, says });
    for (const name of namesIn(file)) {
      if (SAYS_NOTHING.test(name)) report("names", `"${name}" says nothing: name it for what it does`);
      if (!KEBAB.test(name)) report("names", `"${name}" is not kebab-case`);
    }
    const lines = text.trimEnd().split("\n").length;
    const header = countHeaderLines(text);
    if (lines > LINES_MAX) report("length", `${lines} lines, over ${LINES_MAX}: split it by idea`, LINES_MAX + 1);
    else if (lines > LINES_EXPLAINED && header < EXPLANATION_LINES_MIN)
      report("length", `${lines} lines, over ${LINES_EXPLAINED}: its header must say why it is one file, or split it`);
    if (header === 0 && !isTest(file)) report("header", "starts without a comment that says what it is and owns");
  }
  return findings;
}

/** The folders of a path and its file, without what only says how it is used (`.test.ts`, `.config.js`, `.d.ts`). */
function namesIn(path: string): string[] {
  const folders = path.split("/");
  const file = folders.pop() ?? "";
  return [
    ...folders.map((name) => name.replace(/^\./, "")),
    file.replace(/(?:\.(?:test|long|config|d))*\.[a-z]+$/, ""),
  ];
}

/** Lines of the comment that the file starts with; a directive to a tool is not a header. */
function countHeaderLines(text: string): number {
  const body = text.replace(/^#![^\n]*\n/, "");
  const block = /^\/\*[\s\S]*?\*\//.exec(body)?.[0];
  const lines = (block ?? /^(?:\/\/[^\n]*(?:\n|$))*/.exec(body)?.[0] ?? "").trimEnd().split("\n");
  return lines.filter((line) => /[A-Za-z]{2}/.test(line) && !/^\/\/\/|^\/[/*]\s*(?:biome-|eslint-|@ts-)/.test(line))
    .length;
}
