import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession } from "../ledger/testing/open-turn.js";
import type { CheckpointRow } from "./checkpoints.js";
import { insertCheckpoint, lockSession, readNewestCheckpoint } from "./checkpoints.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";

const rowOf = (sessionId: string, loopIteration: number, sha256 = "a"): CheckpointRow => ({
  sessionId,
  loopIteration,
  key: `key-${loopIteration}`,
  bytes: new Uint8Array([0, 255, loopIteration]),
  sha256,
});

describe.each(DRIVERS)("checkpoint rows on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  const put = (org: string, row: CheckpointRow) => store.database.asTenant(org, (sql) => insertCheckpoint(sql, row));
  const readSession = async (org: string, id: string) => {
    const [row] = await store.database.asTenant<object>(org, {
      text: `select checkpoint_key as key, loop_count as count, snapshot_data as snapshot from agent_sessions where id = $1`,
      values: [id],
    });
    return row;
  };

  test("the table has the columns, the key and the index that were agreed on [R-5.1-1, R-5.1-2]", async () => {
    const columns = await store.admin(
      `select column_name as name, data_type as type, is_nullable as nullable from information_schema.columns
       where table_name = 'agent_checkpoints' order by ordinal_position`,
    );
    expect(columns.map(({ name, type, nullable }) => [name, type, nullable])).toEqual([
      ["id", "uuid", "NO"],
      ["org_id", "uuid", "NO"],
      ["session_id", "uuid", "NO"],
      ["checkpoint_key", "text", "NO"],
      ["bytes", "bytea", "NO"],
      ["bytes_sha256", "text", "NO"],
      ["loop_iteration", "integer", "NO"],
      ["created_at", "timestamp with time zone", "NO"],
    ]);
    const indexes = await store.admin<{ definition: string }>(
      "select indexdef as definition from pg_indexes where tablename = 'agent_checkpoints'",
    );
    const definitions = indexes.map(({ definition }) => definition).join("\n");
    expect(definitions).toMatch(/UNIQUE INDEX .* \(session_id, loop_iteration\)/);
    expect(definitions).toMatch(/INDEX idx_checkpoints_session_latest .* \(session_id, loop_iteration DESC\)/);
  });

  test("a session that is deleted takes its checkpoints with it [R-5.1-1]", async () => {
    const org = await createTenant(store.database);
    const session = await openSession(store.database, org);
    await put(org, rowOf(session, 1));
    await store.database.asTenant(org, { text: "delete from agent_sessions where id = $1", values: [session] });
    expect(await store.admin(`select from agent_checkpoints where session_id = '${session}'`)).toEqual([]);
  });

  test("no tenant sees or writes a checkpoint of another, and the owner of the table obeys too [R-5.1-3]", async () => {
    const [org, stranger] = [await createTenant(store.database), await createTenant(store.database)];
    const session = await openSession(store.database, org);
    await put(org, rowOf(session, 1));
    expect(await store.database.asTenant(stranger, { text: "select from agent_checkpoints" })).toEqual([]);
    expect(await store.database.asTenant(stranger, (sql) => readNewestCheckpoint(sql, session))).toBeUndefined();
    expect(await store.database.asTenant(stranger, (sql) => lockSession(sql, session))).toBe(false);
    for (const iteration of [1, 2]) {
      await expect(put(stranger, rowOf(session, iteration))).rejects.toMatchObject({ code: "23503" });
    }
    expect(
      await store.admin(
        `select c.relrowsecurity as secured, c.relforcerowsecurity as forced, p.policyname as policy, p.qual as rule
         from pg_class c join pg_policies p on p.tablename = c.relname where c.relname = 'agent_checkpoints'`,
      ),
    ).toEqual([{ secured: true, forced: true, policy: "checkpoints_org_isolation", rule: "(org_id = current_org())" }]);
  });

  test("a put tells whether it inserted and whether the stored hash is its own, in all three cases [R-5.2.1-4]", async () => {
    const org = await createTenant(store.database);
    const session = await openSession(store.database, org);
    expect(await put(org, rowOf(session, 1, "a"))).toEqual({ inserted: true, hashMatch: true });
    expect(await put(org, rowOf(session, 1, "a"))).toEqual({ inserted: false, hashMatch: true });
    expect(await put(org, rowOf(session, 1, "b"))).toEqual({ inserted: false, hashMatch: false });
  });

  test("the session points at its newest checkpoint, and what it began with stays as it was [R-5.1-4]", async () => {
    const org = await createTenant(store.database);
    const session = await openSession(store.database, org);
    const snapshot = { began: "with this" };
    await put(org, rowOf(session, 3));
    expect(await readSession(org, session)).toEqual({ key: "key-3", count: 3, snapshot });
    // An older one that comes late is kept, and moves nothing back.
    await put(org, rowOf(session, 2));
    expect(await readSession(org, session)).toEqual({ key: "key-3", count: 3, snapshot });
    await put(org, rowOf(session, 4));
    const newest = await store.database.asTenant(org, (sql) => readNewestCheckpoint(sql, session));
    expect(newest).toMatchObject({ loopIteration: 4, key: "key-4" });
    expect([...(newest?.bytes ?? [])]).toEqual([0, 255, 4]);
    expect(await readSession(org, session)).toEqual({ key: newest?.key, count: 4, snapshot });
    await expect(
      store.database.asTenant(org, {
        text: "update agent_sessions set snapshot_data = '{}' where id = $1",
        values: [session],
      }),
    ).rejects.toMatchObject({ code: "23514" });
  });

  test("who holds a session keeps every other writer of it waiting until the end [R-5.2-1]", async () => {
    const org = await createTenant(store.database);
    const session = await openSession(store.database, org);
    const order: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let holds = () => {};
    const held = new Promise<void>((resolve) => {
      holds = resolve;
    });
    const first = store.database.asTenant(org, async (sql) => {
      await lockSession(sql, session);
      holds();
      await released;
      order.push("first");
      await insertCheckpoint(sql, rowOf(session, 1));
    });
    await held;
    const second = store.database.asTenant(org, async (sql) => {
      await lockSession(sql, session);
      order.push("second");
      return insertCheckpoint(sql, rowOf(session, 1));
    });
    // Long enough for the second to have come through, were it not kept waiting.
    await new Promise((resolve) => setTimeout(resolve, 100));
    release();
    await first;
    expect(await second).toEqual({ inserted: false, hashMatch: true });
    expect(order).toEqual(["first", "second"]);
    expect(await store.database.asTenant(org, (sql) => lockSession(sql, randomUUID()))).toBe(false);
  });
});
