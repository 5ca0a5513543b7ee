// One process per data folder. The embedded database does not look after this itself: a second process on its files
// loses rows that were acknowledged, without a word.
// Owns: the lock file. Does not own: what is in the folder.
//   L1. The lock appears whole or not at all (a link), so what cannot be read is no living process's: it was torn when the
//       machine went down.
//   L2. A lock whose process is gone is taken over, by exactly one of those who try: for that they need a second lock,
//       named for the very lock that was left behind, and kept by the same rules.
//   L3. A process number that was given to another process since does not count as alive, where the system can tell.
//   L4. Of a process on another machine, or in another container, nobody here can tell: its lock is left alone.

import { createHash, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { FramerailError, isFramerailError } from "@framerail/protocol";

interface Holder {
  readonly pid: number;
  /** When the process began, in the system's own words; "" where it has none. */
  readonly started: string;
  /** Where it runs; "" where processes are not kept apart by containers. */
  readonly host: string;
  readonly token: string;
}

/** A lock may vanish between a look and a try; more often than this in a row, somebody is busy with it. */
const TRIES_MAX = 5;

/** Takes the folder, making it where it is missing, and returns how to give it back. Throws STORE_LOCKED. */
export function lockFolder(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "lock");
    const mine = takeLock(folder, path);
    if (mine === undefined) throw inUse(folder, readHolder(path));
    return () => {
      if (readHolder(path)?.token === mine.token) rmSync(path, { force: true });
    };
  } catch (cause) {
    if (isFramerailError(cause)) throw cause;
    throw new FramerailError("STORE_REFUSED", `the data folder ${folder} cannot be written`, { cause });
  }
}

/** The lock that we hold now, or undefined where another does. */
function takeLock(folder: string, path: string): Holder | undefined {
  const mine: Holder = { pid: process.pid, started: startOf(process.pid), host: hostOf(), token: randomUUID() };
  const draft = join(folder, `lock.${mine.token}`);
  writeFileSync(draft, JSON.stringify(mine));
  try {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      if (tryLink(draft, path)) return mine;
      const left = readHolder(path);
      if (left === undefined) continue;
      if (isAlive(left)) return undefined;
      if (tryTakeOver(folder, { draft, path, left })) return mine;
    }
    return undefined;
  } finally {
    rmSync(draft, { force: true });
  }
}

// L2
function tryTakeOver(folder: string, { draft, path, left }: { draft: string; path: string; left: Holder }): boolean {
  const marker = join(folder, `lock.${left.token}.taken`);
  if (takeLock(folder, marker) === undefined) return false;
  try {
    // Between our look and our marker another may have finished the take-over.
    if (readHolder(path)?.token !== left.token) return false;
    renameSync(draft, path);
    return true;
  } finally {
    rmSync(marker, { force: true });
  }
}

function readHolder(path: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Holder;
  } catch {
    // L1
    return { pid: 0, started: "", host: hostOf(), token: createHash("sha256").update(text).digest("hex") };
  }
}

function isAlive({ pid, started, host }: Holder): boolean {
  if (pid === 0) return false;
  // L4
  if (host !== hostOf()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: there, but somebody else's.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return started === "" || startOf(pid) === started;
}

function hostOf(): string {
  return process.platform === "linux" ? hostname() : "";
}

// L3. Linux tells it in the 22nd field; the second, a name in brackets, may hold spaces. The third is Z for a process that
// has ended and that nobody asked after: it holds nothing any more.
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? "ended" : (fields[18] ?? "");
  } catch {
    // Another system, or a process that has just gone: the number alone decides.
    return "";
  }
}

function inUse(folder: string, holder: Holder | undefined): FramerailError {
  const elsewhere = holder !== undefined && holder.host !== hostOf();
  const who = `process ${holder?.pid ?? "unknown"}${elsewhere ? ` on ${holder.host}` : ""}`;
  const advice = elsewhere ? `stop it, or remove ${join(folder, "lock")} when it is gone` : "stop it first";
  return new FramerailError("STORE_LOCKED", `the data folder ${folder} is in use by ${who}; ${advice}`);
}

function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
