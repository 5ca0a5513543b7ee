import { setTimeout as sleep } from "node:timers/promises";
import { FramerailError } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Database } from "./database.js";
import type { FrameSegment } from "./frame-segment.js";
import { packFrames } from "./frame-segment.js";
import { PIECES_STORED_AT_ONCE_MAX } from "./limits.js";
import type { Statement } from "./sql.js";
import { storeSegment } from "./store-pieces.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { endOf, framesOf, startTurn } from "./testing/turn-fixtures.js";
import { commitTurnEnd } from "./turn-end.js";
import { readFrames } from "./turn-frames.js";

describe.each(DRIVERS)("pieces of turns that run, on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  /** The store, asked by way of `around`, which is told how often. */
  function watch(around: (ask: () => Promise<unknown>, count: number) => Promise<unknown>): Database {
    let count = 0;
    const asSystem = (work: Statement) => {
      count += 1;
      return around(() => store.database.asSystem(work), count);
    };
    return { ...store.database, asSystem } as Database;
  }

  const frameCount = async (turnId: string) => (await readFrames(store.database, org, turnId, 0)).frames.length;
  const openTurns = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await startTurn(store.database, org)).turnId));
  const piece = async (database: Database, turnId: string, [first, last] = [1, 3], epoch = 1) =>
    storeSegment(database, { orgId: org, turnId, epoch }, await packFrames(framesOf(turnId, first, last)));

  test("are stored together where they come together, and each is its own turn's [D-12] [G8]", async () => {
    let asked = 0;
    const database = watch((ask) => {
      asked += 1;
      return ask();
    });
    const turnIds = await openTurns(2 * PIECES_STORED_AT_ONCE_MAX);
    const packed = await Promise.all(turnIds.map((turnId, index) => packFrames(framesOf(turnId, 1, index + 1))));
    const store1 = (turnId: string, index: number) =>
      storeSegment(database, { orgId: org, turnId, epoch: 1 }, packed[index] as (typeof packed)[number]);
    await Promise.all(turnIds.map(store1));
    expect(asked).toBe(2);
    for (const [index, turnId] of turnIds.entries()) {
      expect((await readFrames(store.database, org, turnId, 0)).frames).toEqual(framesOf(turnId, 1, index + 1));
    }
  });

  test("have an answer of their own: one that is stale, or leaves a gap, costs no other its place [D-3]", async () => {
    const [good, stale, gap, again] = (await openTurns(4)) as [string, string, string, string];
    await piece(store.database, again);
    const ended = await startTurn(store.database, org);
    await commitTurnEnd(store.database, org, await endOf(ended, { segments: [] }));
    const found = await Promise.allSettled([
      piece(store.database, stale, [1, 3], 2),
      piece(store.database, good),
      piece(store.database, gap, [2, 3]),
      piece(store.database, again),
      piece(store.database, ended.turnId),
    ]);
    expect(found.map((one) => (one.status === "fulfilled" ? "stored" : one.reason.code))).toEqual([
      "STALE_EPOCH",
      "stored",
      "INVARIANT_VIOLATION",
      "stored",
      "STALE_EPOCH",
    ]);
    expect(await Promise.all([good, stale, gap, again].map(frameCount))).toEqual([3, 0, 0, 3]);
  });

  test("wait for others when some were just stored, and for nothing otherwise [G8]", async () => {
    const turnIds = await openTurns(5);
    let asked = 0;
    const database = watch((ask) => {
      asked += 1;
      return ask();
    });
    await piece(database, turnIds[0] as string);
    expect(asked).toBe(1);
    const later = turnIds.slice(1).map(async (turnId, index) => {
      await sleep(index);
      await piece(database, turnId);
    });
    await Promise.all(later);
    // A machine that stands still may need one more.
    expect(asked).toBeLessThanOrEqual(3);
  });

  test("of a turn that is faster than others gather wait for nothing [D-6] [G8]", async () => {
    const turnId = (await openTurns(1))[0] as string;
    // Nothing that waits for a time comes to an end.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      for (let first = 1; first <= 13; first += 3) await piece(store.database, turnId, [first, first + 2]);
    } finally {
      vi.useRealTimers();
    }
    expect(await frameCount(turnId)).toBe(15);
  });

  test("are stored one by one where the database refuses one of them [G8]", async () => {
    const [good, bad, other] = (await openTurns(3)) as [string, string, string];
    const put = (turnId: string, frames: FrameSegment) =>
      storeSegment(store.database, { orgId: org, turnId, epoch: 1 }, frames);
    const [one, two] = await Promise.all([good, other].map((turnId) => packFrames(framesOf(turnId, 1, 3))));
    // Ends before it begins, which the table does not take.
    const refused = { firstSeq: 1, lastSeq: 0, bytes: new Uint8Array([1]) };
    const found = await Promise.allSettled([
      put(good, one as FrameSegment),
      put(bad, refused),
      put(other, two as FrameSegment),
    ]);
    expect(found.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await Promise.all([good, other].map(frameCount))).toEqual([3, 3]);
  });

  test("are all in doubt where the answer for them was lost, and are not stored twice by being asked again [D-4]", async () => {
    const turnIds = (await openTurns(3)) as [string, string, string];
    const database = watch(async (ask, count) => {
      const answer = await ask();
      if (count === 1) throw new FramerailError("COMMIT_UNKNOWN", "the line broke");
      return answer;
    });
    const packed = await Promise.all(
      turnIds.map(async (turnId) => ({ turnId, frames: await packFrames(framesOf(turnId, 1, 3)) })),
    );
    const storeAll = () =>
      Promise.allSettled(
        packed.map(({ turnId, frames }) => storeSegment(database, { orgId: org, turnId, epoch: 1 }, frames)),
      );
    const codes = (await storeAll()).map((one) => (one.status === "rejected" ? one.reason.code : one.status));
    expect(codes).toEqual(["COMMIT_UNKNOWN", "COMMIT_UNKNOWN", "COMMIT_UNKNOWN"]);
    expect((await storeAll()).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
    expect(await Promise.all(turnIds.map(frameCount))).toEqual([3, 3, 3]);
  });
});
