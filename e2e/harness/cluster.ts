// Two servers on one Postgres and one Redis, as they stand behind one address; each can be killed, stopped and started.

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import type { RedisServer } from "../../packages/framerail/src/log/redis/testing/redis-server.js";
import type { Program } from "./program.js";
import { PROGRAM, startProgram } from "./program.js";

export interface ClusterOptions {
  /** Migrated. */
  readonly databaseUrl: string;
  readonly redis: RedisServer;
  readonly modelUrl: string;
  readonly bin?: string;
  readonly agents?: string;
}

export interface Cluster {
  /** The servers as they are now: one that was killed is still in its place. */
  readonly servers: [Program, Program];
  readonly headers: Readonly<Record<string, string>>;
  /** Starts the server of this place anew. */
  restart(place: 0 | 1): Promise<void>;
  close(): Promise<void>;
}

const AGENTS = "e2e/harness/agents";

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { databaseUrl, redis, modelUrl, bin = PROGRAM, agents = AGENTS } = options;
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, FAKE_MODEL_URL: modelUrl };
  const key = await createKey(bin, databaseUrl);
  const args = ["serve", "--agents", agents, "--host", "127.0.0.1", "--port", "0", "--metrics-port", "0"];
  const start = () => startProgram({ args: [...args, "--requests-per-second", "10000"], env, bin });
  const servers = await Promise.all([start(), start()]);
  return {
    servers,
    headers: { authorization: `Bearer ${key}` },
    async restart(place) {
      await servers[place].kill();
      servers[place] = await start();
    },
    async close() {
      await Promise.all(servers.map((server) => server.kill()));
    },
  };
}

async function createKey(bin: string, databaseUrl: string): Promise<string> {
  const args = [bin, "key", "create", "--tenant", randomUUID(), "--name", "kills", "--user", "u1"];
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout.trim();
}
