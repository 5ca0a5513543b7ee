import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { untilReleased } from "../testing/log-contract.js";
import { BEAT_MS } from "./limits.js";
import { attachTo, closeLogs, openLog, readToEnd, startTurn, textOf, until } from "./testing/log-pair.js";
import type { RedisServer } from "./testing/redis-server.js";
import { createRedisServer, onRedis } from "./testing/redis-server.js";

// A server of its own: what is counted here must be nobody else's.
let server: RedisServer;
beforeAll(async () => {
  server = await createRedisServer();
});
afterAll(() => server.dispose());
afterEach(closeLogs);

/** How often Redis was called, by command, while `act` ran. */
function countCalls(act: () => Promise<void>): Promise<Map<string, number>> {
  return onRedis(server.url, async (redis) => {
    await redis.call("CONFIG", "RESETSTAT");
    await act();
    const lines = (await redis.info("commandstats")).matchAll(/cmdstat_(\w+):calls=(\d+)/g);
    return new Map(Array.from(lines, ([, name, calls]) => [name ?? "", Number(calls)]));
  });
}

const namesOfConnections = () =>
  onRedis(server.url, async (redis) => {
    const lines = String(await redis.client("LIST")).split("\n");
    return lines.flatMap((line) => /\bcmd=(\S+)/.exec(line)?.[1] ?? []).filter((name) => !name.startsWith("client"));
  });

test("frames of a hundred turns that are ready in one tick are one call [D-1]", async () => {
  const log = openLog(server.url);
  const turns = Array.from({ length: 100 }, () => startTurn(log));
  const releasedUpTo = async (seq: number) => {
    for (const { turnId } of turns) await untilReleased(await attachTo(log, turnId), seq);
  };
  for (const turn of turns) turn.append(1, 1);
  await releasedUpTo(1);
  const calls = await countCalls(async () => {
    for (const [first, last] of [
      [2, 3],
      [4, 9],
    ] as const) {
      for (const turn of turns) turn.append(first, last);
      await releasedUpTo(last);
    }
  });
  expect(calls.get("evalsha")).toBe(2);
  expect(calls.get("xadd")).toBe(200);
  expect(calls.has("eval")).toBe(false);
});

test("ticks that pass while a call is under way share the next one [D-1]", async () => {
  const log = openLog(server.url);
  const turn = startTurn(log);
  turn.append(1, 1);
  await untilReleased(await attachTo(log, turn.turnId), 1);
  const calls = await countCalls(async () => {
    server.pause();
    for (let seq = 2; seq <= 20; seq += 1) {
      turn.append(seq, seq);
      await sleep(2);
    }
    server.resume();
    await untilReleased(await attachTo(log, turn.turnId), 20);
  });
  expect(calls.get("evalsha")).toBe(2);
});

test("calls begin some milliseconds apart, however often frames come [G8]", async () => {
  const log = openLog(server.url);
  const turn = startTurn(log);
  turn.append(1, 1);
  const view = await attachTo(log, turn.turnId);
  await untilReleased(view, 1);
  let elapsedMs = 0;
  const calls = await countCalls(async () => {
    const start = performance.now();
    for (let seq = 2; performance.now() - start < 200; seq += 1) {
      turn.append(seq, seq);
      await untilReleased(view, seq);
    }
    elapsedMs = performance.now() - start;
  });
  // A timer may come a millisecond early.
  expect(calls.get("evalsha")).toBeLessThanOrEqual(elapsedMs / (BEAT_MS - 1) + 1);
});

test("two hundred turns are followed on one connection, and the last reader who leaves ends that [G8] [D-1]", async () => {
  const [a, b] = [openLog(server.url), openLog(server.url)];
  const turns = Array.from({ length: 200 }, () => startTurn(a));
  for (const turn of turns) turn.append(1, 1);
  const views = await Promise.all(turns.map(({ turnId }) => attachTo(b, turnId)));
  const read = Promise.all(views.map((view) => readToEnd(view)));
  for (let seq = 2; seq <= 9; seq += 1) for (const turn of turns) turn.append(seq, seq);
  await until("one connection waits", async () => (await namesOfConnections()).includes("xread"));
  expect((await namesOfConnections()).filter((name) => name === "xread")).toHaveLength(1);
  // Appending and asking of the first, asking and waiting of the second.
  expect(await namesOfConnections()).toHaveLength(3);
  await Promise.all(turns.map((turn) => turn.seal(10)));
  expect(await read).toEqual(turns.map(({ turnId }) => textOf(turnId, 1, 10)));
  for (const [index, { turnId }] of turns.entries()) b.detach(turnId, views[index] ?? expect.fail());
  const calls = await countCalls(() => sleep(2_500));
  expect(calls.get("xread") ?? 0).toBeLessThanOrEqual(1);
});

test("a turn that is added while a read waits is followed at once [D-1]", async () => {
  const [a, b] = [openLog(server.url), openLog(server.url)];
  const [first, second] = [startTurn(a), startTurn(a)];
  first.append(1, 1);
  second.append(1, 1);
  await attachTo(b, first.turnId);
  await sleep(50);
  const view = await attachTo(b, second.turnId);
  await sleep(50);
  const start = performance.now();
  second.append(2, 2);
  await untilReleased(view, 2);
  expect(performance.now() - start).toBeLessThan(500);
});

test("a turn that goes on is not followed any more when nobody reads it [G8]", async () => {
  const [a, b] = [openLog(server.url), openLog(server.url)];
  const turn = startTurn(a);
  turn.append(1, 1);
  const views = await Promise.all([attachTo(b, turn.turnId), attachTo(b, turn.turnId)]);
  expect(views[0]).toBe(views[1]);
  b.detach(turn.turnId, views[0]);
  turn.append(2, 2);
  await untilReleased(views[1], 2);
  b.detach(turn.turnId, views[1]);
  const calls = await countCalls(() => sleep(2_500));
  expect(calls.get("xread") ?? 0).toBeLessThanOrEqual(1);
  const again = await attachTo(b, turn.turnId);
  turn.append(3, 3);
  await untilReleased(again, 3);
});
