import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { untilReleased } from "../testing/log-contract.js";
import type { TurnLog } from "../turn-log.js";
import { FOLLOWED_TURNS_MAX } from "./limits.js";
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

/** Turns of another process, all of them followed here: as many as may be. Gives the first one back. */
async function followAll(log: TurnLog) {
  const turnIds = Array.from({ length: FOLLOWED_TURNS_MAX }, () => randomUUID());
  await onRedis(server.url, async (redis) => {
    const batch = redis.pipeline();
    for (const turnId of turnIds) {
      const { state, stream } = keysOf(randomUUID(), turnId);
      batch.hset(state, { stream, epoch: 1, owner: "another", last: 0, sealed: 0 });
    }
    await batch.exec();
  });
  const views = await Promise.all(turnIds.map((turnId) => log.attach(turnId)));
  return { leave: () => log.detach(turnIds[0] ?? "", views[0] ?? expect.fail()) };
}

test("a reader that is turned away because too many turns are followed leaves nothing behind [G8]", async () => {
  const [near, far] = [openLog(server.url), openLog(server.url)];
  const [second, third] = [startTurn(near), startTurn(near)];
  for (const turn of [second, third]) {
    turn.append(1, 1);
    await untilReleased(await attachTo(near, turn.turnId), 1);
  }
  const { leave } = await followAll(far);
  await expect(far.attach(second.turnId)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
  leave();
  // There is room again: for one who reads the second turn and leaves, and then for the third.
  far.detach(second.turnId, await attachTo(far, second.turnId));
  await expect(far.attach(third.turnId)).resolves.toMatchObject({ lastSeq: 1 });
}, 60_000);

test("an owner that lost its turn hears of it, however many turns are followed [D-3]", async () => {
  const [old, next] = [openLog(server.url), openLog(server.url)];
  const turn = startTurn(old);
  turn.append(1, 2);
  await untilReleased(await attachTo(old, turn.turnId), 2);
  await followAll(old);
  const fresh = startTurn(next, { ...turn, epoch: 2, lastSeq: 2 });
  fresh.append(3, 3);
  await untilReleased(await attachTo(next, turn.turnId), 3);
  turn.append(3, 3);
  await until("the log has refused it", () => turn.appender.failure !== undefined);
  await sleep(500);
  expect(turn.failures).toEqual(["STALE_EPOCH"]);
}, 60_000);
