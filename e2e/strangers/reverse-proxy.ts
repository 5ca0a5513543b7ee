// Reverse proxies that people put before a server, as Debian brings them, with the plainest of configurations.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findPort } from "../../packages/framerail/src/store/testing/find-port.js";
import { findProgram } from "../../packages/framerail/src/testing/programs.js";
import { createIdentity } from "./tls-identity.js";

const START_MS_MAX = 30_000;
/** How each is told to use a file. */
const ARGS = {
  nginx: (path: string) => ["-c", path],
  haproxy: (path: string) => ["-f", path, "-db"],
  caddy: (path: string) => ["run", "--config", path, "--adapter", "caddyfile"],
} as const;

export type ProxyName = keyof typeof ARGS;
export const PLAIN_PROXIES = { nginx: "nginx.conf", haproxy: "haproxy.cfg", caddy: "Caddyfile" } as const;

export interface ReverseProxy {
  readonly port: number;
  /** What nginx wrote of the requests it passed on. */
  readonly accessLog: string;
  close(): Promise<void>;
}

/** Started with a configuration of this folder, before the server at `serverPort`. */
export async function startReverseProxy(name: ProxyName, file: string, serverPort: number): Promise<ReverseProxy> {
  const folder = mkdtempSync(join(tmpdir(), `framerail-${name}-`));
  const port = await findPort();
  const path = join(folder, file);
  const settings = { FOLDER: folder, PROXY_PORT: String(port), SERVER_PORT: String(serverPort) };
  const template = readFileSync(join(import.meta.dirname, file), "utf8");
  writeFileSync(
    path,
    template.replaceAll(/FOLDER|PROXY_PORT|SERVER_PORT/g, (word) => settings[word as "FOLDER"]),
  );
  createIdentity(folder);
  const child = spawn(findProgram(name), ARGS[name](path), {
    stdio: ["ignore", "ignore", "pipe"],
    // Where Caddy would keep its things.
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let says = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (says = (says + text).slice(-10_000)));
  const ended = once(child, "close");
  for (const start = performance.now(); !(await answers(port)); await sleep(20)) {
    const isGone = child.exitCode !== null || performance.now() - start > START_MS_MAX;
    if (isGone) throw new Error(`${name} did not start: ${says}`);
  }
  return {
    port,
    get accessLog() {
      return readFileSync(join(folder, "access.log"), "utf8");
    },
    async close() {
      // Proxies with workers end them only when they are asked to end.
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
