// The project speaks of itself alone: what is written here makes sense to somebody who has this repository and nothing
// else.
// Owns: what is not said. Does not own: whether links lead somewhere (mentions.ts).
//   T1. No path of one person's machine, no host of one organisation, no document that is not here.
//   T2. No word about how or by whom a text came to be; the history of the repository knows that.

import { createHash } from "node:crypto";
import type { Finding } from "./finding.js";
import type { Tree } from "./tree.js";
import { isCode } from "./tree.js";

interface Phrase {
  readonly pattern: RegExp;
  readonly says: string;
}

const PHRASES: readonly Phrase[] = [
  {
    pattern: /(?<![\w.:/-])\/(?:home|Users|root|work|workspaces?|tmp)\/[\w./-]+/g,
    says: "is a path of one machine",
  },
  { pattern: /(?<![\w./-])shared\/[\w.-]*/g, says: "is a folder this repository does not have" },
  { pattern: /\bseeds?[ _-]?0\d\d\b/gi, says: "is a document this repository does not have" },
  { pattern: /\bfailures [A-Z]\d+\b/g, says: "cites a list this repository does not have" },
  {
    pattern:
      /\b(?:the|this|our|my) (?:issue|brief|ticket|task|prompt) (?:asks|says|wants|demands|requires|tells|states)\b/gi,
    says: "is about the making of the text: say the reason itself",
  },
  {
    pattern:
      /\b(?:this|the|an?|another) (?:(?:earlier|previous|later|next|last|coding|working) )?session (?:wrote|builds?|built|adds?|added|did|will (?:write|add|build))\b/gi,
    says: "is about the making of the text: say the reason itself",
  },
  {
    pattern: /\b(?:registry\.(?:npmjs\.org|yarnpkg\.com|npmmirror\.com)|npm\.pkg\.github\.com|[\w-]+\.jfrog\.io)\b/gi,
    says: "is the host of a registry: whoever installs chooses it",
  },
];

// Internal names of systems the contract was first drawn up for. Only digests, because a list of words would say them.
// To add one: node -p 'require("crypto").createHash("sha256").update("the-word").digest("hex").slice(0, 16)'
const UNSAID: ReadonlySet<string> = new Set([
  "318bd1e3d0ca8b29",
  "3a4acb76858ff689",
  "499a30ecdcccbb19",
  "84a3ce04f929022a",
  "85e06d811ade71a3",
  "aa5f6c9e5ba99e7d",
  "ade7bdba79d88934",
  "c1461803f3159f60",
  "d2882518d60c0133",
  "ee372ae96b364590",
]);

const SPEAKS = /\.(?:md|json|ya?ml|sh|sql|proto|html|css)$|^\.ci\//;
const MADE_BY_TOOLS = /(?:^|\/)package-lock\.json$/;
/** Its planted examples are what the rules refuse. */
export const EXAMPLES = "tidy/speech.test.ts";

export function checkSpeech(tree: Tree, unsaid: ReadonlySet<string> = UNSAID): Finding[] {
  const findings: Finding[] = [];
  const judged = new Map<string, boolean>();
  for (const [file, text] of tree) {
    if (!(isCode(file) || SPEAKS.test(file)) || MADE_BY_TOOLS.test(file) || file === EXAMPLES) continue;
    const report = (index: number, says: string) =>
      findings.push({ file, line: lineAt(text, index), rule: "speech", says });
    for (const { pattern, says } of PHRASES)
      for (const match of text.matchAll(pattern)) report(match.index, `"${match[0]}" ${says}`);
    for (const { 0: word, index } of text.matchAll(/[A-Za-z][\w-]*/g)) {
      if (!judged.has(word)) judged.set(word, unsaid.has(digestWord(word)));
      if (judged.get(word)) report(index, `"${word}" is a name nobody can look up here`);
    }
  }
  return findings;
}

export function digestWord(word: string): string {
  return createHash("sha256").update(word.toLowerCase()).digest("hex").slice(0, 16);
}

/** A package from a private host would make a fresh clone depend on that host. */
export function checkLockfile(tree: Tree): Finding[] {
  const file = "package-lock.json";
  const text = tree.get(file) ?? "";
  return [...text.matchAll(/"resolved": "(https?:\/\/(?!registry\.npmjs\.org\/)[^"]*)"/g)].map(({ 1: url, index }) => ({
    file,
    line: lineAt(text, index),
    rule: "lockfile",
    says: `${url} is not the public registry`,
  }));
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
