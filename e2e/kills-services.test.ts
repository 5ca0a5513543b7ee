import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RedisServer } from "../packages/framerail/src/log/redis/testing/redis-server.js";
import { createRedisServer } from "../packages/framerail/src/log/redis/testing/redis-server.js";
import type { PostgresServer } from "../packages/framerail/src/store/testing/postgres-server.js";
import { createPostgresServer } from "../packages/framerail/src/store/testing/postgres-server.js";
import { checkHistory } from "./checker/check-history.js";
import { loadFromPostgres, untilSettled } from "./checker/load-history.js";
import type { Cluster } from "./harness/cluster.js";
import { startCluster } from "./harness/cluster.js";
import type { FakeModel } from "./harness/fake-model.js";
import { startFakeModel } from "./harness/fake-model.js";
import { watchProcess } from "./harness/process-watch.js";
import { PROGRAM } from "./harness/program.js";
import { createRecorder } from "./harness/recorder.js";
import { chooseSeed, seededRandom } from "./harness/seeded-random.js";

const TIMES = process.env.FRAMERAIL_LONG ? 30 : 3;
/** Turns that run side by side all the time. */
const CALLERS = 4;
const SILENCE_MS = 3_000;
/** When everything is healthy again, what was accepted ends within this. */
const HEAL_MS_MAX = 60_000;
/** The pool of connections to the database. */
const SOCKETS_KEPT_MAX = 10;
const RSS_BYTES_ALLOWED = 512 * 1_048_576;
const MESSAGES = [
  ["errands", "30 errands every 30 ms"],
  ["assistant", "call look_up first and say 30 words every 30 ms"],
  ["assistant", "say 40 words every 20 ms"],
] as const;

let postgres: PostgresServer;
let redis: RedisServer;
let model: FakeModel;
let cluster: Cluster;
beforeAll(async () => {
  [postgres, redis, model] = await Promise.all([createPostgresServer(), createRedisServer(), startFakeModel()]);
  await postgres.start();
  const databaseUrl = postgres.url("postgres");
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  await promisify(execFile)(process.execPath, [PROGRAM, "migrate"], { env });
  cluster = await startCluster({ databaseUrl, redis, modelUrl: model.url });
}, 120_000);
afterAll(async () => {
  await cluster.close();
  await Promise.all([postgres.dispose(), redis.dispose(), model.close()]);
});

test(`Postgres and Redis are each killed and paused ${TIMES} times under load, and no accepted turn is lost [G1] [G3] [G4] [G9] [D-1] [D-4]`, {
  timeout: TIMES * 60_000 + 2 * HEAL_MS_MAX,
}, async () => {
  const random = seededRandom(chooseSeed("kills of services"));
  const recorder = createRecorder(model);
  const { headers } = cluster;
  const urlOf = (place: number) => cluster.servers[place % 2 === 0 ? 0 : 1].url;
  const watches = cluster.servers.map(({ pid }) =>
    watchProcess(pid, { socketsKeptMax: SOCKETS_KEPT_MAX, rssBytesAllowed: RSS_BYTES_ALLOWED }),
  );
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let round = 0; !isOver; round += 1) {
      const place = caller + round;
      const [agentId, says] = MESSAGES[place % MESSAGES.length] ?? MESSAGES[0];
      const start = { url: urlOf(place), headers, agentId, message: `${randomUUID()} ${says}` };
      const turnId = await recorder.begin(start);
      if (turnId === undefined) await sleep(100);
      else {
        const server = (attempt: number) => urlOf(place + attempt);
        await recorder.follow({ turnId, headers, server, silenceMs: SILENCE_MS, patienceMs: 2 * HEAL_MS_MAX });
      }
    }
  });
  const faults = Array.from({ length: TIMES }, () => [killPostgres, pausePostgres, killRedis, pauseRedis]).flat();
  for (const fault of faults) {
    await sleep(500 + random() * 1_500);
    await fault();
  }
  await sleep(1_000);
  isOver = true;
  await Promise.all(callers);
  const turns = await untilSettled(() => loadFromPostgres(postgres.url("postgres")), HEAL_MS_MAX);
  const processes = (await Promise.all(watches.map((tell) => tell()))).flat();
  expect(checkHistory(recorder.history(turns, processes))).toEqual([]);
  expect(recorder.accepted.length).toBeGreaterThan(faults.length);

  async function killPostgres(): Promise<void> {
    await postgres.kill();
    await sleep(random() * 1_000);
    await postgres.start();
  }
  async function pausePostgres(): Promise<void> {
    postgres.pause();
    await sleep(random() * 5_000);
    postgres.resume();
  }
  /** It comes back empty. */
  async function killRedis(): Promise<void> {
    await redis.kill();
    await sleep(random() * 1_000);
    await redis.start();
  }
  async function pauseRedis(): Promise<void> {
    redis.pause();
    await sleep(random() * 5_000);
    redis.resume();
  }
});
