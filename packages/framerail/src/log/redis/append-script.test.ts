import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSegment } from "../testing/create-segment.js";
import { frameOf } from "../testing/log-contract.js";
import type { AppendAnswer, AppendItem } from "./append-script.js";
import { APPEND_SCRIPT, decodeAnswers, encodeItems } from "./append-script.js";
import type { RedisServer } from "./testing/redis-server.js";
import { onRedis, useRedis } from "./testing/redis-server.js";
import type { TurnKeys } from "./turn-keys.js";
import { keysOf } from "./turn-keys.js";

let server: Pick<RedisServer, "url" | "dispose">;
beforeAll(async () => {
  server = await useRedis();
});
afterAll(() => server.dispose());

const segmentOf = (first: number, last: number) =>
  createSegment(Array.from({ length: last - first + 1 }, (_, index) => frameOf("turn", first + index)));

/** An item with one segment per pair. */
function itemOf(keys: TurnKeys, pairs: readonly [number, number][], fields: Partial<AppendItem> = {}): AppendItem {
  const segments = pairs.map(([first, last]) => segmentOf(first, last));
  return { keys, epoch: 1, base: 0, next: pairs[0]?.[0] ?? 1, segments, seals: false, ...fields };
}

async function run(redis: Redis, items: readonly AppendItem[], owner = "a"): Promise<AppendAnswer[]> {
  const answers = await redis.eval(APPEND_SCRIPT, items.length * 2, ...encodeItems(owner, items));
  return decodeAnswers(answers as (Buffer | number)[]);
}

const on = (act: (redis: Redis, keys: TurnKeys) => Promise<void>) =>
  onRedis(server.url, (redis) => act(redis, keysOf(randomUUID(), randomUUID())));

const idsOf = async (redis: Redis, keys: TurnKeys) => (await redis.xrange(keys.stream, "-", "+")).map(([id]) => id);

test("the script refuses a gap and writes nothing of it [D-1]", () =>
  on(async (redis, keys) => {
    expect(await run(redis, [itemOf(keys, [[1, 3]])])).toEqual([{ status: "ok", lastSeq: 3 }]);
    expect(await run(redis, [itemOf(keys, [[5, 6]])])).toEqual([{ status: "gap", lastSeq: 3 }]);
    expect(await run(redis, [itemOf(keys, [[3, 4]])])).toEqual([{ status: "gap", lastSeq: 3 }]);
    expect(await idsOf(redis, keys)).toEqual(["3-0"]);
  }));

test("the script refuses what comes after the terminal, from this owner and from the next [D-1]", () =>
  on(async (redis, keys) => {
    await run(redis, [itemOf(keys, [[1, 2]], { seals: true })]);
    expect(await run(redis, [itemOf(keys, [[3, 3]])])).toEqual([{ status: "sealed", lastSeq: 2 }]);
    expect(await run(redis, [itemOf(keys, [[3, 3]], { epoch: 2, base: 2 })], "b")).toEqual([
      { status: "sealed", lastSeq: 2 },
    ]);
    expect(await run(redis, [itemOf(keys, [[1, 2]], { seals: true })])).toEqual([{ status: "ok", lastSeq: 2 }]);
    expect(await idsOf(redis, keys)).toEqual(["2-0"]);
  }));

test("the script refuses an epoch that is older, and one that another has [D-3]", () =>
  on(async (redis, keys) => {
    await run(redis, [itemOf(keys, [[1, 2]], { epoch: 5 })]);
    for (const [epoch, owner] of [
      [4, "a"],
      [5, "b"],
    ] as const) {
      expect(await run(redis, [itemOf(keys, [[3, 3]], { epoch })], owner)).toEqual([{ status: "stale", lastSeq: 2 }]);
    }
    expect(await run(redis, [itemOf(keys, [], { epoch: 6, base: 2, next: 3 })], "b")).toEqual([
      { status: "ok", lastSeq: 2 },
    ]);
    expect(await run(redis, [itemOf(keys, [[3, 3]], { epoch: 5 })])).toEqual([{ status: "stale", lastSeq: 2 }]);
    expect(await idsOf(redis, keys)).toEqual(["2-0"]);
  }));

test("a repeated call finds itself done, whole or in part [D-1]", () =>
  on(async (redis, keys) => {
    await run(redis, [itemOf(keys, [[1, 3]])]);
    expect(await run(redis, [itemOf(keys, [[1, 3]])])).toEqual([{ status: "ok", lastSeq: 3 }]);
    const more = [itemOf(keys, [[1, 3], [4, 4], [5, 9]])]; // biome-ignore format: pairs
    expect(await run(redis, more)).toEqual([{ status: "ok", lastSeq: 9 }]);
    expect(await idsOf(redis, keys)).toEqual(["3-0", "4-0", "9-0"]);
  }));

test("a turn that is missing is made from its owner's beginning and from nothing later [D-1]", () =>
  on(async (redis, keys) => {
    expect(await run(redis, [itemOf(keys, [[4, 5]])])).toEqual([{ status: "missing", lastSeq: 0 }]);
    expect(await redis.exists(keys.state, keys.stream)).toBe(0);
    expect(await run(redis, [itemOf(keys, [[4, 5]], { base: 3 })])).toEqual([{ status: "ok", lastSeq: 5 }]);
  }));

test("turns of one call are judged each for itself, and one that cannot be written fails alone [D-1]", () =>
  on(async (redis, keys) => {
    const others = Array.from({ length: 3 }, () => keysOf(randomUUID(), randomUUID()));
    const [broken, gap, good] = others as [TurnKeys, TurnKeys, TurnKeys];
    await redis.set(broken.stream, "not a stream");
    const items = [
      itemOf(keys, [[1, 2], [3, 3]], { seals: true }), // biome-ignore format: pairs
      itemOf(broken, [[1, 1]]),
      itemOf(gap, [[2, 2]]),
      itemOf(good, [[1, 1]]),
    ];
    expect(await run(redis, items)).toEqual([
      { status: "ok", lastSeq: 3 },
      { status: "failed", lastSeq: 0, says: expect.stringContaining("WRONGTYPE") as string },
      { status: "missing", lastSeq: 0 },
      { status: "ok", lastSeq: 1 },
    ]);
    const [, [, fields]] = (await redis.xrangeBuffer(keys.stream, "-", "+")) as [unknown, [Buffer, Buffer[]]];
    expect(fields.map(String)).toEqual([
      "epoch",
      "1",
      "first",
      "3",
      "seals",
      "1",
      "bytes",
      String(segmentOf(3, 3).chunks),
    ]);
  }));
