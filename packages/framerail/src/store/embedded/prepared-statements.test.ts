import { rmSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PLANS_TRANSACTIONS_MAX, PREPARED_MAX } from "../limits.js";
import { PARSERS } from "../sql.js";
import { copyEmbeddedTemplate } from "../testing/open-store.js";
import type { PreparedStatements } from "./prepared-statements.js";
import { createPreparedStatements } from "./prepared-statements.js";

let folder: string;
let database: PGlite;
let statements: PreparedStatements;
beforeAll(async () => {
  folder = copyEmbeddedTemplate();
  database = await PGlite.create({ dataDir: join(folder, "postgres"), parsers: { ...PARSERS } });
});
beforeEach(async () => {
  await database.exec("rollback; deallocate all");
  statements = createPreparedStatements(database);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const keptTexts = async () =>
  (await database.query<{ text: string }>("select statement as text from pg_prepared_statements order by name")).rows
    .map(({ text }) => text)
    .filter((text) => !text.includes("pg_prepared_statements"));

test("a text with values is parsed once, however often it is run, and gives the rows of each run", async () => {
  const text = "select $1::int + 1 as next, $2::text as name";
  for (let run = 0; run < 20; run += 1)
    expect(await statements.query({ text, values: [run, `n${run}`] })).toEqual([{ next: run + 1, name: `n${run}` }]);
  expect(await keptTexts()).toEqual([text]);
});

test("a text without values is not kept, and one without rows gives none", async () => {
  expect(await statements.query({ text: "select 1 as one" })).toEqual([{ one: 1 }]);
  expect(await statements.query({ text: "create temporary table t (n int)" })).toEqual([]);
  expect(await statements.query({ text: "insert into t values ($1)", values: [1] })).toEqual([]);
  expect(await keptTexts()).toEqual(["insert into t values ($1)"]);
});

test("a text that the database refuses is refused anew, and the next one is not disturbed", async () => {
  const wrong = { text: "select nonsense($1::int)", values: [1] };
  for (let run = 0; run < 3; run += 1) await expect(statements.query(wrong)).rejects.toMatchObject({ code: "42883" });
  const divided = { text: "select 1 / $1::int as part", values: [0] };
  await expect(statements.query(divided)).rejects.toMatchObject({ code: "22012" });
  expect(await statements.query({ ...divided, values: [1] })).toEqual([{ part: 1 }]);
  expect(await keptTexts()).toEqual([divided.text]);
});

test("past the maximum texts are parsed each time, and work all the same", async () => {
  const textOf = (index: number) => `select $1::int + ${index} as sum`;
  for (let index = 0; index < PREPARED_MAX + 5; index += 1)
    expect(await statements.query({ text: textOf(index), values: [1] })).toEqual([{ sum: index + 1 }]);
  expect(await keptTexts()).toHaveLength(PREPARED_MAX);
  expect(await statements.query({ text: textOf(PREPARED_MAX + 1), values: [2] })).toEqual([{ sum: PREPARED_MAX + 3 }]);
});

test("an opening goes ahead of a statement that is new and of one that is known", async () => {
  const inside = { text: "select current_setting('app.x', true) as x, $1::int as n", values: [1] };
  for (const value of ["one", "two"]) {
    expect(await statements.query(inside, `begin; set local app.x = '${value}'`)).toEqual([{ x: value, n: 1 }]);
    await database.exec("commit");
  }
});

test("where the opening failed nothing runs after it, and its own failure is told", async () => {
  const write = { text: "insert into w values ($1::int)", values: [1] };
  await database.exec("create temporary table w (n int)");
  for (let run = 0; run < 2; run += 1) {
    await expect(statements.query(write, "begin; set local role nobody")).rejects.toMatchObject({ code: "22023" });
    await database.exec("rollback");
    expect((await database.query("select from w")).rows).toEqual([]);
    // Known from now on.
    await statements.query(write);
    await database.exec("delete from w");
  }
});

test("plans are made anew now and then, so that they fit tables that have grown", async () => {
  await database.exec("create temporary table grown (n int primary key); insert into grown values (7); analyze grown");
  const run = async (times: number) => {
    for (let round = 0; round < times; round += 1) {
      const there = { text: "select n from grown where n = $1", values: [7] };
      expect(await statements.query(there, "begin")).toEqual([{ n: 7 }]);
      await database.exec("commit");
    }
  };
  const plan = async () => JSON.stringify((await database.query("explain execute framerail_1 (7)")).rows);
  await run(PLANS_TRANSACTIONS_MAX - 10);
  expect(await plan()).toContain("Seq Scan");
  await database.exec("insert into grown select n from generate_series(8, 20000) n");
  expect(await plan()).toContain("Seq Scan");
  await run(10);
  expect(await plan()).toContain("Index");
});
