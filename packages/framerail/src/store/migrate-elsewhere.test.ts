import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "./database.js";
import { openEmbeddedDriver } from "./embedded/embedded-driver.js";
import { migrate } from "./migrate.js";
import { createPostgresDriver } from "./postgres/postgres-driver.js";
import { AS_CONNECTED } from "./sql.js";
import { createEmptyDatabase } from "./testing/open-store.js";
import { onServer } from "./testing/postgres-server.js";
import { THREAD } from "./testing/thread.js";

test("a schema with tables of others is refused by name, and they are left as they were [D-12]", async () => {
  const { url, drop } = await createEmptyDatabase();
  await onServer(url, "create table customers (id int)", "insert into customers values (1)");
  const driver = createPostgresDriver({ url });
  await expect(migrate(driver)).rejects.toMatchObject({
    code: "STORE_REFUSED",
    message: expect.stringMatching(/customers.*of its own/) as string,
  });
  await driver.close();
  const tables = await onServer(
    url,
    "select relname, relrowsecurity from pg_class join pg_tables on tablename = relname where schemaname = 'public'",
  );
  expect(tables).toEqual([{ relname: "customers", relrowsecurity: false }]);
  await drop();
});

test("on Postgres 16 and later, an owner who is no superuser and makes the roles may take them [D-12]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "framerail-roles-"));
  const driver = await openEmbeddedDriver({ folder, thread: THREAD });
  try {
    await driver.transaction(AS_CONNECTED, (sql) =>
      sql.script(`create role managed login createrole; grant all on schema public to managed;
        do $$ begin execute format('grant create on database %I to managed', current_database()); end $$`),
    );
    await driver.transaction(AS_CONNECTED, (sql) => sql.script("set session authorization managed"));
    await migrate(driver);
    await openDatabase(driver);
  } finally {
    await driver.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
