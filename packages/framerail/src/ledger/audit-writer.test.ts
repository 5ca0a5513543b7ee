import { randomUUID } from "node:crypto";
import { FramerailError, systemClock } from "@framerail/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { manualClock } from "../agent/model/testing/manual-clock.js";
import type { AuditRow } from "../store/audit.js";
import type { Database } from "../store/database.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import type { UnwrittenRows } from "./audit-writer.js";
import { createAuditWriter } from "./audit-writer.js";
import { AUDIT_BATCH_MAX, AUDIT_QUEUE_HIGH, AUDIT_QUEUE_MAX, AUDIT_TRIES_MAX } from "./limits.js";
import { openTurn } from "./testing/open-turn.js";

const rowOf = (sessionId: string, parentId: string | null): AuditRow => ({
  id: randomUUID(),
  sessionId,
  turnId: null,
  actionType: "tool_call",
  parentId,
  detail: {},
  durationMs: 1,
  occurredAt: null,
});

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The real database, behind a door that a test can close: before the work, or after it as when a commit's answer is lost. */
function withDoor(database: Database) {
  const door = { attempts: 0, fails: (_attempt: number): "before" | "after" | undefined => undefined };
  const asTenant = async (orgId: string, work: never) => {
    door.attempts += 1;
    const when = door.fails(door.attempts);
    if (when === "before") throw new FramerailError("STORE_UNAVAILABLE", "away");
    const result = await database.asTenant(orgId, work);
    if (when === "after") throw new FramerailError("COMMIT_UNKNOWN", "lost");
    return result;
  };
  return { door, database: { ...database, asTenant } as Database };
}

describe.each(DRIVERS)("the audit writer on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  async function bench(clock = systemClock) {
    const org = await createTenant(store.database);
    const { sessionId, rootId } = await openTurn(store.database, org);
    const { door, database } = withDoor(store.database);
    const reports: UnwrittenRows[] = [];
    const writer = createAuditWriter({ database, clock, report: (one) => void reports.push(one) });
    const add = (parentId: string | null = rootId) => {
      const row = rowOf(sessionId, parentId);
      writer.add(org, row);
      return row.id;
    };
    const stored = async (tenant = org) => {
      const text = "select id from agent_audit_log where action_type = 'tool_call'";
      return (await store.database.asTenant<{ id: string }>(tenant, { text })).map(({ id }) => id);
    };
    return { org, sessionId, rootId, door, reports, writer, add, stored };
  }

  test("ten thousand rows that are queued are all there when stop has resolved [R-8-4]", async () => {
    const { writer, add, stored, door, reports } = await bench();
    for (let rows = 0; rows < 10_000; rows += 1) add();
    await writer.stop();
    expect(new Set(await stored()).size).toBe(10_000);
    expect(reports).toEqual([]);
    expect(door.attempts).toBe(10_000 / AUDIT_BATCH_MAX);
    expect(() => add()).toThrow(expect.objectContaining({ code: "INVARIANT_VIOLATION" }));
  });

  test("a full queue keeps who asks waiting until there is room, and drops nothing [R-8-4]", async () => {
    const { writer, add, stored } = await bench();
    let waits = 0;
    for (let rows = 0; rows < AUDIT_QUEUE_HIGH + 100; rows += 1) {
      add();
      let held = true;
      const ready = writer.ready().then(() => {
        held = false;
      });
      await Promise.resolve();
      await Promise.resolve();
      if (held) waits += 1;
      await ready;
    }
    await writer.stop();
    expect(waits).toBeGreaterThan(0);
    expect(await stored()).toHaveLength(AUDIT_QUEUE_HIGH + 100);
  });

  test("each tenant's rows are written as that tenant's, in turn", async () => {
    const { writer, add, stored } = await bench();
    const other = await createTenant(store.database);
    const turn = await openTurn(store.database, other);
    const mine = [add(), add()];
    const row = rowOf(turn.sessionId, turn.rootId);
    writer.add(other, row);
    await writer.stop();
    expect((await stored()).sort()).toEqual(mine.sort());
    expect(await stored(other)).toEqual([row.id]);
  });

  test("rows that the database did not take are tried again, and none is written twice [R-8-4]", async () => {
    const { writer, add, stored, door, reports } = await bench();
    door.fails = (attempt) => (attempt === 1 ? "before" : attempt === 2 ? "after" : undefined);
    const ids = [add(), add()];
    await writer.stop();
    expect((await stored()).sort()).toEqual(ids.sort());
    expect([door.attempts, reports]).toEqual([3, []]);
  });

  test("rows that cannot be written are reported whole after the last try, and stop still resolves [R-8-4]", async () => {
    const clock = manualClock();
    const { org, writer, add, stored, door, reports } = await bench(clock);
    door.fails = () => "before";
    const ids = [add(), add()];
    let stopped = false;
    const stop = writer.stop().then(() => {
      stopped = true;
    });
    while (!stopped) {
      await tick();
      clock.advance(1_000);
    }
    await stop;
    expect(door.attempts).toBe(AUDIT_TRIES_MAX);
    expect(reports).toMatchObject([{ orgId: org, error: { code: "STORE_UNAVAILABLE" } }]);
    expect(reports[0]?.rows.map(({ id }) => id)).toEqual(ids);
    expect(await stored()).toEqual([]);
  });

  test("a row without a valid parent is reported alone, and its neighbours are written [R-7-3, R-8-4]", async () => {
    const { writer, add, stored, reports } = await bench();
    const good = [add(), add(), add()];
    const bad = add(randomUUID());
    good.push(add(), add());
    await writer.stop();
    expect((await stored()).sort()).toEqual(good.sort());
    expect(reports.map(({ rows }) => rows.map(({ id }) => id))).toEqual([[bad]]);
    expect(reports[0]?.error).toMatchObject({ code: "PROVENANCE_INVALID" });
  });

  test("a caller that never waits is refused at the end of the queue, and what was queued is kept", async () => {
    const { writer, add, stored } = await bench();
    for (let rows = 0; rows < AUDIT_QUEUE_MAX; rows += 1) add();
    expect(() => add()).toThrow(expect.objectContaining({ code: "PACE_EXCEEDED" }));
    await writer.stop();
    expect(await stored()).toHaveLength(AUDIT_QUEUE_MAX);
  });
});
