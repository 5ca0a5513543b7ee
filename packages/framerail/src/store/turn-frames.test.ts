import { randomUUID } from "node:crypto";
import { createFrameEncoder, createSseFraming, FRAME_TYPES, systemClock } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { packFrames } from "./frame-segment.js";
import { claimOrphans } from "./leases.js";
import { READ_SEGMENTS_MAX } from "./limits.js";
import { storeSegment } from "./store-pieces.js";
import { FRAME_SAMPLES } from "./testing/frame-samples.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { endOf, framesOf, startTurn } from "./testing/turn-fixtures.js";
import { commitTurnEnd } from "./turn-end.js";
import { dropOldFrames, readFrames } from "./turn-frames.js";

describe.each(DRIVERS)("stored frames on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const piece = async (turnId: string, first: number, last: number, epoch = 1) =>
    storeSegment(store.database, { orgId: org, turnId, epoch }, await packFrames(framesOf(turnId, first, last)));
  const read = (turnId: string, after: number) => readFrames(store.database, org, turnId, after);

  test("a long turn is stored in pieces, and a reader continues from any frame of it [W-ES-1]", async () => {
    const turn = await startTurn(store.database, org);
    const pieces = READ_SEGMENTS_MAX + 2;
    for (let index = 0; index < pieces; index += 1) await piece(turn.turnId, index * 10 + 1, index * 10 + 10);
    const last = pieces * 10;
    for (const after of [0, 1, 9, 10, 11, last - 1, last]) {
      const seen = [];
      for (let cursor = after, more = true; more; ) {
        const page = await read(turn.turnId, cursor);
        seen.push(...page.frames);
        cursor = page.frames.at(-1)?.seq ?? cursor;
        more = page.more;
      }
      expect(seen).toEqual(framesOf(turn.turnId, after + 1, last));
    }
  });

  test("pieces and the rest of the final commit are one row of frames, the terminal last", async () => {
    const turn = await startTurn(store.database, org);
    await piece(turn.turnId, 1, 2);
    const segments = [await packFrames(framesOf(turn.turnId, 3, 3))];
    const end = await endOf(turn, { segments });
    await commitTurnEnd(store.database, org, end);
    expect((await read(turn.turnId, 0)).frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect((await read(turn.turnId, 3)).frames).toEqual([end.terminal]);
    expect((await read(turn.turnId, 4)).frames).toEqual([]);
  });

  test("a gap and a stale epoch are refused, and the same piece again changes nothing [D-3]", async () => {
    const { turnId } = await startTurn(store.database, org);
    await expect(piece(turnId, 2, 3)).rejects.toMatchObject({ code: "INVARIANT_VIOLATION" });
    await piece(turnId, 1, 3);
    await piece(turnId, 1, 3);
    await expect(piece(turnId, 5, 6)).rejects.toMatchObject({ code: "INVARIANT_VIOLATION" });
    await expect(piece(turnId, 4, 6, 2)).rejects.toMatchObject({ code: "STALE_EPOCH" });
    await claimOrphans(store.database, { owner: randomUUID(), max: 1_000 });
    await expect(piece(turnId, 4, 6)).rejects.toMatchObject({ code: "STALE_EPOCH" });
    await piece(turnId, 4, 6, 2);
    expect((await read(turnId, 0)).frames).toHaveLength(6);
  });

  test("every frame type of the wire goes into the store and comes back byte for byte [W-ES-2] [W-ES-4]", async () => {
    const { turnId } = await startTurn(store.database, org);
    const encoder = createFrameEncoder({ responseId: turnId, clock: systemClock });
    const frame = createSseFraming({ idPrefix: `${turnId}.1.` });
    const frames = FRAME_TYPES.map((type, index) => {
      const payload = FRAME_SAMPLES[type] as never;
      return { seq: index + 1, sse: frame(type, index + 1, encoder.encode(type, index + 1, payload)) };
    });
    await storeSegment(store.database, { orgId: org, turnId, epoch: 1 }, await packFrames(frames));
    expect((await read(turnId, 0)).frames).toEqual(frames);
  });

  test("frames and journal of turns that ended long ago are dropped, the rest and the message stay", async () => {
    await dropOldFrames(store.database, 24);
    const old = await startTurn(store.database, org);
    const young = await startTurn(store.database, org);
    const open = await startTurn(store.database, org);
    for (const turn of [old, young]) await commitTurnEnd(store.database, org, await endOf(turn));
    await piece(open.turnId, 1, 3);
    const age = (turnId: string, hours: number) =>
      store.admin(`update turns set ended_at = now() - interval '${hours} hours' where id = '${turnId}'`);
    await age(old.turnId, 25);
    await age(young.turnId, 23);
    expect(await dropOldFrames(store.database, 24)).toBe(1);
    const left = await Promise.all([old, young, open].map(async ({ turnId }) => (await read(turnId, 0)).frames.length));
    expect(left).toEqual([1, 4, 3]);
    expect(await store.admin(`select id from messages where run_id = '${old.turnId}'`)).toHaveLength(2);
  });

  test("a stranger to the turn reads nothing [D-12]", async () => {
    const turn = await startTurn(store.database, org);
    await commitTurnEnd(store.database, org, await endOf(turn));
    expect((await readFrames(store.database, await createTenant(store.database), turn.turnId, 0)).frames).toEqual([]);
  });
});
