import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { untilReleased } from "../testing/log-contract.js";
import { attachTo, closeLogs, openLog, startTurn, until } from "./testing/log-pair.js";
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

test("a reader that is slow to leave a turn that was given up keeps nobody else from its end [G1] [G8]", async () => {
  const [old, next] = [openLog(server.url), openLog(server.url)];
  const turn = startTurn(old);
  turn.append(1, 3);
  // It waits for its socket to drain, or for the store: it does not leave when it is woken.
  const slow = await attachTo(old, turn.turnId);
  await untilReleased(slow, 3);
  const fresh = startTurn(next, { ...turn, epoch: 2, lastSeq: 3 });
  fresh.append(4, 4);
  await untilReleased(await attachTo(next, turn.turnId), 4);
  turn.append(4, 4);
  await until("the old owner is refused", () => turn.failures.length > 0);
  turn.appender.abandon();
  expect(slow.lost).toBe(true);
  const reader = await attachTo(old, turn.turnId);
  expect(reader).not.toBe(slow);
  expect(reader.lost).toBe(false);
  await fresh.seal(5);
  for (let waited = 0; waited < 8_000 && !reader.sealed && !reader.lost; waited += 50) await sleep(50);
  expect({ lastSeq: reader.lastSeq, sealed: reader.sealed }).toEqual({ lastSeq: 5, sealed: true });
}, 30_000);
