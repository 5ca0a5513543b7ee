// Shows by which indexes the database answers what a function of the store asks.

import type { Sql, Statement } from "../sql.js";

/** Runs `ask` and gives the plan of each of its statements. */
export async function explain(sql: Sql, ask: (sql: Sql) => Promise<unknown>): Promise<string[]> {
  const asked: Statement[] = [];
  const query: Sql["query"] = (text, values = []) => {
    asked.push({ text, values });
    return sql.query(text, values);
  };
  await ask({ ...sql, query });
  const plans: string[] = [];
  for (const { text, values = [] } of asked) {
    const rows = await sql.query<{ "QUERY PLAN": string }>(`explain ${text}`, values);
    plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
  }
  return plans;
}
