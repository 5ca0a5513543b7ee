// One statement as a transaction of its own, in one message to the server and one back.
// Owns: what goes over the wire for it. Does not own: connections, and what an error means (postgres-driver.ts).
//   C1. Nothing is begun and nothing is committed by a statement: what stands between two syncs is one transaction of the
//       server's own, and the sync commits it. So a scope and its statement are kept together, or neither.
//   C2. What sets the scope is parsed and planned when the connection is made, before anything else runs on it.
//   C3. No message of it is a simple query: after a refusal the server passes over everything up to the sync, which a
//       simple query is not, and would be waited for without end.

import pg from "pg";
import { CONNECT_MS_MAX } from "../limits.js";
import type { Scope } from "../sql.js";

/** Sets a role ($1) and a tenant ($2) for the transaction it stands in; has no rows, so that nobody need pass over them. */
const ENTER = {
  name: "framerail_enter",
  text: "select where set_config('role', $1, true) is null or set_config('app.org_id', $2, true) is null",
};

/** With what pg's types leave out. */
interface Config extends pg.QueryConfig {
  readonly queryMode?: "extended";
  readonly query_timeout?: number;
}

/** C2. It leaves no trace: its transaction ends with it. */
export async function prepareScopes(client: pg.ClientBase): Promise<void> {
  const config: Config = { ...ENTER, values: ["none", ""], query_timeout: CONNECT_MS_MAX };
  await client.query(config);
}

/** Why a statement has no answer, and whether it had been carried out when that came about: then it was at its commit. */
export class FailedCommit extends Error {
  readonly wasCommitting: boolean;

  constructor(cause: unknown, wasCommitting: boolean) {
    super("a statement was not committed", { cause });
    this.wasCommitting = wasCommitting;
  }
}

/** Gives the statement's rows once they are committed. Throws FailedCommit. */
export function commitOne<Row extends object>(
  client: pg.ClientBase,
  scope: Scope,
  statement: pg.QueryConfig,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const query: OneCommit = new OneCommit(scope, statement, (error, results) => {
      if (error) reject(new FailedCommit(error, query.isCarriedOut));
      else resolve(lastOf(results).rows as Row[]);
    });
    client.query(query);
  });
}

const lastOf = (results: pg.QueryResult | readonly pg.QueryResult[]): pg.QueryResult =>
  [results].flat().at(-1) as pg.QueryResult;

type Settle = (error: Error | undefined, results: pg.QueryResult | readonly pg.QueryResult[]) => void;

interface WireQuery {
  submit(connection: pg.Connection): Error | null;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}
const Query = pg.Query as unknown as new (config: Config, callback: Settle) => WireQuery;

class OneCommit extends Query {
  readonly #scope: Scope;
  #commands: number;

  constructor(scope: Scope, statement: pg.QueryConfig, settle: Settle) {
    super({ ...statement, queryMode: "extended" }, settle);
    this.#scope = scope;
    this.#commands = scope.role === undefined ? 1 : 2;
  }

  get isCarriedOut(): boolean {
    return this.#commands === 0;
  }

  override submit(connection: pg.Connection): Error | null {
    const { role, orgId = "" } = this.#scope;
    if (role === undefined) return super.submit(connection);
    // One write, and so one wake-up of the server.
    connection.stream.cork();
    try {
      connection.bind({ statement: ENTER.name, values: [role, orgId] }, true);
      connection.execute({}, true);
      return super.submit(connection);
    } finally {
      connection.stream.uncork();
    }
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    this.#commands -= 1;
    super.handleCommandComplete(message, connection);
  }
}
