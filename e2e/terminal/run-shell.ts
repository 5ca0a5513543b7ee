// Runs a line of the shell to its end, with pipes where a person would have a terminal.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export interface ShellOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export interface ShellEnd {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

const ROOT = join(import.meta.dirname, "../..");

export async function runShell(line: string, { env = {}, input = "" }: ShellOptions = {}): Promise<ShellEnd> {
  const child = spawn("bash", ["-o", "pipefail", "-c", line], { cwd: ROOT, env: { ...process.env, ...env } });
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { out, err, code: code as number };
}

/** Words as the shell takes them, each for itself. */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(" ");
}
