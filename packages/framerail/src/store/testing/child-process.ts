// Runs a file of these sources as a process of its own, which a test may kill.

import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));

export type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface ChildOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** A command that runs the child's own. */
  readonly prefix?: readonly string[];
}

export function startChild(file: URL, args: readonly string[], { env, prefix = [] }: ChildOptions = {}): Child {
  const [program = "", ...rest] = [...prefix, process.execPath, "--import", "tsx", fileURLToPath(file), ...args];
  return spawn(program, rest, {
    cwd: ROOT,
    env: { ...process.env, TSX_TSCONFIG_PATH: `${ROOT}tsconfig.check.json`, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

export async function endOfChild(child: Child): Promise<{ out: string; err: string; code: number | null }> {
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { out, err, code: code as number | null };
}
