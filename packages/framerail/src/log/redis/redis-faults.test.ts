import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { frameOf, readOn, untilReleased } from "../testing/log-contract.js";
import type { TurnView } from "../turn-log.js";
import { KEPT_TURN_BYTES_MAX } from "./limits.js";
import type { HoldingProxy } from "./testing/holding-proxy.js";
import { createHoldingProxy } from "./testing/holding-proxy.js";
import { attachTo, closeLogs, openLog, readToEnd, startTurn, textOf, until } from "./testing/log-pair.js";
import type { RedisServer } from "./testing/redis-server.js";
import { createRedisServer, onRedis } from "./testing/redis-server.js";
import { keysOf } from "./turn-keys.js";

let server: RedisServer;
let proxy: HoldingProxy;
beforeEach(async () => {
  server = await createRedisServer();
  proxy = await createHoldingProxy(server.url);
});
afterEach(async () => {
  await closeLogs();
  await proxy.close();
  await server.dispose();
});

/** Reads the first frames of a turn, before anything happens to Redis: what is asked of it meanwhile fails, as it must. */
async function readTo(view: TurnView, lastSeq: number): Promise<string> {
  await untilReleased(view, lastSeq);
  return (await readOn(view, 0)).text;
}

/** A hundred times as fast as the clock on the wall. */
const hastyClock = {
  now: Date.now,
  schedule(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms / 100);
    return () => clearTimeout(timer);
  },
};

test("a Redis that is killed and comes back empty gets the turn again, and readers see each frame once [G1] [D-1]", async () => {
  const reports: string[] = [];
  const [a, b] = [openLog(server.url, { report: ({ code }) => reports.push(code) }), openLog(server.url)];
  const turn = startTurn(a);
  turn.append(1, 5);
  const [near, far] = await Promise.all([attachTo(a, turn.turnId), attachTo(b, turn.turnId)]);
  const begun = await Promise.all([readTo(near, 5), readTo(far, 5)]);
  expect(begun).toEqual([textOf(turn.turnId, 1, 5), textOf(turn.turnId, 1, 5)]);
  const read = Promise.all([readToEnd(near, 5), readToEnd(far, 5)]);
  await server.kill();
  turn.append(6, 7);
  await sleep(100);
  expect(near.lastSeq).toBe(5);
  turn.append(8, 8);
  await server.start();
  await untilReleased(far, 8);
  turn.append(9, 10);
  await turn.seal(11);
  expect(await read).toEqual([textOf(turn.turnId, 6, 11), textOf(turn.turnId, 6, 11)]);
  expect(await readToEnd(await attachTo(openLog(server.url), turn.turnId))).toBe(textOf(turn.turnId, 1, 11));
  expect(turn.failures).toEqual([]);
  expect(new Set(reports)).toEqual(new Set(["LOG_UNAVAILABLE"]));
});

test("turns that are quiet or sealed are in an empty Redis again before anybody writes [G1] [D-1]", async () => {
  const a = openLog(server.url);
  const turns = Array.from({ length: 20 }, () => startTurn(a));
  for (const turn of turns) turn.append(1, 3);
  await Promise.all(turns.slice(0, 10).map((turn) => turn.seal(4)));
  for (const { turnId } of turns) await untilReleased(await attachTo(a, turnId), 3);
  await server.kill();
  await server.start();
  const b = openLog(server.url);
  for (const [index, { turnId }] of turns.entries()) {
    const view = await attachTo(b, turnId);
    expect(view).toMatchObject({ sealed: index < 10, lastSeq: index < 10 ? 4 : 3 });
    if (view.sealed) expect(await readToEnd(view)).toBe(textOf(turnId, 1, 4));
  }
});

test("a Redis that comes back with an older state gets what it lost [D-1]", async () => {
  const a = openLog(server.url);
  const turn = startTurn(a);
  const view = await attachTo(a, turn.turnId);
  for (let seq = 1; seq <= 6; seq += 1) {
    turn.append(seq, seq);
    await untilReleased(view, seq);
  }
  const { state, stream } = keysOf(turn.orgId, turn.turnId);
  await onRedis(server.url, async (redis) => {
    const entries = await redis.xrangeBuffer(stream, "-", "+");
    await redis.del(stream);
    for (const [id, fields] of entries.slice(0, 2)) await redis.call("XADD", stream, id, ...fields);
    await redis.hset(state, "last", 2);
  });
  await turn.seal(7);
  expect(await readToEnd(await attachTo(openLog(server.url), turn.turnId))).toBe(textOf(turn.turnId, 1, 7));
});

/** A turn that Redis had three frames of and has lost, at its fourth. */
async function loseTurn(options: Parameters<typeof openLog>[1]) {
  const log = openLog(server.url, options);
  const turn = startTurn(log);
  turn.append(1, 3);
  await untilReleased(await attachTo(log, turn.turnId), 3);
  await onRedis(server.url, (redis) => redis.flushall());
  turn.append(4, 4);
  return turn;
}

test("an owner that lost its turn does not bring it back to an empty Redis [D-3]", async () => {
  const turn = await loseTurn({ confirmOwner: () => Promise.resolve(false) });
  await until("it is refused", () => turn.failures.length > 0);
  expect(turn.failures).toEqual(["STALE_EPOCH"]);
  expect(await onRedis(server.url, (redis) => redis.dbsize())).toBe(0);
});

test("a turn that Redis lost while the store was away too is there again once the store says whose it is [G3] [D-1] [D-4]", async () => {
  let asked = 0;
  const confirmOwner = () => {
    asked += 1;
    return asked < 4 ? Promise.reject(new Error("the store is away")) : Promise.resolve(true);
  };
  const turn = await loseTurn({ confirmOwner });
  await turn.seal(5);
  expect([asked, turn.failures]).toEqual([4, []]);
  expect(await readToEnd(await attachTo(openLog(server.url), turn.turnId))).toBe(textOf(turn.turnId, 1, 5));
});

test("a turn whose owner cannot be told for too long is given up [G8] [D-1]", async () => {
  const confirmOwner = () => Promise.reject(new Error("the store is away"));
  const turn = await loseTurn({ confirmOwner, clock: hastyClock });
  await until("it is given up", () => turn.failures.length > 0);
  expect(turn.failures).toEqual(["LOG_UNAVAILABLE"]);
});

test("a turn that is longer than what is kept goes on, but not after Redis lost it [G8] [D-1]", async () => {
  const log = openLog(server.url);
  const turn = startTurn(log);
  const chunk = "x".repeat(200_000);
  let seq = 0;
  for (; seq * chunk.length < KEPT_TURN_BYTES_MAX; seq += 1) {
    turn.appender.append(frameOf(turn.turnId, seq + 1, chunk));
    await turn.appender.ready();
  }
  await untilReleased(await attachTo(log, turn.turnId), seq);
  await onRedis(server.url, (redis) => redis.flushall());
  await expect(turn.seal(seq + 1)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
});

test("nothing is lost, doubled or shown early while Redis stands still [G3] [D-1]", async () => {
  const [a, b] = [openLog(server.url), openLog(server.url)];
  const turns = Array.from({ length: 10 }, () => startTurn(a));
  for (const turn of turns) turn.append(1, 1);
  const views = await Promise.all(turns.map(({ turnId }) => attachTo(b, turnId)));
  const begun = await Promise.all(views.map((view) => readTo(view, 1)));
  expect(begun).toEqual(turns.map(({ turnId }) => textOf(turnId, 1, 1)));
  const read = Promise.all(views.map((view) => readToEnd(view, 1)));
  const near = await attachTo(a, turns[0]?.turnId ?? "");
  await untilReleased(near, 1);
  server.pause();
  const pauseMs = process.env.FRAMERAIL_LONG ? 30_000 : 3_000;
  for (let seq = 2; seq <= 31; seq += 1) {
    for (const turn of turns) turn.append(seq, seq);
    await sleep(pauseMs / 30);
  }
  expect(near.lastSeq).toBe(1);
  server.resume();
  await Promise.all(turns.map((turn) => turn.seal(32)));
  expect(await read).toEqual(turns.map(({ turnId }) => textOf(turnId, 2, 32)));
  expect(turns.flatMap(({ failures }) => failures)).toEqual([]);
}, 90_000);

test("an answer that is lost after the call was done doubles nothing [G3] [D-1]", async () => {
  const a = openLog(proxy.url);
  const turns = Array.from({ length: 5 }, () => startTurn(a));
  for (let seq = 1; seq <= 20; seq += 1) {
    if (seq % 4 === 0) proxy.loseAnswer("ok\r\n");
    for (const turn of turns) turn.append(seq, seq);
    for (const { turnId } of turns) await untilReleased(await attachTo(a, turnId), seq);
  }
  proxy.loseAnswer("ok\r\n");
  await Promise.all(turns.map((turn) => turn.seal(21)));
  expect(proxy.lostCount).toBe(6);
  await onRedis(server.url, async (redis) => {
    for (const { orgId, turnId } of turns) {
      const entries = await redis.xrange(keysOf(orgId, turnId).stream, "-", "+");
      expect(entries.map(([, fields]) => fields[3])).toEqual(Array.from({ length: 21 }, (_, index) => `${index + 1}`));
    }
  });
  for (const { turnId } of turns) {
    expect(await readToEnd(await attachTo(a, turnId))).toBe(textOf(turnId, 1, 21));
  }
});

test("a paused owner whose turn was taken over appends nothing when it goes on [D-3]", async () => {
  const [paused, next] = [openLog(proxy.url), openLog(server.url)];
  const old = startTurn(paused);
  old.append(1, 2);
  await untilReleased(await attachTo(next, old.turnId), 2);
  proxy.hold();
  old.append(3, 4);
  await sleep(50);
  const fresh = startTurn(next, { ...old, epoch: 2, lastSeq: 2 });
  fresh.append(3, 3);
  const view = await attachTo(next, old.turnId);
  await untilReleased(view, 3);
  proxy.release();
  await until("the old owner is refused", () => old.failures.length > 0);
  expect(old.failures).toEqual(["STALE_EPOCH"]);
  await fresh.seal(4);
  const stored = await onRedis(server.url, (redis) => redis.xrange(keysOf(old.orgId, old.turnId).stream, "-", "+"));
  expect(stored.map(([id, [, epoch]]) => [id, epoch])).toEqual([
    ["2-0", "1"],
    ["3-0", "2"],
    ["4-0", "2"],
  ]);
});

test("a connection that has gone silent is given up, and the frames go over another [G3] [G8]", async () => {
  const log = openLog(proxy.url, { clock: hastyClock });
  const turn = startTurn(log);
  turn.append(1, 3);
  const view = await attachTo(log, turn.turnId);
  await untilReleased(view, 3);
  proxy.mute();
  turn.append(4, 5);
  await turn.seal(6);
  expect(await readToEnd(await attachTo(openLog(server.url), turn.turnId))).toBe(textOf(turn.turnId, 1, 6));
});

test("a turn fails when the log was away for too long, and nothing of it was shown [G8] [D-1]", async () => {
  const log = openLog(server.url, { clock: hastyClock });
  const turn = startTurn(log);
  turn.append(1, 1);
  const view = await attachTo(log, turn.turnId);
  await untilReleased(view, 1);
  await server.kill();
  const start = performance.now();
  turn.append(2, 2);
  await expect(turn.seal(3)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
  expect(performance.now() - start).toBeGreaterThan(290);
  expect(turn.failures).toEqual(["LOG_UNAVAILABLE"]);
  expect(view.lastSeq).toBe(1);
});

test("a writer that does not wait for a log that is away is stopped [G8] [D-6]", async () => {
  const log = openLog(server.url);
  const turn = startTurn(log);
  await untilReleased(await attachTo(log, turn.turnId), 0);
  await server.kill();
  for (let seq = 1; seq <= 100; seq += 1) turn.appender.append(frameOf(turn.turnId, seq, "x".repeat(50_000)));
  expect(turn.failures).toEqual(["LOG_UNAVAILABLE"]);
  expect(turn.appender.backlogBytes).toBe(0);
  await turn.appender.ready();
});

test("a reader that asks while Redis is away is told so in time [G8]", async () => {
  const log = openLog(server.url, { clock: hastyClock });
  await server.kill();
  await expect(log.attach(randomUUID())).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
});

test("a turn whose key holds something else fails alone [G8]", async () => {
  const log = openLog(server.url, { clock: hastyClock });
  const [broken, good] = [startTurn(log), startTurn(log)];
  await onRedis(server.url, (redis) => redis.set(keysOf(broken.orgId, broken.turnId).stream, "text"));
  broken.append(1, 1);
  good.append(1, 1);
  await good.seal(2);
  await expect(broken.seal(2)).rejects.toMatchObject({
    code: "LOG_UNAVAILABLE",
    cause: { message: expect.stringContaining("WRONGTYPE") as string },
  });
});
