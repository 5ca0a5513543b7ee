// Programs that tests need and do not bring: servers, proxies, a browser, a terminal. One on this machine, or one that
// Debian installs where we may. Never none: a test that needs one fails without it, in one line that says what to do.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** By the name of the program; what Debian calls the package that brings it. */
const PACKAGES = {
  "redis-server": "redis-server",
  chromium: "chromium",
  nginx: "nginx-light",
  haproxy: "haproxy",
  caddy: "caddy",
  curl: "curl",
  openssl: "openssl",
  tmux: "tmux",
} as const;

export type ProgramName = keyof typeof PACKAGES;

/** Their packages start a server of their own, which nobody here uses. */
const STARTED: readonly ProgramName[] = ["redis-server", "nginx", "haproxy"];
/** Proxies are kept where only an administrator looks. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/sbin"];
/** Another process may be installing something: how long its lock is waited for. */
const LOCK_S_MAX = 300;

/** The path of the program; throws one line that says what to do. */
export function findProgram(name: ProgramName): string {
  if (look(name) === undefined) install([name]);
  const found = look(name);
  if (found !== undefined) return found;
  throw new Error(`No ${name} for the tests: put it on the PATH, or apt-get install ${PACKAGES[name]}.`);
}

/** Installs, in one go, whatever a run of all tests would miss; those that are missing afterwards. */
export function installPrograms(): ProgramName[] {
  const names = Object.keys(PACKAGES) as ProgramName[];
  const isMissing = (name: ProgramName) => look(name) === undefined;
  const missing = names.filter(isMissing);
  if (missing.length > 0) install(missing);
  return missing.filter(isMissing);
}

/** Installs a package if we may; whoever asks looks whether it helped. */
export function installFromDebian(...packages: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const lock = ["-o", `DPkg::Lock::Timeout=${LOCK_S_MAX}`];
  spawnSync("apt-get", ["update"], { stdio: "ignore", env });
  spawnSync("apt-get", [...lock, "install", "-y", "--no-install-recommends", ...packages], { stdio: "ignore", env });
}

function install(names: readonly ProgramName[]): void {
  installFromDebian(...names.map((name) => PACKAGES[name]));
  for (const name of STARTED) if (names.includes(name)) spawnSync("service", [name, "stop"], { stdio: "ignore" });
}

function look(name: ProgramName): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
