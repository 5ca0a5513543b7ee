// One broken rule, and how a test says so.

import { expect } from "vitest";

export interface Finding {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly rule: string;
  /** What is wrong and what to do about it. */
  readonly says: string;
}

export function formatFinding({ file, line, rule, says }: Finding): string {
  return `${file}:${line} [${rule}] ${says}`;
}

/** Fails with one line per finding, each of which names its file, line and rule. */
export function expectNone(findings: readonly Finding[]): void {
  if (findings.length > 0) expect.fail(`${findings.length} broken\n${findings.map(formatFinding).join("\n")}`);
}

/** The findings a planted tree gives, short enough to compare: `file:line rule`. */
export function summarize(findings: readonly Finding[]): string[] {
  return findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}
