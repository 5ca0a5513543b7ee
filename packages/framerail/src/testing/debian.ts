// Programs that tests need and do not bring: looked for on this machine, or installed by Debian's own tool where that may be.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Another process may be installing something: how long its lock is waited for. */
const LOCK_S_MAX = 300;

/** The path of a program on the PATH, or in one of the other folders. */
export function findOnPath(name: string, others: readonly string[] = []): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...others];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Installs a package if we may; whoever asks looks whether it helped. `service`: a server that it starts and nobody uses. */
export function installFromDebian(name: string, service?: string): void {
  if (process.getuid?.() !== 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const lock = ["-o", `DPkg::Lock::Timeout=${LOCK_S_MAX}`];
  spawnSync("apt-get", ["update"], { stdio: "ignore", env });
  spawnSync("apt-get", [...lock, "install", "-y", "--no-install-recommends", name], { stdio: "ignore", env });
  if (service !== undefined) spawnSync("service", [service, "stop"], { stdio: "ignore" });
}
