// Programs that others wrote and that read our streams or stand before them: a browser, proxies, curl. One on this machine,
// or one that Debian installs. Never none: a test that needs one fails without it.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** By the name of the program; what Debian calls the package that brings it. */
const PACKAGES = {
  chromium: "chromium",
  nginx: "nginx-light",
  haproxy: "haproxy",
  caddy: "caddy",
  curl: "curl",
  openssl: "openssl",
  tmux: "tmux",
} as const;

/** Another process may be installing something: how long its lock is waited for. */
const LOCK_S_MAX = 300;
/** Proxies are kept where only an administrator looks. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/sbin"];

export type StrangerName = keyof typeof PACKAGES;

/** The path of the program; throws one line that says what to do. */
export function findProgram(name: StrangerName): string {
  const found = findInstalled(name) ?? installFromDebian(name);
  if (found !== undefined) return found;
  throw new Error(`No ${name} for the tests: put it on the PATH, or apt-get install ${PACKAGES[name]}.`);
}

function findInstalled(name: StrangerName): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function installFromDebian(name: StrangerName): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const lock = ["-o", `DPkg::Lock::Timeout=${LOCK_S_MAX}`];
  spawnSync("apt-get", ["update"], { stdio: "ignore", env });
  const args = [...lock, "install", "-y", "--no-install-recommends", PACKAGES[name]];
  spawnSync("apt-get", args, { stdio: "ignore", env });
  // A package may start a server of its own, which nobody here uses.
  if (name === "nginx" || name === "haproxy") spawnSync("service", [name, "stop"], { stdio: "ignore" });
  return findInstalled(name);
}
