// Programs that others wrote and that read our streams or stand before them: a browser, proxies, curl. One on this machine,
// or one that Debian installs. Never none: a test that needs one fails without it.

import { findOnPath, installFromDebian } from "../../packages/framerail/src/testing/debian.js";

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

/** Packages that start a server of their own. */
const SERVERS: ReadonlySet<string> = new Set(["nginx", "haproxy"]);
/** Proxies are kept where only an administrator looks. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/sbin"];

export type StrangerName = keyof typeof PACKAGES;

/** The path of the program; throws one line that says what to do. */
export function findProgram(name: StrangerName): string {
  const find = () => findOnPath(name, SYSTEM_FOLDERS);
  if (find() === undefined) installFromDebian(PACKAGES[name], SERVERS.has(name) ? name : undefined);
  const found = find();
  if (found !== undefined) return found;
  throw new Error(`No ${name} for the tests: put it on the PATH, or apt-get install ${PACKAGES[name]}.`);
}
