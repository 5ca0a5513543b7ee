// A Redis server of a test's own, which it may kill, pause and start again. It keeps nothing: a restart is empty.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { findPort } from "../../../store/testing/find-port.js";
import { findProgram } from "../../../testing/programs.js";

const START_MS_MAX = 20_000;

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  /** SIGKILL: what it had is gone. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  dispose(): Promise<void>;
}

/** Started. */
export async function createRedisServer(): Promise<RedisServer> {
  const program = findProgram("redis-server");
  const folder = mkdtempSync(join(tmpdir(), "framerail-redis-"));
  const port = await findPort();
  const url = `redis://127.0.0.1:${port}`;
  const settings = { port: String(port), bind: "127.0.0.1", dir: folder, save: "", appendonly: "no" };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  let child: ChildProcess | undefined;
  const server: RedisServer = {
    url,
    port,
    async start() {
      child = spawn(program, args, { stdio: "ignore" });
      await untilReady(url);
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
    pause: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
    async dispose() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** A server that the test does not stop: the one that was named, or one of its own. */
export async function useRedis(): Promise<Pick<RedisServer, "url" | "dispose">> {
  const url = process.env.FRAMERAIL_TEST_REDIS_URL;
  return url === undefined ? await createRedisServer() : { url, dispose: () => Promise.resolve() };
}

/** A plain client: what a test does behind the log's back. */
export async function onRedis<T>(url: string, act: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { protocol: 2 });
  try {
    return await act(redis);
  } finally {
    redis.disconnect();
  }
}

async function untilReady(url: string): Promise<void> {
  for (const start = Date.now(); ; ) {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, protocol: 2 });
    redis.on("error", () => undefined);
    try {
      await redis.connect();
      await redis.ping();
      return;
    } catch (error) {
      if (Date.now() - start > START_MS_MAX) throw error;
      await sleep(20);
    } finally {
      redis.disconnect();
    }
  }
}
