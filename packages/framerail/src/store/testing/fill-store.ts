// Rows that fill a disk.

import { isFramerailError } from "@framerail/protocol";
import type { SqlDriver } from "../sql.js";
import { AS_CONNECTED } from "../sql.js";

const ROWS_MAX = 1_000;
const FAILURES_MAX = 3;

/** Writes until the store has refused some rows; gives those that it acknowledged, and the codes of its refusals. */
export async function fillStore(driver: SqlDriver): Promise<{ kept: number[]; codes: string[] }> {
  const kept: number[] = [];
  const codes: string[] = [];
  await driver.once(AS_CONNECTED, { text: "create table if not exists filling (n int primary key, text text)" });
  for (let n = 0; n < ROWS_MAX && codes.length < FAILURES_MAX; n += 1) {
    try {
      await driver.transaction(AS_CONNECTED, (sql) =>
        sql.query("insert into filling select $1, string_agg(md5(random()::text), '') from generate_series(1, 8000)", [
          n,
        ]),
      );
      kept.push(n);
    } catch (error) {
      if (!isFramerailError(error)) throw error;
      codes.push(error.code);
    }
  }
  return { kept, codes };
}
