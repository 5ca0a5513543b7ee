// The program as a process of its own, as people start it; a test may kill it, stop it and let it go on.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const ROOT = join(import.meta.dirname, "../..");
export const PROGRAM = join(ROOT, "packages/framerail/bin/framerail.js");
const START_MS_MAX = 60_000;

export interface ProgramOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What Node itself is given. */
  readonly nodeArgs?: readonly string[];
  /** Another build of the program than this repository's. */
  readonly bin?: string;
  /** Its agents' types are checked: those of the tests are, with everything else, before any of them is started. */
  readonly isTyped?: boolean;
}

export interface Program {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** What it has written on stderr so far. */
  readonly log: () => string;
  signal(name: NodeJS.Signals): void;
  /** Resolves with its exit code, or its signal's name. */
  readonly ended: Promise<number | string>;
  /** SIGKILL, and gone. */
  kill(): Promise<void>;
  /** SIGTERM, and gone. */
  stop(): Promise<number | string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts it and waits until it says where it listens. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { args, env = {}, nodeArgs = [], bin = PROGRAM, isTyped = false } = options;
  // A server that names no folder would write into the repository, and two of them would be in each other's way.
  const data = args[0] === "serve" && !args.includes("--data") ? mkdtempSync(join(tmpdir(), "framerail-serve-")) : "";
  const added = [...(data === "" ? [] : ["--data", data]), ...(isTyped ? [] : ["--no-type-check"])];
  const child = spawn(process.execPath, [...nodeArgs, bin, ...args, ...added], {
    cwd: ROOT,
    env: { ...process.env, PORT: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit").then(([code, signal]) => {
    if (data !== "") rmSync(data, { recursive: true, force: true });
    return (code ?? signal) as number | string;
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-1_000_000);
  });
  const url = await addressOf(child, ended, () => log);
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  };
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid as number,
    log: () => log,
    signal: (name) => void child.kill(name),
    ended,
    kill,
    async stop() {
      child.kill("SIGTERM");
      return ended;
    },
    [Symbol.asyncDispose]: kill,
  };
}

/** `dev` tells a person on stdout where it is; `serve` tells its log on stderr which port it got. */
async function addressOf(child: ChildProcess, ended: Promise<unknown>, log: () => string): Promise<string> {
  const found = new Promise<string>((resolve) => {
    const told = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    told.on("line", (line) => {
      const [url] = /http:\/\/\S+/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
    const logged = createInterface({ input: child.stderr as NodeJS.ReadableStream });
    logged.on("line", (line) => {
      const [, port] = (line.includes('"listening"') && /"port":(\d+)/.exec(line)) || [];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    });
  });
  const late = new AbortController();
  const alarm = setTimeout(() => late.abort(), START_MS_MAX);
  const failed = Promise.race([ended, once(late.signal, "abort")]).then(() => {
    if (late.signal.aborted) child.kill("SIGKILL");
    throw new Error(`the program did not start: ${log().slice(-4_000)}`);
  });
  return Promise.race([found, failed]).finally(() => clearTimeout(alarm));
}
