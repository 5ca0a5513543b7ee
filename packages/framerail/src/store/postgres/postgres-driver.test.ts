import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from "vitest";
import type { Database } from "../database.js";
import { createDatabase } from "../database.js";
import { CONNECT_MS_MAX } from "../limits.js";
import type { Sql, SqlDriver } from "../sql.js";
import { AS_CONNECTED } from "../sql.js";
import type { CuttingProxy } from "../testing/cutting-proxy.js";
import { createCuttingProxy } from "../testing/cutting-proxy.js";
import { createPostgresDatabase, createTenant } from "../testing/open-store.js";
import { createPostgresServer, onServer } from "../testing/postgres-server.js";
import { endOf, startTurn } from "../testing/turn-fixtures.js";
import { commitTurnEnd } from "../turn-end.js";
import { readTurn } from "../turns.js";
import type { PostgresOptions } from "./postgres-driver.js";
import { ANSWER_MS_EXTRA, createPostgresDriver } from "./postgres-driver.js";

let url: string;
let drop: () => Promise<void>;
let proxy: CuttingProxy;
const opened: SqlDriver[] = [];

beforeAll(async () => {
  ({ url, drop } = await createPostgresDatabase());
  proxy = await createCuttingProxy(url);
  await onServer(url, "create table acts (id text primary key)");
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((driver) => driver.close()));
});
afterAll(async () => {
  await proxy.close();
  await drop();
});

function open(options: Partial<PostgresOptions> = {}): SqlDriver {
  const driver = createPostgresDriver({ url, ...options });
  opened.push(driver);
  return driver;
}

const act = (id: string) => `insert into acts values ('${id}')`;
const isThere = async (id: string) => (await onServer(url, `select from acts where id = '${id}'`)).length === 1;
const UNAVAILABLE = { code: "STORE_UNAVAILABLE" };
const UNKNOWN = { code: "COMMIT_UNKNOWN" };

test("a line that breaks before the commit leaves nothing and no doubt [D-4]", async () => {
  const driver = open({ url: proxy.url });
  for (const at of ["set local", "insert into acts"]) {
    const id = randomUUID();
    proxy.cutAt({ way: "up", at });
    const work = driver.transaction({ role: "none" }, (sql) => sql.query(act(id)));
    await expect(work).rejects.toMatchObject(UNAVAILABLE);
    expect(await isThere(id)).toBe(false);
  }
  const id = randomUUID();
  proxy.cutAt({ way: "down", at: "INSERT 0 1" });
  await expect(driver.transaction(AS_CONNECTED, (sql) => sql.query(act(id)))).rejects.toMatchObject(UNAVAILABLE);
  expect(await isThere(id)).toBe(false);
});

test.each([
  { way: "up", at: "commit", once: "insert into acts", there: false },
  { way: "down", at: "COMMIT", once: "INSERT 0 1", there: true },
] as const)("a line that breaks at the commit ($way) leaves it unknown, whatever became of it [D-4]", async (cut) => {
  const driver = open({ url: proxy.url });
  const [id, once] = [randomUUID(), randomUUID()];
  proxy.cutAt(cut);
  await expect(driver.transaction(AS_CONNECTED, (sql) => sql.query(act(id)))).rejects.toMatchObject(UNKNOWN);
  expect(await isThere(id)).toBe(cut.there);
  // One statement by itself is committed by the message that brings it, and so its answer is the commit's.
  proxy.cutAt({ way: cut.way, at: cut.once });
  await expect(driver.once(AS_CONNECTED, { text: act(once) })).rejects.toMatchObject(UNKNOWN);
  expect(await isThere(once)).toBe(cut.there);
  // The broken connections are gone from the pool.
  expect(await driver.once(AS_CONNECTED, { text: "select 1 as one" })).toEqual([{ one: 1 }]);
});

test("a server that says it stops before the commit leaves no doubt, and one that stops at it does [D-4]", async () => {
  const driver = open();
  const dying = "select pg_terminate_backend(pg_backend_pid())";
  for (const scope of [AS_CONNECTED, { role: "none" }])
    await expect(driver.once(scope, { text: dying })).rejects.toMatchObject(UNAVAILABLE);
  await expect(driver.transaction(AS_CONNECTED, (sql) => sql.query(dying))).rejects.toMatchObject(UNAVAILABLE);
  await onServer(
    url,
    "create table dies_late (id int)",
    `create function die() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid());
      perform pg_sleep(1); return new; end $$`,
    `create constraint trigger dies after insert on dies_late deferrable initially deferred
      for each row execute function die()`,
  );
  const insert = "insert into dies_late values (1)";
  await expect(driver.transaction(AS_CONNECTED, (sql) => sql.query(insert))).rejects.toMatchObject(UNKNOWN);
  await expect(driver.once(AS_CONNECTED, { text: insert })).rejects.toMatchObject(UNKNOWN);
});

test("a server that dies of a commit leaves it unknown, whatever it said last [D-4]", async () => {
  await onServer(url, "create table judged_late (id int unique deferrable initially deferred)");
  const driver = open({ url: proxy.url });
  const text = "insert into judged_late values (1), (1)";
  for (const ask of [
    () => driver.transaction(AS_CONNECTED, (sql) => sql.query(text)),
    () => driver.once(AS_CONNECTED, { text }),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: "23505" });
    proxy.cutAt({ way: "up", at: "rollback" });
    await expect(ask()).rejects.toMatchObject({ ...UNKNOWN, cause: { code: "23505" } });
  }
});

test("the end of a turn whose commit was lost is settled by looking [D-4]", async () => {
  const driver = open({ url: proxy.url });
  const database = createDatabase(driver);
  const org = await createTenant(database);
  const kept = await startTurn(database, org);
  proxy.cutAt({ way: "down", at: kept.turnId });
  await commitTurnEnd(database, org, await endOf(kept));
  expect(await readTurn(database, org, kept.turnId)).toMatchObject({ status: "ended" });

  const lost = await startTurn(database, org);
  const end = await endOf(lost);
  proxy.cutAt({ way: "up", at: lost.turnId });
  await expect(commitTurnEnd(database, org, end)).rejects.toMatchObject(UNKNOWN);
  expect(await readTurn(database, org, lost.turnId)).toMatchObject({ status: "running" });
  await commitTurnEnd(database, org, end);
  expect(await readTurn(database, org, lost.turnId)).toMatchObject({ status: "ended" });
});

test("a server that was killed and started again is worked on by the same pool", async () => {
  const server = await createPostgresServer();
  await server.start();
  const report = vi.fn();
  const driver = open({ url: server.url("postgres"), report });
  const ask = () => driver.once<{ one: number }>(AS_CONNECTED, { text: "select 1 as one" });
  await Promise.all(Array.from({ length: 5 }, ask));
  const cut = driver.transaction(AS_CONNECTED, (sql) => sql.query("select pg_sleep(20)"));
  const heard = expect(cut).rejects.toMatchObject(UNAVAILABLE);
  await sleep(100);
  await server.kill();
  await heard;
  await expect(ask()).rejects.toMatchObject(UNAVAILABLE);
  await server.start();
  expect(await Promise.all(Array.from({ length: 5 }, ask))).toHaveLength(5);
  expect(report).toHaveBeenCalled();
  await driver.close();
  await server.dispose();
});

test("those who wait for a connection are bounded in number, and none of them is lost", async () => {
  const driver = open({ connectionsMax: 1, waitingMax: 2 });
  let free: (() => void) | undefined;
  const holding = driver.transaction(AS_CONNECTED, () => new Promise<void>((resolve) => (free = resolve)));
  await vi.waitUntil(() => free !== undefined);
  const waiting = [1, 2].map((n) => driver.once(AS_CONNECTED, { text: `select ${n} as n` }));
  await expect(driver.once(AS_CONNECTED, { text: "select 3" })).rejects.toThrow("too many wait for the database");
  free?.();
  await holding;
  expect(await Promise.all(waiting)).toEqual([[{ n: 1 }], [{ n: 2 }]]);
});

test("nobody waits without end, for a connection or for an answer", async () => {
  const silent = await createCuttingProxy(url);
  const stalled = open({ url: silent.url, statementMsMax: 200 });
  const busy = open({ connectionsMax: 1 });
  await stalled.once(AS_CONNECTED, { text: "select 1" });
  silent.stall();
  const start = performance.now();
  let free: (() => void) | undefined;
  const holding = busy.transaction(AS_CONNECTED, () => new Promise<void>((resolve) => (free = resolve)));
  await Promise.all([
    expect(stalled.once(AS_CONNECTED, { text: "select 1" })).rejects.toMatchObject(UNKNOWN),
    expect(busy.once(AS_CONNECTED, { text: "select 1" })).rejects.toMatchObject(UNAVAILABLE),
  ]);
  expect(performance.now() - start).toBeLessThan(2 * Math.max(CONNECT_MS_MAX, ANSWER_MS_EXTRA) + 5_000);
  free?.();
  await holding;
  await silent.close();
});

test("a statement that takes too long is ended by the server, and nothing of its transaction stays", async () => {
  const driver = open({ statementMsMax: 200 });
  const id = randomUUID();
  const slow = async (sql: Sql) => {
    await sql.query(act(id));
    await sql.query("select pg_sleep(20)");
  };
  await expect(driver.transaction(AS_CONNECTED, slow)).rejects.toMatchObject({
    ...UNAVAILABLE,
    cause: { code: "57014" },
  });
  expect(await isThere(id)).toBe(false);
});

test("two that lock each other out, or change one row at once, both get through", async () => {
  await onServer(url, "create table counts (id int primary key, n int)", "insert into counts values (1, 0), (2, 0)");
  await onServer(url, "grant select, update on counts to framerail_app");
  const database: Database = createDatabase(open());
  const org = await createTenant(database);
  const add = (id: number) => `update counts set n = n + 1 where id = ${id}`;
  let met = 0;
  const crossed = (first: number, second: number) =>
    database.asTenant(org, async (sql) => {
      await sql.query(add(first));
      met += 1;
      await vi.waitUntil(() => met >= 2, { timeout: 10_000, interval: 5 });
      await sql.query(add(second));
    });
  await Promise.all([crossed(1, 2), crossed(2, 1)]);
  // One was chosen to give way, and began again.
  expect(met).toBeGreaterThan(2);
  let tries = 0;
  const repeatable = () =>
    database.asTenant(org, async (sql) => {
      tries += 1;
      await sql.query("set transaction isolation level repeatable read");
      const [{ n } = { n: 0 }] = await sql.query<{ n: number }>("select n from counts where id = 1");
      await sleep(20);
      await sql.query("update counts set n = $1 where id = 1", [n + 1]);
    });
  await Promise.all([repeatable(), repeatable(), repeatable()]);
  expect(tries).toBeGreaterThan(3);
  expect(await onServer(url, "select n from counts order by id")).toEqual([{ n: 5 }, { n: 2 }]);
});

test("an author's error costs no connection, and a failed one is never given to the next", async () => {
  const driver = open({ connectionsMax: 1 });
  const backend = async (sql: Sql) => (await sql.query<{ pid: number }>("select pg_backend_pid() as pid"))[0]?.pid;
  const first = await driver.transaction(AS_CONNECTED, backend);
  await expect(driver.transaction(AS_CONNECTED, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await expect(driver.once(AS_CONNECTED, { text: "select nonsense" })).rejects.toMatchObject({ code: "42703" });
  expect(await driver.transaction(AS_CONNECTED, backend)).toBe(first);
  // Said to be done, it is not: a transaction was left open behind the driver's back.
  await driver.once(AS_CONNECTED, { text: "begin" });
  expect(await driver.transaction(AS_CONNECTED, backend)).not.toBe(first);
});

test("a server that takes no writes at present is unavailable, and is asked anew on a new connection", async () => {
  const database = new URL(url).pathname.slice(1);
  const driver = open({ connectionsMax: 1 });
  await onServer(url, `alter database ${database} set default_transaction_read_only = on`);
  const write = () => driver.once(AS_CONNECTED, { text: act(randomUUID()) });
  await expect(write()).rejects.toMatchObject({ ...UNAVAILABLE, cause: { code: "25006" } });
  await onServer(
    url,
    "set transaction read write",
    `alter database ${database} reset default_transaction_read_only`,
  ).catch(() => onServer(inject("postgresUrl"), `alter database ${database} reset default_transaction_read_only`));
  expect(await write()).toEqual([]);
});

test("who may not come in is told so for good, and who came too many for now", async () => {
  const nowhere = new URL(url);
  nowhere.pathname = "/no_such_database";
  await expect(open({ url: nowhere.href }).once(AS_CONNECTED, { text: "select 1" })).rejects.toMatchObject({
    code: "STORE_REFUSED",
    message: 'the database refuses the connection: database "no_such_database" does not exist',
  });
  const login = `login_${randomUUID().replaceAll("-", "")}`;
  await onServer(url, `create role ${login} login connection limit 1 password 'secret'`);
  const theirs = new URL(url);
  [theirs.username, theirs.password] = [login, "secret"];
  const driver = open({ url: theirs.href });
  const asked = await Promise.allSettled(
    [1, 2, 3].map(() => driver.once(AS_CONNECTED, { text: "select pg_sleep(0.3)" })),
  );
  const refused = asked.filter((result) => result.status === "rejected").map(({ reason }) => reason as unknown);
  expect(refused).toHaveLength(2);
  for (const reason of refused) expect(reason).toMatchObject(UNAVAILABLE);
  await driver.close();
  await onServer(url, `drop role ${login}`);
});

test.each(["", "nonsense", "mysql://u:secret@h/d", "postgres://u:secret@h:port/d"])(
  "an address that is none (%j) is refused at once, and not repeated",
  (address) => {
    expect(() => createPostgresDriver({ url: address })).toThrow(
      "the address of the database must be a postgres:// URL",
    );
  },
);
