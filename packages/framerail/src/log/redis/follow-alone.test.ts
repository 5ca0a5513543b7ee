import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { untilReleased } from "../testing/log-contract.js";
import { attachTo, closeLogs, openLog, startTurn } from "./testing/log-pair.js";
import type { RedisServer } from "./testing/redis-server.js";
import { createRedisServer, onRedis } from "./testing/redis-server.js";
import { keysOf } from "./turn-keys.js";

let server: RedisServer;
beforeEach(async () => {
  server = await createRedisServer();
});
afterEach(async () => {
  await closeLogs();
  await server.dispose();
});

test("a followed turn whose key holds something else is lost alone [G8]", async () => {
  const [near, far] = [openLog(server.url), openLog(server.url)];
  const [broken, good] = [startTurn(near), startTurn(near)];
  for (const turn of [broken, good]) turn.append(1, 1);
  await untilReleased(await attachTo(far, broken.turnId), 1);
  const view = await attachTo(far, good.turnId);
  await untilReleased(view, 1);
  await onRedis(server.url, async (redis) => redis.set(keysOf(broken.orgId, broken.turnId).stream, "text"));
  good.append(2, 2);
  await sleep(1_500);
  await good.seal(3);
  for (let waited = 0; waited < 10_000 && !view.sealed; waited += 50) await sleep(50);
  expect({ lastSeq: view.lastSeq, sealed: view.sealed }).toEqual({ lastSeq: 3, sealed: true });
}, 30_000);
