// A terminal as a person sits at it: tmux with one program in it, keys to press, a screen to look at.
//   T1. What the program writes is recorded from its first byte on: it waits for a key before it is started.
//   T2. Every terminal is a server of its own, on a socket in its own folder, and is gone with it.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findProgram } from "../../packages/framerail/src/testing/programs.js";

export interface TmuxOptions {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Tmux {
  /** The lines of the screen, without what is blank behind and below them. */
  screen(): Promise<string[]>;
  /** Every byte that was written on it so far. */
  written(): string;
  /** By their names, such as `C-c`, `Enter`. */
  press(...keys: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** Waits until what was written has it; throws with the screen when it does not come. */
  until(pattern: RegExp): Promise<void>;
  /** Waits until the program has ended, and gives its exit code. */
  ended(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

const WAIT_MS_MAX = 60_000;
const POLL_MS = 40;
/** No status bar, and a program that has ended leaves its screen. */
const SETTINGS = "set -g status off\nset -g remain-on-exit on\nset -g remain-on-exit-format ''\n";
const START = "start";
// T1. The exit code is written by the shell: tmux, when it is busy, does not always hear of it. A Ctrl-C is meant for the
// program; the shell outlives it.
const GATE = 'trap : INT; read _; "$@"; echo $? > "$0"';

export async function startTmux({ command, env = {}, columns = 80, rows = 30 }: TmuxOptions): Promise<Tmux> {
  const folder = mkdtempSync(join(tmpdir(), "framerail-tmux-"));
  const settings = join(folder, "tmux.conf");
  const record = join(folder, "written");
  const end = join(folder, "end");
  writeFileSync(settings, SETTINGS);
  writeFileSync(record, "");
  writeFileSync(end, "");
  const program = findProgram("tmux");
  const { TMUX: _, NO_COLOR: __, ...inherited } = process.env;
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const all = ["-u", "-S", join(folder, "socket"), "-f", settings, ...args];
    const { stdout } = await promisify(execFile)(program, all, { env: { ...inherited, LC_ALL: "C.UTF-8" } });
    return stdout;
  };
  const values = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const size = ["-x", String(columns), "-y", String(rows)];
  await tmux("new-session", "-d", ...size, ...values, "sh", "-c", GATE, end, ...command);
  await tmux("pipe-pane", "-o", `cat >> '${record}'`);
  await tmux("send-keys", START, "Enter");

  const written = () => readFileSync(record, "utf8");
  const screen = async () => (await tmux("capture-pane", "-p")).trimEnd().split("\n");
  const waitFor = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const deadline = Date.now() + WAIT_MS_MAX;
    while (!(await holds())) {
      if (Date.now() > deadline) throw new Error(`${what} did not come; the screen:\n${(await screen()).join("\n")}`);
      await sleep(POLL_MS);
    }
  };
  return {
    screen,
    written,
    async press(...keys) {
      await tmux("send-keys", ...keys);
    },
    async type(text) {
      await tmux("send-keys", "-l", text);
    },
    until: (pattern) => waitFor(String(pattern), async () => pattern.test(written())),
    async ended() {
      await waitFor("the end of the program", async () => readFileSync(end, "utf8").endsWith("\n"));
      return Number(readFileSync(end, "utf8"));
    },
    // T2
    async [Symbol.asyncDispose]() {
      await tmux("kill-server");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
