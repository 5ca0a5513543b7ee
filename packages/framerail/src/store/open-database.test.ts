import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createDatabase, openDatabase } from "./database.js";
import { openEmbeddedDriver } from "./embedded/embedded-driver.js";
import { createPostgresDriver } from "./postgres/postgres-driver.js";
import type { SqlDriver } from "./sql.js";
import { AS_CONNECTED } from "./sql.js";
import type { TestStore } from "./testing/open-store.js";
import {
  copyEmbeddedTemplate,
  createPostgresDatabase,
  createTenant,
  DRIVERS,
  openStore,
} from "./testing/open-store.js";
import { onServer } from "./testing/postgres-server.js";
import { THREAD } from "./testing/thread.js";

describe.each(DRIVERS)("a database that is opened on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  const refusedBecause = async (pattern: RegExp) => {
    await expect(openDatabase(store.driver)).rejects.toMatchObject({
      code: "STORE_REFUSED",
      message: expect.stringMatching(pattern) as string,
    });
  };

  test("it serves tenants when the server keeps them apart [D-12]", async () => {
    const database = await openDatabase(store.driver);
    const org = await createTenant(database);
    expect(await database.asTenant(org, { text: "select id from organizations" })).toEqual([{ id: org }]);
  });

  test("it is refused while one table has no row security, old or new [D-12]", async () => {
    await store.admin("alter table turns disable row level security");
    await refusedBecause(/sees every tenant's rows in turns$/);
    await store.admin("alter table turns enable row level security");
    await store.admin("create table added_later (org_id uuid)");
    await refusedBecause(/in added_later$/);
    await store.admin("drop table added_later");
    await openDatabase(store.driver);
  });
});

test("an embedded database whose roles see past row security is refused [D-12]", async () => {
  const store = await openStore("embedded");
  const judge = async (change: string, undo: string) => {
    await store.admin(change);
    const judged = await openDatabase(store.driver).catch((error: Error) => error.message);
    await store.admin(undo);
    return judged;
  };
  const app = "alter role framerail_app";
  expect(await judge(`${app} bypassrls`, `${app} nobypassrls`)).toMatch(
    /sees every tenant's rows in agent_audit_log, /,
  );
  expect(await judge(`${app} superuser`, `${app} nosuperuser`)).toMatch(/sees every tenant's rows/);
  const system = "framerail_system";
  expect(await judge(`grant ${system} to framerail_app`, `revoke ${system} from framerail_app`)).toMatch(/is a member/);
  await openDatabase(store.driver);
  await store.close();
});

test("a server where the program may not take its roles is refused, and nothing runs as anyone else [D-12]", async () => {
  const { url, drop } = await createPostgresDatabase();
  const login = `login_${randomUUID().replaceAll("-", "")}`;
  await onServer(inject("postgresUrl"), `create role ${login} login bypassrls password 'secret'`);
  const theirs = new URL(url);
  [theirs.username, theirs.password] = [login, "secret"];
  const driver = createPostgresDriver({ url: theirs.href });
  await expect(openDatabase(driver)).rejects.toMatchObject({
    code: "STORE_REFUSED",
    message: expect.stringContaining('permission denied to set role "framerail_app"') as string,
  });
  // Who works on it without asking first gets no further.
  const unasked = createDatabase(driver).asTenant(randomUUID(), { text: "select id from turns" });
  await expect(unasked).rejects.toMatchObject({ code: "42501" });
  await driver.close();
  await drop();
  await onServer(inject("postgresUrl"), `drop role ${login}`);
});

test("a server without our schema is refused with what to do about it", async () => {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await onServer(inject("postgresUrl"), `create database ${name}`);
  const url = new URL(inject("postgresUrl"));
  url.pathname = name;
  const driver = createPostgresDriver({ url: url.href });
  await expect(openDatabase(driver)).rejects.toThrow("it has no tables of ours; run framerail migrate");
  await driver.close();
  await onServer(inject("postgresUrl"), `drop database ${name} with (force)`);
});

/** What the next transaction of the one connection starts with. */
const LEFT_BEHIND = `select current_user as "user", session_user = current_user as themselves,
  coalesce(current_setting('app.org_id', true), '') as tenant, pg_backend_pid() as backend`;

async function leavesNothingBehind(driver: SqlDriver, spoil: Readonly<Record<string, () => Promise<unknown>>>) {
  for (const [what, act] of Object.entries(spoil)) {
    await act().catch(() => undefined);
    const [left] = await driver.transaction(AS_CONNECTED, (sql) => sql.query(LEFT_BEHIND));
    expect(left, what).toMatchObject({ themselves: true, tenant: "" });
  }
}

function spoilers(driver: SqlDriver, org: string) {
  const database = createDatabase(driver);
  const fail = () => Promise.reject(new Error("no"));
  return {
    "a transaction": () => database.asTenant(org, (sql) => sql.query("select 1")),
    "a statement": () => database.asTenant(org, { text: "select 1" }),
    "a chore": () => database.asSystem({ text: "select 1" }),
    "a failed statement": () => database.asTenant(org, { text: "select nonsense" }),
    "a failed transaction": () => database.asTenant(org, (sql) => sql.query("select nonsense")),
    "an author's error": () => database.asTenant(org, async (sql) => sql.query("select 1").then(fail)),
    "an unheard failure": () => database.asTenant(org, async (sql) => sql.query("nonsense").catch(() => undefined)),
    "a failed opening": () => driver.transaction({ role: "nobody_at_all" }, (sql) => sql.query("select 1")),
    "a failed opening of one statement": () => driver.once({ role: "nobody_at_all", orgId: org }, { text: "select 1" }),
  };
}

test("the embedded database's one session carries no tenant and no role to the next transaction [D-12]", async () => {
  const folder = copyEmbeddedTemplate();
  const driver = await openEmbeddedDriver({ folder, thread: THREAD });
  await leavesNothingBehind(driver, spoilers(driver, randomUUID()));
  await driver.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a connection back in the pool carries no tenant and no role, whatever happened on it [D-12]", async () => {
  const { url, drop } = await createPostgresDatabase();
  const driver = createPostgresDriver({ url, connectionsMax: 1, statementMsMax: 300 });
  const org = randomUUID();
  const database = createDatabase(driver);
  await leavesNothingBehind(driver, {
    ...spoilers(driver, org),
    "a statement that was cancelled": () => database.asTenant(org, { text: "select pg_sleep(9)" }),
    "a transaction that was cancelled": () => database.asTenant(org, (sql) => sql.query("select pg_sleep(9)")),
    "a connection that was cut": () =>
      database.asTenant(org, (sql) => sql.query("select pg_terminate_backend(pg_backend_pid())")),
  });
  await driver.close();
  await drop();
});
