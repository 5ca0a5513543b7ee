import { randomUUID } from "node:crypto";
import { setTimeout as sleep, setImmediate as tick } from "node:timers/promises";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeTurnLog, untilReleased } from "../testing/log-contract.js";
import { createRedisLog } from "./redis-log.js";
import { attachTo, closeLogs, openLog, readToEnd, startTurn, textOf, until } from "./testing/log-pair.js";
import type { RedisServer } from "./testing/redis-server.js";
import { onRedis, useRedis } from "./testing/redis-server.js";
import { keysOf, stateKeyOf } from "./turn-keys.js";

let server: Pick<RedisServer, "url" | "dispose">;
beforeAll(async () => {
  server = await useRedis();
});
afterAll(() => server.dispose());
afterEach(closeLogs);

describeTurnLog("on Redis", async () => ({
  log: createRedisLog({ url: server.url, owner: randomUUID() }),
  dispose: () => Promise.resolve(),
}));

const RIGHTS = "+eval +evalsha +hmget +hset +xadd +xrange +xread +exists +pexpire ~framerail:*".split(" ");

describeTurnLog("on Redis, for a user that may do nothing but what it needs", async () => {
  const name = `user-${randomUUID()}`;
  await onRedis(server.url, (redis) => redis.call("ACL", "SETUSER", name, "on", ">secret", ...RIGHTS));
  const url = new URL(server.url);
  [url.username, url.password] = [name, "secret"];
  return {
    log: createRedisLog({ url: url.href, owner: randomUUID() }),
    dispose: async () => void (await onRedis(server.url, (redis) => redis.call("ACL", "DELUSER", name))),
  };
});

test("a reader in another process sees the same frames in the same order, and the end [G2] [D-1]", async () => {
  const [a, b] = [openLog(server.url), openLog(server.url)];
  const turn = startTurn(a);
  turn.append(1, 3);
  const [near, far] = await Promise.all([attachTo(a, turn.turnId), attachTo(b, turn.turnId)]);
  const read = Promise.all([readToEnd(near), readToEnd(far), readToEnd(far, 2)]);
  for (let seq = 4; seq <= 40; seq += 1) {
    turn.append(seq, seq);
    if (seq % 3 === 0) await sleep(1);
  }
  await turn.seal(41);
  const whole = textOf(turn.turnId, 1, 41);
  expect(await read).toEqual([whole, whole, textOf(turn.turnId, 3, 41)]);
  expect(far.sealed).toBe(true);
  expect(await readToEnd(await attachTo(openLog(server.url), turn.turnId))).toBe(whole);
});

test("readers that attach elsewhere in the middle of appends miss nothing and see nothing twice [G3] [D-1]", async () => {
  const [a, b] = [openLog(server.url), openLog(server.url)];
  const acts = fc.array(fc.record({ frames: fc.integer({ min: 1, max: 5 }), wait: fc.nat(4), joins: fc.boolean() }), {
    minLength: 1,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(acts, async (schedule) => {
      const turn = startTurn(a);
      turn.append(1, 1);
      const readers: Promise<string>[] = [attachTo(b, turn.turnId).then((view) => readToEnd(view))];
      let last = 1;
      for (const { frames, wait, joins } of schedule) {
        turn.append(last + 1, last + frames);
        last += frames;
        for (let ticks = 0; ticks < wait * wait; ticks += 1) await tick();
        if (!joins) continue;
        const from = Math.floor(last / 2);
        readers.push(
          attachTo(b, turn.turnId).then(async (view) => {
            // A cursor that a reader has from elsewhere is never past what is released.
            await untilReleased(view, from);
            const text = await readToEnd(view, from);
            b.detach(turn.turnId, view);
            return textOf(turn.turnId, 1, from) + text;
          }),
        );
      }
      await turn.seal(last + 1);
      const whole = textOf(turn.turnId, 1, last + 1);
      for (const text of await Promise.all(readers)) expect(text).toBe(whole);
    }),
    { numRuns: process.env.FRAMERAIL_LONG ? 2_000 : 60 },
  );
});

test("a turn that another process takes over goes on for the readers of its old owner [D-3] [G2]", async () => {
  const [a, b] = [openLog(server.url), openLog(server.url)];
  const old = startTurn(a);
  old.append(1, 3);
  const view = await attachTo(a, old.turnId);
  await untilReleased(view, 3);
  const read = readToEnd(view);
  const fresh = startTurn(b, { ...old, epoch: 2, lastSeq: 3 });
  fresh.append(4, 4);
  await untilReleased(await attachTo(b, old.turnId), 4);
  old.append(4, 5);
  await until("the old owner is refused", () => old.failures.length > 0);
  expect(old.failures).toEqual(["STALE_EPOCH"]);
  await fresh.seal(5);
  expect(await read).toBe(textOf(old.turnId, 1, 5));
  expect(view.epoch).toBe(2);
});

test("a process that follows a turn and takes it over goes on for its readers [D-3] [G1]", async () => {
  const [a, b] = [openLog(server.url), openLog(server.url)];
  const old = startTurn(a);
  old.append(1, 3);
  const view = await attachTo(b, old.turnId);
  const read = readToEnd(view);
  await untilReleased(view, 3);
  const fresh = startTurn(b, { ...old, epoch: 2, lastSeq: 3 });
  await fresh.seal(4);
  expect(await read).toBe(textOf(old.turnId, 1, 4));
});

test("an owner that does not know where the turn is takes it over and is told so [D-3]", async () => {
  const [a, b] = [openLog(server.url), openLog(server.url)];
  const old = startTurn(a);
  old.append(1, 3);
  await untilReleased(await attachTo(a, old.turnId), 3);
  const fresh = startTurn(b, { ...old, epoch: 2, lastSeq: 2 });
  await until("the new owner is told", () => fresh.failures.length > 0);
  expect(fresh.failures).toEqual(["INVARIANT_VIOLATION"]);
  old.append(4, 4);
  await until("the old owner is refused", () => old.failures.length > 0);
  expect(old.failures).toEqual(["STALE_EPOCH"]);
});

test("a turn expires ten minutes after its end, and then only the store has it [D-19]", async () => {
  const [a, b] = [openLog(server.url), openLog(server.url)];
  const turn = startTurn(a);
  turn.append(1, 2);
  const { state, stream } = keysOf(turn.orgId, turn.turnId);
  await untilReleased(await attachTo(a, turn.turnId), 2);
  await onRedis(server.url, async (redis) => {
    for (const key of [state, stream]) expect(await redis.pttl(key)).toBeGreaterThan(86_000_000);
    await turn.seal(3);
    for (const key of [state, stream]) {
      expect(await redis.pttl(key)).toBeGreaterThan(590_000);
      expect(await redis.pttl(key)).toBeLessThanOrEqual(600_000);
    }
    expect((await b.attach(turn.turnId))?.lastSeq).toBe(3);
    await redis.pexpire(state, 1);
    await redis.pexpire(stream, 1);
  });
  await sleep(20);
  expect(await openLog(server.url).attach(turn.turnId)).toBeUndefined();
});

test("a follower of a turn that Redis does not have any more is told that it is lost [G1]", async () => {
  // Ten times as fast, so that two looks at what is followed take one second.
  const clock = { now: Date.now, schedule: quickly };
  const [a, b] = [openLog(server.url), openLog(server.url, { clock })];
  const turn = startTurn(a);
  turn.append(1, 2);
  const view = await attachTo(b, turn.turnId);
  let wakes = 0;
  view.watch({
    wake() {
      wakes += 1;
    },
  });
  const { state, stream } = keysOf(turn.orgId, turn.turnId);
  await onRedis(server.url, (redis) => redis.del(state, stream));
  await until("the reader is woken", () => wakes > 0);
  expect(view).toMatchObject({ lost: true, sealed: false });
  expect(await b.attach(turn.turnId)).toBeUndefined();
});

test("a client that was made elsewhere lends its settings and keeps its own connection [G13]", async () => {
  const redis = new Redis(server.url);
  const log = createRedisLog({ redis, owner: randomUUID() });
  const turn = startTurn(log);
  await turn.seal(1);
  await log.close();
  expect(await redis.hget(stateKeyOf(turn.turnId), "last")).toBe("1");
  redis.disconnect();
});

test("closing writes what waits, and takes nothing afterwards [D-19]", async () => {
  const log = openLog(server.url);
  const turn = startTurn(log);
  turn.append(1, 5);
  await log.close();
  expect(await onRedis(server.url, (redis) => redis.hget(stateKeyOf(turn.turnId), "last"))).toBe("5");
  turn.append(6, 6);
  expect(turn.failures).toEqual(["LOG_UNAVAILABLE"]);
});

function quickly(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms / 10);
  return () => clearTimeout(timer);
}
