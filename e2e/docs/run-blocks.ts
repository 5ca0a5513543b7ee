// Runs the blocks of one page that are of one kind, in order, in one process: the next block finds what the one before it
// left behind. The process prints a mark before each block, by which what it prints is told apart.
// Owns: one process and its time. Does not own: what the blocks are written into (shell.ts, program.ts).
//   R1. The process, and whatever it started, is gone when this resolves.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { matchOutput } from "./match-output.js";
import type { Block, Finding, Page } from "./page.js";

const RUN_MS_MAX = 150_000;
const ERRORS_SHOWN_LENGTH_MAX = 4_000;
/** No text has it: what separates records. */
export const MARK = "\u001e";

export interface RunOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command and compares what each block printed with the output that follows it on the page. */
export async function runBlocks(page: Page, kind: Block["kind"], options: RunOptions): Promise<Finding[]> {
  const { stdout, stderr, end } = await run(options);
  const printed = new Map(
    stdout
      .split(MARK)
      .slice(1)
      .map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf("\n") + 1)]),
  );
  const findings = findDifferences(page, kind, printed);
  if (end !== 0) {
    const last = [...printed.keys()].at(-1) ?? 1;
    const errors = stderr.slice(-ERRORS_SHOWN_LENGTH_MAX);
    findings.unshift({
      page: page.name,
      line: last,
      says: `the block failed (${end}):\n${printed.get(last)}${errors}`,
    });
  }
  return findings;
}

function findDifferences(page: Page, kind: Block["kind"], printed: ReadonlyMap<number, string>): Finding[] {
  const bound = new Map<string, string>();
  return page.blocks.flatMap(({ kind: shownKind, code, line }, index) => {
    const before = page.blocks[index - 1];
    if (shownKind !== "output" || before?.kind !== kind) return [];
    const text = printed.get(before.line);
    // The block was not reached; the one that failed is told.
    const says = text === undefined ? undefined : matchOutput(code, text, bound);
    return says === undefined ? [] : [{ page: page.name, line, says }];
  });
}

async function run({ command, args, cwd, env = {} }: RunOptions) {
  // A group of its own, so that what it leaves in the background can be ended with it (R1).
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, detached: true, stdio: "pipe" });
  child.stdin.end();
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const alarm = setTimeout(() => endGroup(child.pid), RUN_MS_MAX);
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  clearTimeout(alarm);
  endGroup(child.pid);
  if (!child.stdout.closed) await once(child.stdout, "close");
  return { stdout, stderr, end: code ?? signal };
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody of it is left.
  }
}
