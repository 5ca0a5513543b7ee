// A link, or the name of a document in prose or in a comment, leads to a file of this repository.

import { posix } from "node:path";
import type { Finding } from "./finding.js";
import { EXAMPLES, lineAt } from "./speech.js";
import type { Comment } from "./syntax.js";
import { commentsOf, parse } from "./syntax.js";
import type { Tree } from "./tree.js";
import { isCode } from "./tree.js";

export function checkMentions(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    const isDocument = file.endsWith(".md");
    if ((!isDocument && !isCode(file)) || file === EXAMPLES) continue;
    const report = (index: number, says: string) =>
      findings.push({ file, line: lineAt(text, index), rule: "mentions", says });
    for (const { target, index } of isDocument ? linksOf(text) : [])
      if (!leadsSomewhere(tree, file, target)) report(index, `the link to ${target} leads nowhere`);
    // A link's target was judged above.
    const prose = { text: text.replace(/\]\([^)]*\)/g, blank), position: 0 };
    for (const { name, index } of documentsNamedIn(isDocument ? [prose] : commentsIfAny(file, text)))
      if (!isDocumentHere(tree, name)) report(index, `${name} is a document this repository does not have`);
  }
  return findings;
}

interface Link {
  readonly target: string;
  readonly index: number;
}

function linksOf(markdown: string): Link[] {
  const prose = markdown.replace(/^(```|~~~)[\s\S]*?^\1|`[^`\n]*`/gm, blank);
  const links: Link[] = [];
  for (const { 1: inline, 2: defined, index } of prose.matchAll(/\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm)) {
    const target = (inline ?? defined ?? "").replace(/#.*$/, "");
    if (target !== "" && !/^(?:[a-z]+:|\/\/)/.test(target)) links.push({ target, index });
  }
  return links;
}

// Blanked, not cut, so that positions stay right.
function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

function leadsSomewhere(tree: Tree, from: string, target: string): boolean {
  const path = posix.join(posix.dirname(from), target).replace(/\/$/, "");
  return path === "." || tree.has(path) || [...tree.keys()].some((other) => other.startsWith(`${path}/`));
}

// Parsing for comments is dear, and most files name no document.
function commentsIfAny(file: string, text: string): Comment[] {
  return text.includes(".md") ? commentsOf(parse(file, text)) : [];
}

function documentsNamedIn(parts: readonly Comment[]): { name: string; index: number }[] {
  return parts.flatMap(({ text, position }) =>
    [...text.matchAll(/(?<![\w/.:-])(?:[\w.-]+\/)*[\w.-]+\.md\b/g)].map(({ 0: name, index }) => ({
      name,
      index: position + index,
    })),
  );
}

function isDocumentHere(tree: Tree, name: string): boolean {
  const path = name.replace(/^(?:\.\.?\/)+/, "");
  return [...tree.keys()].some((other) => other === path || other.endsWith(`/${path}`));
}
