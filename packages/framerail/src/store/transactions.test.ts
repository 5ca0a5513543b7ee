import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RETRIES_MAX } from "./limits.js";
import type { Sql } from "./sql.js";
import { AS_CONNECTED } from "./sql.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";

/** What every driver owes a transaction. */
describe.each(DRIVERS)("a transaction on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const insert = (id: string) => `insert into conversations (org_id, id, user_id) values (current_org(), '${id}', 'u')`;
  const isThere = async (id: string) =>
    (await store.admin(`select from conversations where id = '${id}'`)).length === 1;

  test("a statement that failed unheard cannot be committed in silence", async () => {
    const id = randomUUID();
    const work = async (sql: Sql) => {
      await sql.query(insert(id));
      await sql.query("select nonsense").catch(() => undefined);
    };
    await expect(store.database.asTenant(org, work)).rejects.toMatchObject({ code: "INVARIANT_VIOLATION" });
    expect(await isThere(id)).toBe(false);
  });

  test("a failure that was heard and undone by its author is committed around", async () => {
    const id = randomUUID();
    await store.database.asTenant(org, async (sql) => {
      await sql.query(insert(id));
      await sql.query("savepoint here");
      await sql.query("select nonsense").catch(() => undefined);
      await sql.query("rollback to here");
    });
    expect(await isThere(id)).toBe(true);
  });

  test("work that goes on after its transaction reaches no other [D-12]", async () => {
    const id = randomUUID();
    let late: Promise<unknown> | undefined;
    let speak: (() => void) | undefined;
    const spoken = new Promise<void>((resolve) => {
      speak = resolve;
    });
    const slow = async (sql: Sql) => {
      await spoken;
      await sql.query(insert(id));
    };
    const failing = store.database.asTenant(org, async (sql) => {
      late = slow(sql);
      late.catch(() => undefined);
      await sql.query("select nonsense");
    });
    await expect(failing).rejects.toMatchObject({ code: "42703" });
    const other = await createTenant(store.database);
    await store.database.asTenant(other, async (sql) => {
      speak?.();
      await expect(late).rejects.toMatchObject({ code: "INVARIANT_VIOLATION" });
      await sql.query("select 1");
    });
    expect(await isThere(id)).toBe(false);
  });

  test("a role that cannot be taken is told, and the next transaction begins", async () => {
    const nobody = { role: "nobody_at_all" };
    const select = { text: "select 1 as one" };
    await expect(store.driver.transaction(nobody, (sql) => sql.query("select 1"))).rejects.toMatchObject({
      code: "22023",
    });
    expect(await store.driver.once(AS_CONNECTED, select)).toEqual([{ one: 1 }]);
    await expect(store.driver.once(nobody, select)).rejects.toMatchObject({ code: "22023" });
    expect(await store.driver.once(AS_CONNECTED, select)).toEqual([{ one: 1 }]);
  });

  test("what the database asks to repeat is repeated a bounded number of times, then given up as it is", async () => {
    let tries = 0;
    const work = async (sql: Sql) => {
      tries += 1;
      await sql.query("do $$ begin raise exception 'again' using errcode = 'serialization_failure'; end $$");
    };
    await expect(store.database.asTenant(org, work)).rejects.toMatchObject({ code: "40001" });
    expect(tries).toBe(RETRIES_MAX + 1);
    tries = RETRIES_MAX;
    const once = async (sql: Sql) => {
      tries += 1;
      if (tries === RETRIES_MAX + 1)
        await sql.query("do $$ begin raise exception 'again' using errcode = 'deadlock_detected'; end $$");
      return tries;
    };
    expect(await store.database.asTenant(org, once)).toBe(RETRIES_MAX + 2);
    const refused = store.database.asTenant(org, () => {
      tries += 1;
      return Promise.reject(new Error("not again"));
    });
    await expect(refused).rejects.toThrow("not again");
    expect(tries).toBe(RETRIES_MAX + 3);
  });

  test("a constraint that is judged at the commit refuses it, and the refusal is no doubt", async () => {
    await store.admin("create table judged_late (id int unique deferrable initially deferred)");
    const twice = "insert into judged_late values (1), (1)";
    const work = store.driver.transaction(AS_CONNECTED, (sql) => sql.query(twice));
    await expect(work).rejects.toMatchObject({ code: "23505" });
    await expect(store.driver.once(AS_CONNECTED, { text: twice })).rejects.toMatchObject({ code: "23505" });
    expect(await store.admin("select * from judged_late")).toEqual([]);
  });

  test("closing waits for what was asked before it, refuses what comes after, and may be asked twice", async () => {
    const other = await openStore(name);
    const asked = Array.from({ length: 30 }, (_, index) =>
      other.driver.transaction(AS_CONNECTED, async (sql) => (await sql.query(`select ${index} as index`))[0]),
    );
    const closed = [other.driver.close(), other.driver.close()];
    const late = other.driver.once(AS_CONNECTED, { text: "select 1" });
    await expect(late).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(await Promise.all(asked)).toEqual(asked.map((_, index) => ({ index })));
    await Promise.all(closed);
    await other.close();
  });
});
