import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Sql } from "../sql.js";
import { AS_CONNECTED } from "../sql.js";
import { copyEmbeddedTemplate } from "../testing/open-store.js";
import { THREAD } from "../testing/thread.js";
import type { EmbeddedSqlDriver } from "./embedded-driver.js";
import { openEmbeddedDriver } from "./embedded-driver.js";

let folder: string;
let driver: EmbeddedSqlDriver;
beforeAll(async () => {
  folder = copyEmbeddedTemplate();
  driver = await openEmbeddedDriver({ folder, thread: THREAD, waitingMax: 50 });
});
afterAll(async () => {
  await driver.close();
  rmSync(folder, { recursive: true, force: true });
});

const one = { text: "select 1 as one" };
const UNAVAILABLE = { code: "STORE_UNAVAILABLE" };
/** How many rows there are, before and after what a test does. */
const count = async () => (await once("select count(*) as count from organizations"))[0]?.count ?? 0;
const INSERT = "insert into organizations (id) values (gen_random_uuid())";
/** Busy for a while, in the way a long statement is. */
const LONG = "do $$ begin perform sum(n) from generate_series(1, 100000000) n; end $$";
const once = (text: string) => driver.once<{ count: number }>(AS_CONNECTED, { text });

test("transactions run one after the other, in the order they were asked for, whatever they wait for", async () => {
  const seen: string[] = [];
  const slow = (name: string) =>
    driver.transaction(AS_CONNECTED, async (sql) => {
      seen.push(`${name} begins`);
      await sql.query("select 1");
      await sleep(20);
      seen.push(`${name} ends`);
    });
  const last = once("select 1").then(() => seen.push("statement"));
  await Promise.all([slow("first"), slow("second"), last]);
  await Promise.all([slow("third"), once("select 1").then(() => seen.push("statement"))]);
  expect(seen).toEqual([
    ...["statement", "first begins", "first ends", "second begins", "second ends"],
    ...["third begins", "third ends", "statement"],
  ]);
});

test("those who wait are bounded in number, and none of them is lost", async () => {
  const asked = Array.from({ length: 60 }, () => driver.once(AS_CONNECTED, one));
  const settled = await Promise.allSettled(asked);
  const refused = settled.filter((result) => result.status === "rejected").map(({ reason }) => reason as unknown);
  expect(refused).toHaveLength(10);
  for (const reason of refused) expect(reason).toMatchObject(UNAVAILABLE);
  expect(await driver.once(AS_CONNECTED, one)).toEqual([{ one: 1 }]);
});

test("a thread that dies in a statement takes its transaction with it, and the next call opens the folder again", async () => {
  const before = await count();
  const dying = driver.transaction(AS_CONNECTED, async (sql: Sql) => {
    await sql.query(INSERT);
    await sql.script(LONG);
  });
  const heard = expect(dying).rejects.toMatchObject(UNAVAILABLE);
  await sleep(200);
  const waiting = once(INSERT);
  await driver.terminate();
  await heard;
  await waiting;
  expect(await count()).toBe(before + 1);
});

test("a thread that dies between statements fails what is left of the transaction, and nothing of it stays", async () => {
  const before = await count();
  const dying = driver.transaction(AS_CONNECTED, async (sql: Sql) => {
    await sql.query(INSERT);
    await driver.terminate();
    await sql.query(INSERT);
  });
  await expect(dying).rejects.toMatchObject(UNAVAILABLE);
  const unsent = driver.transaction(AS_CONNECTED, async (sql: Sql) => {
    await sql.query(INSERT);
    await driver.terminate();
  });
  // The commit was never sent, so there is no doubt about it.
  await expect(unsent).rejects.toMatchObject(UNAVAILABLE);
  expect(await count()).toBe(before);
});

test("a thread that dies in a commit leaves it unknown [D-4]", async () => {
  const before = await count();
  await once(`create function be_long() returns trigger language plpgsql as $$ begin
    perform sum(n) from generate_series(1, 100000000) n; return new; end $$`);
  await once(`create constraint trigger late after insert on organizations deferrable initially deferred
    for each row execute function be_long()`);
  for (const ask of [() => driver.transaction(AS_CONNECTED, (sql) => sql.query(INSERT)), () => once(INSERT)]) {
    // Opens it again where the round before ended the thread.
    await count();
    const heard = expect(ask()).rejects.toMatchObject({ code: "COMMIT_UNKNOWN" });
    await sleep(300);
    await driver.terminate();
    await heard;
  }
  expect(await count()).toBe(before);
  await once("drop function be_long cascade");
});

test("a statement that takes too long costs the thread, and only that transaction", async () => {
  await driver.close();
  driver = await openEmbeddedDriver({ folder, thread: THREAD, statementMsMax: 1_000 });
  const before = await count();
  const long = driver.transaction(AS_CONNECTED, (sql) => sql.query(INSERT).then(() => sql.script(LONG)));
  await expect(long).rejects.toMatchObject(UNAVAILABLE);
  expect(await count()).toBe(before);
});

test("a transaction that asks for nothing for too long is rolled back, and the others go on", async () => {
  const before = await count();
  const idle = driver.transaction(AS_CONNECTED, async (sql) => {
    await sql.query(INSERT);
    await new Promise(() => undefined);
  });
  const waiting = once(INSERT);
  await expect(idle).rejects.toMatchObject(UNAVAILABLE);
  await waiting;
  // One that asks again and again may last.
  await driver.transaction(AS_CONNECTED, async (sql) => {
    for (let part = 0; part < 5; part += 1) {
      await sleep(300);
      await Promise.all([sql.query(INSERT), sql.query("select 1")]);
    }
  });
  expect(await count()).toBe(before + 6);
});

test("a second opening of the folder is refused while it is open, and works after", async () => {
  const again = () => openEmbeddedDriver({ folder, thread: THREAD });
  await expect(again()).rejects.toMatchObject({ code: "STORE_LOCKED" });
  const before = await count();
  await once(INSERT);
  await driver.close();
  driver = await again();
  expect(await count()).toBe(before + 1);
});

test("a first start that was stopped half way is begun anew", async () => {
  await driver.close();
  const database = join(folder, "postgres");
  rmSync(database, { recursive: true });
  mkdirSync(database);
  mkdirSync(`${database}.new`);
  writeFileSync(join(`${database}.new`, "PG_VERSION"), "18\n");
  driver = await openEmbeddedDriver({ folder, thread: THREAD });
  expect(await driver.once(AS_CONNECTED, one)).toEqual([{ one: 1 }]);
  expect(readdirSync(folder).sort()).toEqual(["lock", "postgres"]);
  expect(existsSync(join(database, "PG_VERSION"))).toBe(true);
});
