// A real Redis server for tests: one on this machine, or one that Debian installs. Never none.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Another process may be installing something: how long its lock is waited for. */
const LOCK_S_MAX = 300;

/** The path of `redis-server`; throws one line that says what to do. */
export function findRedis(): string {
  const found = findInstalled() ?? installFromDebian();
  if (found !== undefined) return found;
  throw new Error(
    "No Redis server for the tests: put redis-server on the PATH (FRAMERAIL_TEST_REDIS_URL is for tests that do not stop it).",
  );
}

function findInstalled(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "redis-server")).find((path) => existsSync(path));
}

function installFromDebian(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update"], { stdio: "ignore", env });
  const lock = `DPkg::Lock::Timeout=${LOCK_S_MAX}`;
  spawnSync("apt-get", ["-o", lock, "install", "-y", "--no-install-recommends", "redis-server"], {
    stdio: "ignore",
    env,
  });
  // The package starts a server of its own, which nobody here uses.
  spawnSync("service", ["redis-server", "stop"], { stdio: "ignore" });
  return findInstalled();
}
