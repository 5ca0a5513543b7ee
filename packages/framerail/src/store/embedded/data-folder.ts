// Whether a folder holds an embedded database that can be opened. The database itself finds a damaged control file or
// log by their checksums; what it does not look for is a folder from which something is missing, which it takes for an
// empty one and writes over.
// Owns: that look, before anything is started. Does not own: the lock (folder-lock.ts), opening (pglite-thread.ts).
//   D1. Nothing is written here, and nothing is opened after a refusal.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { FramerailError } from "@framerail/protocol";

/** The major version of Postgres inside PGlite, as its folders say it. */
export const EMBEDDED_VERSION = "18";

const WAL_SEGMENT = /^[0-9A-F]{24}$/;

/** Files without which there is no database, and what each must be. */
const NEEDED: readonly [path: string, isSound: (path: string) => boolean][] = [
  ["global/pg_control", (path) => statSync(path).size === 8_192],
  ["global/pg_filenode.map", (path) => statSync(path).size > 0],
  ["base", (path) => readdirSync(path).length > 0],
  ["pg_xact", (path) => readdirSync(path).length > 0],
  ["pg_wal", (path) => readdirSync(path).some((name) => WAL_SEGMENT.test(name) && statSync(join(path, name)).size > 0)],
];

/** Passes for no folder and for an empty one, in which a database is made. Throws STORE_REFUSED. */
export function checkDataFolder(folder: string): void {
  try {
    if (!existsSync(folder) || readdirSync(folder).length === 0) return;
    const version = existsSync(join(folder, "PG_VERSION")) ? readVersion(folder) : undefined;
    if (version === undefined) throw refuse(folder, "PG_VERSION is missing");
    if (version !== EMBEDDED_VERSION) {
      throw refuse(folder, `it is of Postgres ${version}, this program's is ${EMBEDDED_VERSION}`);
    }
    for (const [path, isSound] of NEEDED) {
      const whole = join(folder, path);
      if (!existsSync(whole) || !isSound(whole)) throw refuse(folder, `${path} is missing or cut short`);
    }
  } catch (error) {
    throw error instanceof FramerailError ? error : refuse(folder, "it cannot be read", error);
  }
}

function readVersion(folder: string): string {
  return readFileSync(join(folder, "PG_VERSION"), "utf8").trim();
}

function refuse(folder: string, why: string, cause?: unknown): FramerailError {
  const says = `the database in ${folder} cannot be opened: ${why}; nothing was changed. Restore the folder, or move it away`;
  return new FramerailError("STORE_REFUSED", says, { cause });
}
