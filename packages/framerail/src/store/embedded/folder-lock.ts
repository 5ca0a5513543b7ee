// One process per data folder. The embedded database does not look after this itself: a second process on its files
// loses rows that were acknowledged, without a word.
// Owns: the lock file. Does not own: what is in the folder.
//   L1. The lock appears whole or not at all (a link), so nobody reads half of one.
//   L2. A lock whose process is gone is taken over, by exactly one of those who try: the marker is named for the very
//       lock that was left behind.
//   L3. A process number that was given to another process since does not count as alive, where the system can tell.

import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FramerailError } from "@framerail/protocol";

interface Holder {
  readonly pid: number;
  /** When the process began, in the system's own words; "" where it has none. */
  readonly started: string;
  readonly token: string;
}

/** Takes the folder, making it where it is missing, and returns how to give it back. Throws STORE_LOCKED. */
export function lockFolder(folder: string): () => void {
  const path = join(folder, "lock");
  const mine: Holder = { pid: process.pid, started: startOf(process.pid), token: randomUUID() };
  const draft = `${path}.${mine.token}`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(draft, JSON.stringify(mine));
  } catch (cause) {
    throw new FramerailError("STORE_REFUSED", `the data folder ${folder} cannot be written`, { cause });
  }
  try {
    if (!tryLink(draft, path) && !tryTakeOver(draft, path)) {
      const { pid } = readHolder(path) ?? { pid: "?" };
      throw new FramerailError("STORE_LOCKED", `the data folder ${folder} is in use by process ${pid}; stop it first`);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (readHolder(path)?.token === mine.token) rmSync(path, { force: true });
  };
}

// L2
function tryTakeOver(draft: string, path: string): boolean {
  const left = readHolder(path);
  if (left === undefined || isAlive(left)) return false;
  const marker = `${path}.${left.token}.taken`;
  if (!succeedsUnless("EEXIST", () => mkdirSync(marker))) return false;
  try {
    // Between our look and our marker another may have finished the take-over.
    if (readHolder(path)?.token !== left.token) return false;
    renameSync(draft, path);
    return true;
  } finally {
    rmdirSync(marker);
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Holder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new FramerailError("STORE_REFUSED", `the lock ${path} cannot be read`, { cause: error });
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: there, but somebody else's.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return started === "" || startOf(pid) === started;
}

// L3. Linux tells it in the 22nd field; the second, a name in brackets, may hold spaces.
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    // Another system, or a process that has just gone: the number alone decides.
    return "";
  }
}

function tryLink(draft: string, path: string): boolean {
  return succeedsUnless("EEXIST", () => linkSync(draft, path));
}

function succeedsUnless(expectedCode: string, act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === expectedCode) return false;
    throw error;
  }
}
