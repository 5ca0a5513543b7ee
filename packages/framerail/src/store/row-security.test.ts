import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqlStateOf } from "./failure.js";
import type { Scope, Sql } from "./sql.js";
import { AS_CONNECTED } from "./sql.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { insertOf, randomIds, tenantRows } from "./testing/tenant-rows.js";

const TABLES = Object.keys(tenantRows(randomIds()));
/** Rows of these cannot be changed, or taken away, by requests at all. */
const NEVER_UPDATED = ["agent_audit_log", "llm_usage_events"];
const DENIED = "42501";
const NO_PARENT = "23503";

const AS_APP: Scope = { role: "framerail_app" };
const AS_SYSTEM: Scope = { role: "framerail_system" };
const asOrg = (orgId: string): Scope => ({ ...AS_APP, orgId });

/** What chores may do, table by table; nothing else. */
const CHORES = {
  turns: ["SELECT", "UPDATE"],
  turn_frames: ["SELECT", "INSERT", "DELETE"],
  turn_events: ["SELECT", "INSERT", "DELETE"],
  idempotency_keys: ["SELECT", "DELETE"],
  api_keys: ["SELECT"],
  leases: ["SELECT", "INSERT", "UPDATE", "DELETE"],
};

class Undo extends Error {}

describe.each(DRIVERS)("tenants on the %s driver", (name) => {
  let store: TestStore;
  let a: string;
  let b: string;
  const ids = randomIds();

  beforeAll(async () => {
    store = await openStore(name);
    a = await createTenant(store.database);
    b = await createTenant(store.database);
    for (const table of TABLES) await store.database.asTenant(a, { text: insertOf(table, a, ids) });
  });
  afterAll(() => store.close());

  /** What a statement does and says, in a transaction that leaves nothing behind: its rows, or the database's refusal. */
  async function attempt(scope: Scope, ...statements: string[]): Promise<unknown> {
    let rows: unknown;
    const work = async (sql: Sql) => {
      for (const statement of statements) rows = await sql.query(statement);
      throw new Undo();
    };
    try {
      return await store.driver.transaction(scope, work);
    } catch (error) {
      return error instanceof Undo ? rows : (sqlStateOf(error) ?? error);
    }
  }
  const countOf = (table: string) => `select count(*) as count from ${table}`;
  const touch = (change: string) => `with touched as (${change} returning 1) ${countOf("touched")}`;

  test("every table is either of the tenants, and has a row here, or one of three that are known [D-12]", async () => {
    const rows = await store.admin<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    );
    const known = [...TABLES, "organizations", "leases", "framerail_migrations"];
    expect(rows.map((row) => row.name)).toEqual(known.sort());
  });

  test.each(TABLES)("another tenant neither sees nor touches rows of %s [D-12]", async (table) => {
    expect(await attempt(asOrg(a), countOf(table))).toEqual([{ count: 1 }]);
    expect(await attempt(asOrg(b), countOf(table))).toEqual([{ count: 0 }]);
    expect(await attempt(asOrg(b), `select from ${table} where org_id = '${a}'`)).toEqual([]);
    const untouched = NEVER_UPDATED.includes(table) ? DENIED : [{ count: 0 }];
    expect(await attempt(asOrg(b), touch(`update ${table} set org_id = org_id`))).toEqual(untouched);
    expect(await attempt(asOrg(b), touch(`update ${table} set org_id = '${b}'`))).toEqual(untouched);
    expect(await attempt(asOrg(b), touch(`delete from ${table}`))).toEqual(untouched);
    expect(await attempt(asOrg(b), `truncate ${table}`)).toBe(DENIED);
  });

  test.each(TABLES)("a row of %s cannot be put under another tenant [D-12]", async (table) => {
    // A checkpoint's session is looked for first, and not found.
    const refusal = table === "agent_checkpoints" ? NO_PARENT : DENIED;
    expect(await attempt(asOrg(b), insertOf(table, a, randomIds()))).toBe(refusal);
    expect(await attempt(asOrg(b), insertOf(table, a, ids))).toBe(refusal);
    if (NEVER_UPDATED.includes(table)) return;
    expect(await attempt(asOrg(a), `update ${table} set org_id = '${b}'`)).toBe(DENIED);
  });

  test.each(TABLES)("a key of %s that another tenant has behaves like one that nobody has [D-12]", async (table) => {
    // Whoever has the hash of an API key has the key itself, and learns nothing by it: 256 random bits.
    const theirs = table === "api_keys" ? { ...ids, unshared: randomUUID() } : ids;
    const [taken, free] = [insertOf(table, b, theirs), insertOf(table, b, randomIds())];
    expect(await attempt(asOrg(b), taken)).toEqual(await attempt(asOrg(b), free));
  });

  test("two tenants may have every row under the same ids, and each sees its own [D-12]", async () => {
    const shared = { ...ids, unshared: randomUUID() };
    const all = TABLES.map((table) => insertOf(table, b, shared));
    const counts = TABLES.map((table) => `select count(*) from ${table}`).join(" union all ");
    expect(await attempt(asOrg(b), ...all, counts)).toEqual(TABLES.map(() => ({ count: 1 })));
  });

  test("an organization is seen by itself alone, and is neither stolen nor removed [D-12]", async () => {
    expect(await attempt(asOrg(b), "select id from organizations")).toEqual([{ id: b }]);
    expect(await attempt(asOrg(b), touch("update organizations set name = 'x'"))).toEqual([{ count: 1 }]);
    expect(await attempt(asOrg(b), `update organizations set id = '${randomUUID()}'`)).toBe(DENIED);
    expect(await attempt(asOrg(b), "delete from organizations")).toBe(DENIED);
    // Whoever asks as a tenant knows its id: under another's there is nothing to be learned.
    expect(await attempt(asOrg(b), `insert into organizations (id) values ('${a}')`)).toBe(DENIED);
    expect(await attempt(asOrg(b), `insert into organizations (id) values ('${randomUUID()}')`)).toBe(DENIED);
  });

  test.each([...TABLES, "organizations"])("without a tenant there is nothing in %s [D-12]", async (table) => {
    for (const scope of [AS_APP, asOrg("")]) {
      expect(await attempt(scope, countOf(table))).toEqual([{ count: 0 }]);
      if (table !== "organizations")
        expect(await attempt(scope, insertOf(table, a, randomIds()))).toMatch(/42501|23503/);
    }
  });

  test("a tenant that is no id is an error and never everything [D-12]", async () => {
    for (const garbage of ["garbage", "*", `${"0".repeat(8)}`, "%"]) {
      expect(await attempt(asOrg(garbage), "select id from turns")).toBe("22P02");
    }
    for (const garbage of ["", "x", a.toUpperCase(), `${a}'; reset role; --`]) {
      expect(() => store.database.asTenant(garbage, { text: "select 1" })).toThrow("a tenant's id must be a UUID");
    }
  });

  test.each([...TABLES, "organizations", "leases"])(
    "chores reach no more of %s than they need [D-12]",
    async (table) => {
      const rights = await store.admin<{ right: string }>(
        `select r as right from unnest(array['SELECT','INSERT','UPDATE','DELETE','TRUNCATE','REFERENCES','TRIGGER'])
        with ordinality as given (r, place) where has_table_privilege('framerail_system', '${table}', r) order by place`,
      );
      const allowed = CHORES[table as keyof typeof CHORES] ?? [];
      expect(rights.map(({ right }) => right)).toEqual(allowed);
      expect(await attempt(AS_SYSTEM, countOf(table))).toEqual(
        allowed.length === 0 ? DENIED : [{ count: table === "leases" ? 0 : 1 }],
      );
      if (!allowed.includes("DELETE")) expect(await attempt(AS_SYSTEM, `delete from ${table}`)).toBe(DENIED);
      if (!allowed.includes("UPDATE") && table !== "organizations" && table !== "leases")
        expect(await attempt(AS_SYSTEM, `update ${table} set org_id = org_id`)).toBe(DENIED);
    },
  );

  test("requests do not reach leases or the list of migrations [D-12]", async () => {
    for (const table of ["leases", "framerail_migrations"])
      expect(await attempt(asOrg(a), countOf(table))).toBe(DENIED);
    expect(await attempt(AS_SYSTEM, countOf("framerail_migrations"))).toBe(DENIED);
  });

  test.each(TABLES)("the owner of %s who is no superuser sees nothing either [R-5.1-3]", async (table) => {
    const owner = `owner_${randomUUID().replaceAll("-", "")}`;
    const [counted] = (await attempt(
      AS_CONNECTED,
      `create role ${owner}`,
      `grant create on schema public to ${owner}`,
      `alter table ${table} owner to ${owner}`,
      `set local role ${owner}`,
      countOf(table),
    )) as [{ count: number }];
    expect(counted).toEqual({ count: 0 });
  });

  test("the audit log is changed by nobody, not even by the superuser [R-AUD-1]", async () => {
    const changes = [
      "update agent_audit_log set detail = '{}'",
      "delete from agent_audit_log",
      "truncate agent_audit_log",
      "truncate organizations cascade",
    ];
    for (const scope of [asOrg(a), AS_SYSTEM, AS_CONNECTED]) {
      for (const change of changes) expect(await attempt(scope, change)).toBe(DENIED);
    }
    expect(await attempt(asOrg(a), countOf("agent_audit_log"))).toEqual([{ count: 1 }]);
  });
});
