import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { manualClock } from "../agent/model/testing/manual-clock.js";
import { readActions } from "../store/audit.js";
import { createDatabase } from "../store/database.js";
import { createPostgresDriver } from "../store/postgres/postgres-driver.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createPostgresDatabase, createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { digestBlob, prependVersion, stripVersion } from "./checkpoint-blob.js";
import type { CheckpointReport } from "./checkpoints.js";
import { createCheckpoints } from "./checkpoints.js";
import { CHECKPOINT_STATE_BYTES_MAX } from "./limits.js";
import { openTurn } from "./testing/open-turn.js";

const STATE = new Uint8Array([9, 8, 7]);
const OTHER = new Uint8Array([9, 8, 6]);

describe("a checkpoint's blob", () => {
  test("begins with version 1 in four bytes, the highest first, and the state comes back as it was [R-5.2.1-1, R-5.2.1-2]", () => {
    expect([...prependVersion(STATE)]).toEqual([0, 0, 0, 1, 9, 8, 7]);
    expect([...stripVersion(prependVersion(STATE))]).toEqual([...STATE]);
    expect([...stripVersion(prependVersion(new Uint8Array()))]).toEqual([]);
    // Out of the middle of a larger buffer, as a driver may hand it out.
    expect([...stripVersion(new Uint8Array([7, 0, 0, 0, 1, 5]).subarray(1))]).toEqual([5]);
  });

  test("that is too short or of another version is refused [R-5.2.1-2, R-5.2.1-3]", () => {
    for (const blob of [[], [0, 0, 1], [0, 0, 0, 2, 9], [1, 0, 0, 0, 9], [0, 0, 0, 0]]) {
      expect(() => stripVersion(new Uint8Array(blob))).toThrow(
        expect.objectContaining({ code: "CHECKPOINT_UNREADABLE" }),
      );
    }
  });
});

describe.each(DRIVERS)("checkpoints on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  async function bench() {
    const org = await createTenant(store.database);
    const { sessionId, turnId, rootId } = await openTurn(store.database, org);
    const reports: CheckpointReport[] = [];
    const clock = manualClock();
    const checkpoints = createCheckpoints({ database: store.database, clock, report: (one) => void reports.push(one) });
    const because = { sessionId, turnId, parentId: rootId };
    return {
      ...because,
      org,
      reports,
      clock,
      checkpoints,
      put: (loopIteration: number, state = STATE, over: object = {}) =>
        checkpoints.put(org, { ...because, loopIteration, state, ...over }),
      readLatest: (onMismatch?: "block" | "reset") =>
        checkpoints.readLatest(org, { ...because, ...(onMismatch && { onMismatch }) }),
      rows: () =>
        store.database.asTenant<{ bytes: Uint8Array; bytes_sha256: string; loop_iteration: number }>(org, {
          text: "select bytes, bytes_sha256, loop_iteration from agent_checkpoints order by loop_iteration",
        }),
      actions: () => store.database.asTenant(org, (sql) => readActions(sql, sessionId)),
      /** As no caller could store it. */
      plant: (blob: number[], sha256 = digestBlob(new Uint8Array(blob))) =>
        store.database.asTenant(org, {
          text: `insert into agent_checkpoints (org_id, session_id, checkpoint_key, bytes, bytes_sha256, loop_iteration)
            values (current_org(), $1, 'planted', $2, $3, 8)`,
          values: [sessionId, new Uint8Array(blob), sha256],
        }),
    };
  }

  test("a checkpoint is stored with its header and hash, and read back without it [R-5.2-1, R-5.2.1-1]", async () => {
    const { put, rows, readLatest, sessionId } = await bench();
    expect(await readLatest()).toEqual({ kind: "first" });
    expect(await put(0)).toMatchObject({ inserted: true, hashMatch: true });
    await put(1, OTHER);
    const [first] = await rows();
    expect([...(first?.bytes ?? [])]).toEqual([0, 0, 0, 1, 9, 8, 7]);
    expect(first?.bytes_sha256).toBe(digestBlob(prependVersion(STATE)));
    const latest = await readLatest();
    expect(latest).toMatchObject({ kind: "resumed", loopIteration: 1, key: `${sessionId}:1` });
    expect(latest.kind === "resumed" && [[...latest.state], [...latest.blob]]).toEqual([
      [9, 8, 6],
      [0, 0, 0, 1, 9, 8, 6],
    ]);
  });

  test("each stored checkpoint has one audit row, whose duration is the one returned [R-5.2-2]", async () => {
    const { put, actions, clock, sessionId, parentId } = await bench();
    const pending = put(1);
    // The clock stands still but for this: what passes while the put is under way is its duration.
    clock.advance(37);
    const { durationMs } = await pending;
    expect(durationMs).toBe(37);
    await put(1);
    const [, created, ...more] = await actions();
    expect(more).toEqual([]);
    expect(created).toMatchObject({
      actionType: "checkpoint_created",
      durationMs,
      detail: { checkpoint_key: `${sessionId}:1`, loop_iteration: 1, bytes: 7 },
    });
    expect(created?.chain.map(({ id }) => id)).toEqual([parentId, created?.id]);
  });

  test("what a histogram is given is a number and names no session [R-5.2-3]", async () => {
    const { put } = await bench();
    expect(await put(1)).toEqual({ inserted: true, hashMatch: true, durationMs: 0 });
  });

  test("the same checkpoint again is a success that changes nothing [R-5.2-4]", async () => {
    const { put, rows, actions, reports } = await bench();
    await put(1);
    await put(2);
    const before = [await rows(), await actions()];
    expect(await put(1)).toMatchObject({ inserted: false, hashMatch: true });
    expect([await rows(), await actions()]).toEqual(before);
    expect(reports).toEqual([]);
  });

  test("other bytes for a stored iteration are refused and reported, and the first ones stay [R-5.2-5, R-5.2.1-5]", async () => {
    const { put, rows, actions, reports, org, sessionId } = await bench();
    await put(1);
    const before = [await rows(), await actions()];
    await expect(put(1, OTHER)).rejects.toMatchObject({ code: "CHECKPOINT_DIFFERS" });
    expect([await rows(), await actions()]).toEqual(before);
    expect(reports).toMatchObject([
      { level: "p1", code: "CHECKPOINT_DIFFERS", orgId: org, sessionId, loopIteration: 1 },
    ]);
  });

  test("a session that the tenant does not have takes no checkpoint and gives none", async () => {
    const { checkpoints, put, rows, turnId, parentId, sessionId } = await bench();
    const stranger = await createTenant(store.database);
    for (const [tenant, session] of [
      [stranger, sessionId],
      [stranger, randomUUID()],
      [stranger, "none"],
    ] as const) {
      const because = { sessionId: session, turnId, parentId };
      const tried = checkpoints.put(tenant, { ...because, loopIteration: 1, state: STATE });
      await expect(tried).rejects.toMatchObject({ code: "NOT_FOUND" });
      await expect(checkpoints.readLatest(tenant, because)).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    await expect(put(1, STATE, { parentId: randomUUID() })).rejects.toMatchObject({ code: "PROVENANCE_INVALID" });
    expect(await rows()).toEqual([]);
  });

  test("a state has a largest size, and an iteration is a count", async () => {
    const { put, rows, readLatest } = await bench();
    const whole = new Uint8Array(CHECKPOINT_STATE_BYTES_MAX).fill(1);
    await expect(put(1, new Uint8Array(CHECKPOINT_STATE_BYTES_MAX + 1))).rejects.toMatchObject({
      code: "INPUT_TOO_LARGE",
    });
    for (const iteration of [-1, 0.5, Number.NaN, 2 ** 31]) {
      await expect(put(iteration)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
    expect(await rows()).toEqual([]);
    await put(2 ** 31 - 1, whole);
    const latest = await readLatest();
    expect(latest.kind === "resumed" && digestBlob(latest.state)).toBe(digestBlob(whole));
  });

  const UNREADABLE: [why: string, blob: number[], sha256: string | undefined][] = [
    ["of another version", [0, 0, 0, 2, 9], undefined],
    ["shorter than its header", [0, 0, 1], undefined],
    ["damaged since it was stored", [0, 0, 0, 1, 9], digestBlob(new Uint8Array([0, 0, 0, 1, 8]))],
  ];

  test.each(UNREADABLE)(
    "a state %s blocks the session, and somebody is woken [R-5.2.1-3, R-OQ-5, I-17]",
    async (_, blob, sha256) => {
      const { put, plant, readLatest, reports, actions } = await bench();
      await put(1);
      await plant(blob, sha256);
      const before = await actions();
      for (const policy of [undefined, "block"] as const) {
        await expect(readLatest(policy)).rejects.toMatchObject({ code: "CHECKPOINT_UNREADABLE" });
      }
      expect(reports).toMatchObject([
        { level: "p1", code: "CHECKPOINT_UNREADABLE", loopIteration: 8 },
        { level: "p1", code: "CHECKPOINT_UNREADABLE", loopIteration: 8 },
      ]);
      expect(await actions()).toEqual(before);
    },
  );

  test.each(UNREADABLE)(
    "where that is chosen, a state %s resets the session, whose iterations count on [R-OQ-5, I-17]",
    async (_, blob, sha256) => {
      const { put, plant, readLatest, reports, actions, parentId } = await bench();
      await put(1);
      await plant(blob, sha256);
      expect(await readLatest("reset")).toEqual({ kind: "reset", loopIteration: 8 });
      expect(reports).toMatchObject([{ level: "p1", code: "CHECKPOINT_UNREADABLE" }]);
      const reset = (await actions()).find(({ actionType }) => actionType === "session_reset");
      expect(reset).toMatchObject({ detail: { loop_iteration: 8 }, parentId });
      expect(await put(9, OTHER)).toMatchObject({ inserted: true });
      expect(await readLatest("reset")).toMatchObject({ kind: "resumed", loopIteration: 9 });
    },
  );

  test("many who store one iteration at the same time make one row, and all succeed [R-OQ-3, R-5.2-1]", async () => {
    const { put, rows, actions } = await bench();
    const results = await Promise.all(Array.from({ length: 20 }, () => put(5)));
    expect(results.filter(({ inserted }) => inserted)).toHaveLength(1);
    expect(results.every(({ hashMatch }) => hashMatch)).toBe(true);
    expect(await rows()).toHaveLength(1);
    expect((await actions()).filter(({ actionType }) => actionType === "checkpoint_created")).toHaveLength(1);
    const mixed = await Promise.allSettled([put(6, STATE), put(6, OTHER), put(6, STATE), put(6, OTHER)]);
    expect(mixed.filter(({ status }) => status === "rejected")).toHaveLength(2);
    expect(await rows()).toHaveLength(2);
  });
});

test("two replicas that store one iteration at the same time both succeed, with one row [R-OQ-3]", async () => {
  const { url, drop } = await createPostgresDatabase();
  const replicas = [1, 2].map(() => createDatabase(createPostgresDriver({ url })));
  const [first] = replicas as [(typeof replicas)[0]];
  const org = await createTenant(first);
  const { rootId: parentId, ...turn } = await openTurn(first, org);
  const writers = replicas.map((database) => createCheckpoints({ database, clock: manualClock() }));
  const puts = Array.from({ length: 20 }, (_, index) =>
    (writers[index % 2] as (typeof writers)[0]).put(org, { ...turn, parentId, loopIteration: 1, state: STATE }),
  );
  const results = await Promise.all(puts);
  expect(results.filter(({ inserted }) => inserted)).toHaveLength(1);
  expect(await first.asTenant(org, { text: "select from agent_checkpoints" })).toHaveLength(1);
  await Promise.all(replicas.map((database) => database.close()));
  await drop();
});
