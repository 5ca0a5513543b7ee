import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RedisServer } from "../packages/framerail/src/log/redis/testing/redis-server.js";
import { createRedisServer } from "../packages/framerail/src/log/redis/testing/redis-server.js";
import { createPostgresDatabase } from "../packages/framerail/src/store/testing/open-store.js";
import { checkHistory } from "./checker/check-history.js";
import { loadFromPostgres, untilSettled } from "./checker/load-history.js";
import type { Cluster } from "./harness/cluster.js";
import { startCluster } from "./harness/cluster.js";
import type { FakeModel } from "./harness/fake-model.js";
import { startFakeModel } from "./harness/fake-model.js";
import { createRecorder } from "./harness/recorder.js";
import { chooseSeed, seededRandom } from "./harness/seeded-random.js";
import type { ClientRecord } from "./harness/turn-client.js";

const KILLS = process.env.FRAMERAIL_LONG ? 200 : 10;
const TURNS = 3;
/** From the kill to the end for everybody who reads elsewhere. */
const END_MS_MAX = 6_000;
/** Longer than a lease, so that a stopped server's turns are another's when it goes on. */
const STOP_MS = 4_500;
/** A client that hears nothing for so long tries the other server. */
const SILENCE_MS = 1_000;
const PATIENCE_MS = 60_000;
const SAYS = [
  { agentId: "errands", message: (count: number) => `${count} errands every 30 ms` },
  { agentId: "assistant", message: (count: number) => `call look_up first and say ${count} words every 30 ms` },
  { agentId: "assistant", message: (count: number) => `say ${count} words every 30 ms` },
] as const;

let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
let redis: RedisServer;
let model: FakeModel;
let cluster: Cluster;
beforeAll(async () => {
  [database, redis, model] = await Promise.all([createPostgresDatabase(), createRedisServer(), startFakeModel()]);
  cluster = await startCluster({ databaseUrl: database.url, redis, modelUrl: model.url });
}, 120_000);
afterAll(async () => {
  await cluster.close();
  await Promise.all([database.drop(), redis.dispose(), model.close()]);
});

test(`of two servers ${KILLS} are killed or stopped one after the other, and every turn has one end, the same for every reader, within ${END_MS_MAX} ms, and a row for every model call [G1] [G2] [G3] [G6] [G9] [D-3]`, {
  timeout: KILLS * PATIENCE_MS,
}, async () => {
  const random = seededRandom(chooseSeed("kills of two servers"));
  const recorder = createRecorder(model);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const victim = random() < 0.5 ? 0 : 1;
    const stops = kill % 3 === 0;
    const reading = play(victim, stops);
    await sleep(random() * 1_500);
    const killedAt = performance.now();
    cluster.servers[victim].signal(stops ? "SIGSTOP" : "SIGKILL");
    if (stops) {
      await sleep(STOP_MS);
      cluster.servers[victim].signal("SIGCONT");
    } else await cluster.restart(victim);
    const { moving, patient } = await reading;
    for (const { endedAt = Number.POSITIVE_INFINITY, acceptedAt } of moving) {
      // A stopped server may accept a turn when it goes on.
      expect(endedAt - Math.max(killedAt, acceptedAt)).toBeLessThan(END_MS_MAX);
    }
    expect(patient.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
  }
  const turns = await untilSettled(() => loadFromPostgres(database.url), END_MS_MAX);
  expect(checkHistory(recorder.history(turns))).toEqual([]);
  expect(recorder.accepted.length).toBeGreaterThan(KILLS);

  /** Turns on the victim, each with a reader that goes on at the other, one that began there, and one that waits. */
  async function play(victim: 0 | 1, stops: boolean) {
    const { headers } = cluster;
    const moving: (ClientRecord & { readonly acceptedAt: number })[] = [];
    const patient: ClientRecord[] = [];
    const urlOf = (place: number) => cluster.servers[place % 2 === 0 ? 0 : 1].url;
    const turns = Array.from({ length: TURNS }, async (_, place) => {
      // Some end before the kill, some at it.
      const says = SAYS[place % SAYS.length] ?? SAYS[0];
      const message = `${randomUUID()} ${says.message(10 + Math.floor(random() * 50))}`;
      const start = { url: urlOf(victim), headers, agentId: says.agentId, message };
      const turnId = await recorder.begin(start);
      if (turnId === undefined) return;
      const acceptedAt = performance.now();
      const follow = (silenceMs: number, server: (attempt: number) => string) =>
        recorder.follow({ turnId, headers, silenceMs, server, patienceMs: PATIENCE_MS });
      await Promise.all([
        follow(SILENCE_MS, (attempt) => urlOf(victim + attempt)).then((client) =>
          moving.push({ ...client, acceptedAt }),
        ),
        follow(SILENCE_MS, () => urlOf(victim + 1)).then((client) => moving.push({ ...client, acceptedAt })),
        stops && follow(30_000, () => urlOf(victim)).then((client) => patient.push(client)),
      ]);
    });
    await Promise.all(turns);
    return { moving, patient };
  }
});
