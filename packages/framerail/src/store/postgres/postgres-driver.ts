// A Postgres server, by a pool of connections.
// Owns: connections, their settings, what a broken one means. Does not own: roles and tenants (database.ts).
//   P1. Statements of a transaction are sent as soon as they are asked for; the opening never waits for its answer.
//   P2. A connection goes back to the pool only outside any transaction, and never after the line or the server failed.
//   P3. No answer is waited for without end: the server has a time for a statement, and we a little more for its answer.
//   P4. A statement with values is parsed and planned once per connection: the program has a fixed set of texts.

import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { PoolClient } from "pg";
import pg from "pg";
import { brokenConnection, connectError, sqlStateOf, storeError } from "../failure.js";
import { CONNECT_MS_MAX, CONNECTIONS_MAX, PREPARED_MAX, STATEMENT_MS_MAX, WAITING_MAX } from "../limits.js";
import { runScoped, unheardFailure } from "../scoped-sql.js";
import type { Scope, Sql, SqlDriver, SqlValue, Statement } from "../sql.js";
import { beginOf, PARSERS } from "../sql.js";
import { commitOne, FailedCommit, prepareScopes } from "./one-commit.js";

export interface PostgresOptions {
  readonly url: string;
  readonly connectionsMax?: number;
  readonly statementMsMax?: number;
  readonly waitingMax?: number;
  /** Hears of connections that break while nobody uses them. */
  report?(error: unknown): void;
}

/** How much longer than the server's own limit we wait for an answer, before the line counts as broken (P3). */
export const ANSWER_MS_EXTRA = 5_000;

const types = {
  getTypeParser: (id: number, format?: string) =>
    PARSERS[id] ?? (pg.types.getTypeParser(id, format as "text") as (text: string) => unknown),
};

/** Connects when it is first asked for something. Throws INVALID_ARGUMENT for what is no address of a server. */
export function createPostgresDriver(options: PostgresOptions): SqlDriver {
  const pool = createPool(options);
  const { waitingMax = WAITING_MAX } = options;
  const running = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;
  const run = <T>(use: (client: PoolClient) => Promise<T>): Promise<T> => {
    if (closed !== undefined) return Promise.reject(brokenConnection(undefined, false));
    if (pool.waitingCount >= waitingMax)
      return Promise.reject(new FramerailError("STORE_UNAVAILABLE", "too many wait for the database"));
    const result = withClient(pool, use);
    const leave = () => void running.delete(result);
    running.add(result);
    void result.then(leave, leave);
    return result;
  };
  return {
    transaction: (scope, work) => run((client) => runTransaction(client, scope, work)),
    once: (scope, statement) => run((client) => runOnce(client, scope, statement)),
    close: () => (closed ??= Promise.allSettled(running).then(() => pool.end())),
  };
}

function createPool(options: PostgresOptions): pg.Pool {
  const { url, connectionsMax = CONNECTIONS_MAX, statementMsMax = STATEMENT_MS_MAX, report } = options;
  // Not quoted in the message: it may hold a password.
  if (!/^postgres(?:ql)?:/.test(url) || !URL.canParse(url))
    throw new FramerailError("INVALID_ARGUMENT", "the address of the database must be a postgres:// URL");
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    types,
    pipeline: true,
    keepAlive: true,
    application_name: "framerail",
    connectionTimeoutMillis: CONNECT_MS_MAX,
    statement_timeout: statementMsMax,
    query_timeout: statementMsMax + ANSWER_MS_EXTRA,
    idle_in_transaction_session_timeout: statementMsMax,
    options: "-c timezone=UTC -c datestyle=ISO",
    // Waited for, which its type does not say.
    onConnect: prepareScopes as (client: pg.ClientBase) => void,
  } as pg.PoolConfig);
  // A broken idle connection is replaced by the pool; without a listener it would end the process.
  pool.on("error", (error) => report?.(error));
  return pool;
}

async function withClient<T>(pool: pg.Pool, use: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw connectError(error);
  });
  // While it is ours, a break shows in the statement under way; unheard, it would end the process.
  const ignore = () => undefined;
  client.on("error", ignore);
  let failed = false;
  try {
    return await use(client);
  } catch (error) {
    failed = isFramerailError(error) && (error.code === "STORE_UNAVAILABLE" || error.code === "COMMIT_UNKNOWN");
    throw error;
  } finally {
    client.off("error", ignore);
    // P2
    client.release(failed || client.getTransactionStatus() !== "I");
  }
}

async function runTransaction<T>(client: PoolClient, scope: Scope, work: (sql: Sql) => Promise<T>): Promise<T> {
  const opened = ask(client, beginOf(scope));
  // Told where it is awaited.
  opened.catch(() => undefined);
  const sql: Sql = {
    query: async <Row extends object>(text: string, values?: readonly SqlValue[]) =>
      (await ask<Row>(client, text, values)).rows,
    script: async (text) => void (await ask(client, text)),
  };
  let result: T;
  try {
    result = await runScoped(sql, work);
    await opened;
  } catch (error) {
    throw await rollBack(client, opened, error);
  }
  await commit(client);
  return result;
}

async function ask<Row extends object>(client: PoolClient, text: string, values?: readonly SqlValue[]) {
  try {
    return await client.query<Row>(queryOf(text, values));
  } catch (error) {
    throw storeError(error, false);
  }
}

const names = new Map<string, string>();

// P4
function queryOf(text: string, values: readonly SqlValue[] = []): pg.QueryConfig {
  if (values.length === 0) return { text };
  let name = names.get(text);
  if (name === undefined && names.size < PREPARED_MAX) {
    name = `framerail_${names.size}`;
    names.set(text, name);
  }
  return { text, values: values as unknown[], ...(name !== undefined && { name }) };
}

/** Gives what is to be thrown: a failed opening explains whatever came after it. */
async function rollBack(client: PoolClient, opened: Promise<unknown>, error: unknown): Promise<unknown> {
  const cause = await opened.then(
    () => error,
    (failed: unknown) => failed,
  );
  try {
    await ask(client, "rollback");
  } catch (broken) {
    return isFramerailError(cause) ? cause : broken;
  }
  return cause;
}

async function runOnce<Row extends object>(client: PoolClient, scope: Scope, statement: Statement): Promise<Row[]> {
  try {
    return await commitOne<Row>(client, scope, queryOf(statement.text, statement.values));
  } catch (error) {
    if (!(error instanceof FailedCommit)) throw error;
    const { cause, wasCommitting } = error;
    if (wasCommitting) throw await commitError(client, cause);
    // Everything had been sent: only a server that said why it stopped leaves no doubt that it stopped before the commit.
    throw storeError(cause, sqlStateOf(cause) === undefined);
  }
}

async function commit(client: PoolClient): Promise<void> {
  let answer: pg.QueryResult;
  try {
    answer = await client.query("commit");
  } catch (error) {
    throw await commitError(client, error);
  }
  // A transaction in which a statement failed, unheard by its author, is rolled back by the server with no error.
  if (answer.command !== "COMMIT") throw unheardFailure();
}

/** A server that refuses a commit and lives has kept nothing; one that dies of it, on a full disk, may have kept it all. */
async function commitError(client: PoolClient, error: unknown): Promise<unknown> {
  if (sqlStateOf(error) === undefined) return brokenConnection(error, true);
  const lives = await client.query("rollback").then(
    () => true,
    () => false,
  );
  return lives ? storeError(error, true) : brokenConnection(error, true);
}
