import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { startTurn } from "./testing/turn-fixtures.js";

describe.each(DRIVERS)("a database on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  test("values look the same whatever the driver: numbers, milliseconds, JSON and bytes", async () => {
    const org = await createTenant(store.database);
    const at = Date.UTC(2026, 4, 15, 18, 0, 0, 123);
    const [row] = await store.database.asTenant(org, {
      text: `select 9007199254740991::bigint as big, $1::timestamptz as at, 1.50::numeric as cost, $2::jsonb as json,
        $3::bytea as bytes, null::text as nothing, $4::text[] as list, true as yes`,
      values: [new Date(at), '{"a":[1,"é"]}', new Uint8Array([0, 255]), ["a", 'b"\\']],
    });
    expect({ ...row, bytes: [...(row as { bytes: Uint8Array }).bytes] }).toEqual({
      big: 9_007_199_254_740_991,
      at,
      cost: "1.50",
      json: { a: [1, "é"] },
      bytes: [0, 255],
      nothing: null,
      list: ["a", 'b"\\'],
      yes: true,
    });
  });

  test("what fails is rolled back whole, and the next transaction starts clean", async () => {
    const org = randomUUID();
    const failing = store.database.asTenant(org, async (sql) => {
      await sql.query("insert into organizations (id) values ($1)", [org]);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await store.database.asTenant(org, { text: "select id from organizations" })).toEqual([]);
    await expect(store.database.asTenant(org, { text: "select nonsense" })).rejects.toMatchObject({ code: "42703" });
    expect(await store.database.asTenant(org, { text: "select 1 as one" })).toEqual([{ one: 1 }]);
  });

  test("a text that is run again and again, by tenants and by the program, shows each what is theirs [D-12]", async () => {
    const orgs = [await createTenant(store.database), await createTenant(store.database)];
    for (const org of orgs) await startTurn(store.database, org);
    const text = "select distinct org_id from turns where org_id = any ($1::uuid[]) order by org_id";
    const seen = (rows: readonly object[]) => rows.map((row) => (row as { org_id: string }).org_id);
    for (let round = 0; round < 10; round += 1) {
      for (const org of orgs) expect(seen(await store.database.asTenant(org, { text, values: [orgs] }))).toEqual([org]);
      expect(seen(await store.database.asSystem({ text, values: [orgs] }))).toEqual([...orgs].sort());
    }
  });
});
