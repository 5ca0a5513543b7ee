// A Postgres server, by a pool of connections.
// Owns: connections, their settings, what a broken one means. Does not own: roles and tenants (database.ts).
//   P1. Statements of a transaction are sent as soon as they are asked for; the opening never waits for its answer.
//   P2. A connection on which anything but a refusal by the server happened is thrown away, never given back.

import { FramerailError } from "@framerail/protocol";
import type { PoolClient } from "pg";
import pg from "pg";
import { brokenConnection, isRefusal } from "../failure.js";
import { CONNECT_MS_MAX, CONNECTIONS_MAX, STATEMENT_MS_MAX, WAITING_MAX } from "../limits.js";
import type { Sql, SqlDriver, SqlValue, Statement } from "../sql.js";
import { PARSERS } from "../sql.js";

export interface PostgresOptions {
  readonly url: string;
  readonly connectionsMax?: number;
  /** Hears of connections that break while nobody uses them. */
  report?(error: unknown): void;
}

const types = {
  getTypeParser: (id: number, format?: string) =>
    PARSERS[id] ?? (pg.types.getTypeParser(id, format as "text") as (text: string) => unknown),
};

export function createPostgresDriver({ url, connectionsMax = CONNECTIONS_MAX, report }: PostgresOptions): SqlDriver {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    types,
    pipeline: true,
    application_name: "framerail",
    connectionTimeoutMillis: CONNECT_MS_MAX,
    statement_timeout: STATEMENT_MS_MAX,
    idle_in_transaction_session_timeout: STATEMENT_MS_MAX,
    options: "-c timezone=UTC -c datestyle=ISO",
  } as pg.PoolConfig);
  // A broken idle connection is replaced by the pool; without a listener it would end the process.
  pool.on("error", (error) => report?.(error));
  return {
    transaction: (opening, work) => withClient(pool, (client) => runTransaction(client, opening, work)),
    once: (opening, statement) => withClient(pool, (client) => runOnce(client, opening, statement)),
    close: () => pool.end(),
  };
}

async function withClient<T>(pool: pg.Pool, use: (client: PoolClient) => Promise<T>): Promise<T> {
  if (pool.waitingCount >= WAITING_MAX) throw new FramerailError("STORE_UNAVAILABLE", "too many wait for the database");
  const client = await pool.connect().catch((error: unknown) => {
    throw isRefusal(error) ? error : brokenConnection(error, false);
  });
  // While it is ours, a break shows in the statement under way; unheard, it would end the process.
  const ignore = () => undefined;
  client.on("error", ignore);
  let broken = false;
  try {
    return await use(client);
  } catch (error) {
    broken = !isRefusal(error);
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(broken);
  }
}

async function runTransaction<T>(client: PoolClient, opening: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const opened = client.query(opening);
  // Told where it is awaited.
  opened.catch(() => undefined);
  const sql: Sql = {
    query: async <Row extends object>(text: string, values?: readonly SqlValue[]) =>
      (await client.query<Row>(text, values as unknown[] | undefined)).rows,
    script: async (text) => void (await client.query(text)),
  };
  let result: T;
  try {
    result = await work(sql);
    await opened;
  } catch (error) {
    throw await rollBack(client, opened, error);
  }
  await commit(() => client.query("commit"));
  return result;
}

/** Gives what is to be thrown: a failed opening explains whatever came after it. */
async function rollBack(client: PoolClient, opened: Promise<unknown>, error: unknown): Promise<unknown> {
  const cause = await opened.then(
    () => error,
    (failed: unknown) => failed,
  );
  try {
    await client.query("rollback");
  } catch (broken) {
    return brokenConnection(broken, false);
  }
  return cause;
}

async function runOnce<Row extends object>(client: PoolClient, opening: string, statement: Statement): Promise<Row[]> {
  const opened = client.query(opening);
  const asked = client.query<Row>(statement.text, statement.values as unknown[] | undefined);
  const committed = client.query("commit");
  const [opening_, asked_, committed_] = await Promise.allSettled([opened, asked, committed]);
  // The server answers a commit of a failed transaction with a rollback, so the first failure is the whole story.
  for (const step of [opening_, asked_, committed_]) {
    if (step.status === "rejected") throw isRefusal(step.reason) ? step.reason : brokenConnection(step.reason, true);
  }
  return (asked_ as PromiseFulfilledResult<pg.QueryResult<Row>>).value.rows;
}

async function commit(send: () => Promise<pg.QueryResult>): Promise<void> {
  let answer: pg.QueryResult;
  try {
    answer = await send();
  } catch (error) {
    throw isRefusal(error) ? error : brokenConnection(error, true);
  }
  // A transaction in which a statement failed, unheard by its author, is rolled back by the server with no error.
  if (answer.command !== "COMMIT")
    throw new FramerailError("INVARIANT_VIOLATION", "a failed transaction was committed");
}
