// What is wrong with a registry, and where: what the loader, the checker and the command line all speak.
// Owns: the shape of a problem, how values are quoted in one, and the order of a list. Does not own: any rule, what a
// terminal is kept from (cli/terminal).

export interface Problem {
  /** Relative to the registry's folder, with `/`. */
  readonly file: string;
  /** From 1. A problem of a file as a whole stands at its first line. */
  readonly line: number;
  /** The status id it is about, where there is one. */
  readonly id: string | null;
  readonly rule: string;
  readonly message: string;
}

export type Report = (problem: Problem) => void;

const QUOTED_LENGTH_MAX = 80;

/** A value from a file, as a message may show it: short, and with nothing in it that a terminal would obey. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > QUOTED_LENGTH_MAX ? `${text.slice(0, QUOTED_LENGTH_MAX)}…` : text;
}

/** What somebody else wrote, as a part of one line of ours: a line break in it would begin a line that we never said. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}

/** By file, line and rule, whatever order they were found in. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => compareText(a.file, b.file) || a.line - b.line || compareText(a.rule, b.rule));
}

/** By code unit, so that the order is the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
