import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openDatabase } from "./database.js";
import { openEmbeddedDriver } from "./embedded/embedded-driver.js";
import { migrate } from "./migrate.js";
import { createPostgresDriver } from "./postgres/postgres-driver.js";
import { AS_CONNECTED } from "./sql.js";
import { endOfChild, startChild } from "./testing/child-process.js";
import type { TestStore } from "./testing/open-store.js";
import { copyEmbeddedTemplate, createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { onServer } from "./testing/postgres-server.js";
import { withDatabase } from "./testing/services.js";
import { THREAD } from "./testing/thread.js";

const OURS = fileURLToPath(new URL("../../migrations", import.meta.url));
const FILES = readdirSync(OURS).sort();
const NEXT = String(FILES.length + 1).padStart(4, "0");
const PROGRAM = new URL("../cli/main.ts", import.meta.url);

const folders: string[] = [];
/** Our migrations and more, as another version of the program has them. */
function withFiles(files: Readonly<Record<string, string>>): { folder: URL; path: string } {
  const path = mkdtempSync(join(tmpdir(), "framerail-migrations-"));
  folders.push(path);
  cpSync(OURS, path, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { folder: pathToFileURL(`${path}/`), path };
}

const databases: string[] = [];
async function createEmptyDatabase(): Promise<string> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await onServer(inject("postgresUrl"), `create database ${name}`);
  databases.push(name);
  return withDatabase(inject("postgresUrl"), name);
}

afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  for (const name of databases) await onServer(inject("postgresUrl"), `drop database if exists ${name} with (force)`);
});

describe.each(DRIVERS)("migrations on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  const tables = async () =>
    (
      await store.admin<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'public' order by 1",
      )
    )
      .map((row) => row.name)
      .join(" ");
  const ran = () => store.admin("select version, name, digest, applied_at from framerail_migrations order by version");

  test("what has run is not run again", async () => {
    const before = await ran();
    expect(before).toHaveLength(FILES.length);
    expect(await migrate(store.driver)).toEqual({ version: FILES.length, applied: [] });
    expect(await ran()).toEqual(before);
  });

  test("a failing file leaves the schema as it was, with those before it undone too", async () => {
    const before = [await tables(), await ran()];
    const after = String(FILES.length + 2).padStart(4, "0");
    const { folder } = withFiles({
      [`${NEXT}-good.sql`]: "create table made_before (id int);",
      [`${after}-bad.sql`]: "create table made_now (id int); select nonsense;",
    });
    await expect(migrate(store.driver, folder)).rejects.toMatchObject({
      code: "STORE_REFUSED",
      message: `${after}-bad.sql failed, and nothing was changed: column "nonsense" does not exist`,
    });
    expect([await tables(), await ran()]).toEqual(before);
  });

  test("a file that was edited after it ran is refused by name, with nothing changed", async () => {
    const { folder, path } = withFiles({ [`${NEXT}-new.sql`]: "create table new_one (id int);" });
    appendFileSync(join(path, FILES[1] ?? ""), "\n-- one more line\n");
    const before = [await tables(), await ran()];
    await expect(migrate(store.driver, folder)).rejects.toMatchObject({
      code: "STORE_REFUSED",
      message: `schema 2 of the database (${FILES[1]}) is not this program's`,
    });
    expect([await tables(), await ran()]).toEqual(before);
  });

  test("a row of numbers with a hole is a mistake of ours, found before the database is asked", async () => {
    const { folder } = withFiles({ "0099-far.sql": "select 1;" });
    await expect(migrate(store.driver, folder)).rejects.toMatchObject({ code: "INVARIANT_VIOLATION" });
  });

  test("a newer database is refused by name, with nothing changed", async () => {
    const { folder } = withFiles({ [`${NEXT}-newer.sql`]: "create table newer (id int);" });
    expect(await migrate(store.driver, folder)).toEqual({ version: FILES.length + 1, applied: [`${NEXT}-newer.sql`] });
    const before = [await tables(), await ran()];
    await expect(migrate(store.driver)).rejects.toMatchObject({
      code: "STORE_REFUSED",
      message: `the database is at schema ${FILES.length + 1} (${NEXT}-newer.sql), this program knows up to ${FILES.length}: run a newer framerail`,
    });
    expect([await tables(), await ran()]).toEqual(before);
    expect(before[0]).toContain("newer");
  });
});

test("ten that start at once on an empty server migrate it once, and it serves", async () => {
  const url = await createEmptyDatabase();
  const drivers = Array.from({ length: 10 }, () => createPostgresDriver({ url }));
  const results = await Promise.all(drivers.map((driver) => migrate(driver)));
  expect(results.filter(({ applied }) => applied.length > 0)).toEqual([{ version: FILES.length, applied: FILES }]);
  expect(await onServer(url, "select count(*)::int as n from framerail_migrations")).toEqual([{ n: FILES.length }]);
  const [first] = drivers;
  if (first === undefined) throw new Error("ten were made");
  await createTenant(await openDatabase(first));
  await Promise.all(drivers.map((driver) => driver.close()));
});

test("the owner of a database who is no superuser migrates it and serves requests from it [D-12]", async () => {
  const url = new URL(await createEmptyDatabase());
  const login = `owner_${randomUUID().replaceAll("-", "")}`;
  const name = url.pathname.slice(1);
  await onServer(
    inject("postgresUrl"),
    `create role ${login} login createrole password 'secret'`,
    `grant framerail_app, framerail_system to ${login} with admin option`,
    `alter database ${name} owner to ${login}`,
  );
  [url.username, url.password] = [login, "secret"];
  const driver = createPostgresDriver({ url: url.href });
  expect(await migrate(driver)).toEqual({ version: FILES.length, applied: FILES });
  const org = await createTenant(await openDatabase(driver));
  expect(await driver.once(AS_CONNECTED, { text: `select from organizations where id = '${org}'` })).toEqual([]);
  await driver.close();
  await onServer(inject("postgresUrl"), `drop database ${name} with (force)`, `drop role ${login}`);
});

describe("framerail migrate", () => {
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    endOfChild(startChild(PROGRAM, ["migrate", ...args], { env }));

  test("it says what ran on a server, then that nothing was left to run", async () => {
    const url = await createEmptyDatabase();
    const at = `the database is at schema ${FILES.length}\n`;
    const first = await run([], { DATABASE_URL: url });
    expect(first).toEqual({ out: `${FILES.map((name) => `ran ${name}\n`).join("")}${at}`, err: "", code: 0 });
    expect(await run(["--database-url", url, "--json"])).toEqual({
      out: `${JSON.stringify({ version: FILES.length, applied: [] })}\n`,
      err: "",
      code: 0,
    });
  });

  test("it says in one line why it cannot, and ends with 1", async () => {
    const ended = await run([], { DATABASE_URL: "postgres://someone:secret@127.0.0.1:1/nowhere" });
    expect(ended).toEqual({ out: "", err: "error: the database cannot be reached\n", code: 1 });
    const nonsense = await run([], { DATABASE_URL: "secret nonsense" });
    expect(nonsense).toMatchObject({ err: "error: the address of the database must be a postgres:// URL\n", code: 1 });
  });

  test("it works on an embedded folder, which wins over the environment, and not on one that is in use", async () => {
    const folder = copyEmbeddedTemplate();
    // Built, because the thread of the embedded database is.
    const program = fileURLToPath(new URL("../../cli/main.js", THREAD));
    const env = { ...process.env, DATABASE_URL: "postgres://127.0.0.1:1/nowhere" };
    const start = () => {
      const args = [program, "migrate", "--data", folder];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
      return { status, stdout, stderr };
    };
    expect(start()).toEqual({ status: 0, stdout: `the database is at schema ${FILES.length}\n`, stderr: "" });
    const driver = await openEmbeddedDriver({ folder, thread: THREAD });
    const used = `error: the data folder ${folder} is in use by process ${process.pid}; stop it first\n`;
    expect(start()).toEqual({ status: 1, stdout: "", stderr: used });
    await driver.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
