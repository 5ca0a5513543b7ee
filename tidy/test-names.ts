// What a test is called: a sentence about behaviour, with the ids of the rules it proves at its end.
//   N1. A test's name has at least three words; a group's name may be a topic.
//   N2. Nobody "should": the name says what is.
//   N3. Ids stand at the end, so that the sentence can be read without them.

import { CITATION } from "./citations.js";
import type { Finding } from "./finding.js";
import type { TestCall } from "./test-calls.js";
import { COMPUTED, testCallsOf } from "./test-calls.js";
import type { Tree } from "./tree.js";
import { isTest } from "./tree.js";

const WORDS_MIN = 3;
const WHOLLY_COMPUTED = /^(?:\{…\}|%[a-zA-Z]|\$[\w.]+)$/;

export function checkTestNames(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!isTest(file)) continue;
    const seen = new Set<string>();
    for (const call of testCallsOf(file, text)) {
      const says = judgeName(call) ?? judgeRepeat(call, seen);
      if (says !== undefined)
        findings.push({ file, line: call.line, rule: "test-names", says: `${says}: "${call.name}"` });
    }
  }
  return findings;
}

function judgeName({ kind, name }: TestCall): string | undefined {
  if (/\bshould(?:n't)?\b/i.test(name)) return 'say what happens, not what "should"';
  const sentence = name.replace(CITATION, "").trim();
  if (/[.!]$/.test(sentence)) return "a name has no full stop";
  // A group may be a topic, and a name that is computed whole can only be read when it runs.
  if (kind === "group" || WHOLLY_COMPUTED.test(sentence)) return undefined;
  if (sentence.split(/\s+/).length < WORDS_MIN) return "a test's name is a sentence";
  return isCitedAtEnd(name) ? undefined : "put the ids at the end";
}

function isCitedAtEnd(name: string): boolean {
  const first = name.search(CITATION);
  return first === -1 || name.slice(first).replace(CITATION, "").trim() === "";
}

function judgeRepeat({ kind, name }: TestCall, seen: Set<string>): string | undefined {
  if (kind === "group" || name.includes(COMPUTED)) return undefined;
  if (seen.has(name)) return "two tests of a file have one name";
  seen.add(name);
  return undefined;
}
