// A Postgres server of a test's own, which it may kill, pause and start again.
// Not as root, which the server refuses: then it runs as another user of this machine.

import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { findPort } from "./find-port.js";
import { findPostgres } from "./find-postgres.js";

const START_MS_MAX = 60_000;
/** A server that is there answers, however busy the machine is; one that may not be is asked again. */
const [CONNECT_MS_MAX, PROBE_MS_MAX] = [30_000, 2_000];

export interface PostgresServer {
  url(database: string): string;
  /** `prefix` is a command that runs the server's own. */
  start(prefix?: readonly string[]): Promise<void>;
  /** SIGKILL of the whole server, as when the machine's memory ran out; what was committed must be there afterwards. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Ends it and removes its files. */
  dispose(): Promise<void>;
}

export async function createPostgresServer(
  settings: Readonly<Record<string, string>> = {},
  parent = tmpdir(),
): Promise<PostgresServer> {
  const bin = findPostgres();
  const folder = mkdtempSync(join(parent, "framerail-postgres-"));
  const data = join(folder, "data");
  const user = serverUser();
  chmodSync(folder, 0o777);
  run(user, join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]);
  const port = await findPort();
  const options = Object.entries({ listen_addresses: "127.0.0.1", unix_socket_directories: folder, ...settings });
  const args = ["-D", data, "-p", String(port), ...options.flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  let child: ChildProcess | undefined;
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const signal = (name: NodeJS.Signals) => {
    // The whole group: a killed postmaster's children would otherwise hold on to its memory for a while.
    if (child?.pid !== undefined) process.kill(-child.pid, name);
  };
  const stop = async (name: NodeJS.Signals) => {
    if (!isRunning(child)) return;
    const ended = once(child, "exit");
    signal(name);
    await ended;
  };
  return {
    url,
    async start(prefix = []) {
      const [program = "", ...rest] = [...prefix, ...asUser(user, join(bin, "postgres"), args)];
      await untilReady(url("postgres"), () => {
        // A killed server's children may need a moment to go; until then a new one ends at once.
        if (isRunning(child)) return;
        child = spawn(program, rest, { stdio: "ignore", detached: true, cwd: folder });
      });
    },
    kill: () => stop("SIGKILL"),
    pause: () => signal("SIGSTOP"),
    resume: () => signal("SIGCONT"),
    async dispose() {
      await stop("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs statements on a database by a plain connection: what a test does behind the program's back. */
export async function onServer(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  return runStatements(url, CONNECT_MS_MAX, statements);
}

async function runStatements(
  url: string,
  connectMsMax: number,
  statements: readonly string[],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMsMax });
  client.on("error", () => undefined);
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query<Record<string, unknown>>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

async function untilReady(url: string, launch: () => void): Promise<void> {
  for (const start = Date.now(); ; ) {
    launch();
    try {
      await runStatements(url, PROBE_MS_MAX, ["select 1"]);
      return;
    } catch (error) {
      if (Date.now() - start > START_MS_MAX) throw error;
      await sleep(50);
    }
  }
}

function serverUser(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ["postgres", "nobody"].find((name) => spawnSync("id", [name]).status === 0);
}

function asUser(user: string | undefined, program: string, args: readonly string[]): string[] {
  if (user === undefined) return [program, ...args];
  return [
    "setpriv",
    `--reuid=${user}`,
    `--regid=${user === "nobody" ? "nogroup" : user}`,
    "--clear-groups",
    program,
    ...args,
  ];
}

function run(user: string | undefined, program: string, args: readonly string[]): void {
  const [command, ...rest] = asUser(user, program, args);
  const { status, stderr } = spawnSync(command as string, rest, { encoding: "utf8", cwd: tmpdir() });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}
