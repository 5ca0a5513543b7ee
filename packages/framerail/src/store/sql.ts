// What a database must be able to do for us: transactions, and statements inside them. Both drivers speak this; nothing
// else of the program speaks to a driver (database.ts is the door).
// Owns: the port, and how values look on this side of it. Does not own: tenants, roles and retries (database.ts).
//   Q1. bigint reads as a number, timestamptz as epoch milliseconds, numeric as a string, jsonb as its value, bytea as
//       bytes. JSON is given as text, times as Date.

export type SqlValue = string | number | boolean | null | Date | Uint8Array | readonly (string | number | Uint8Array)[];

export interface Statement {
  readonly text: string;
  readonly values?: readonly SqlValue[];
}

export interface Sql {
  /** Runs one statement and gives its rows. */
  query<Row extends object = Record<string, unknown>>(text: string, values?: readonly SqlValue[]): Promise<Row[]>;
  /** Runs statements without values, one after the other. For migrations. */
  script(text: string): Promise<void>;
}

/** As whom a transaction runs. The database forgets both when it ends [D-12]. */
export interface Scope {
  /** Who the program is connected as, where none is named. */
  readonly role?: string;
  /** The tenant. */
  readonly orgId?: string;
}

/** For migrations, and for whoever looks at the database from outside. */
export const AS_CONNECTED: Scope = {};

/** What begins a transaction. Both names stand in it as they are: who makes a scope has made sure of them. */
export const beginOf = ({ role, orgId }: Scope): string =>
  `begin${role === undefined ? "" : `; set local role ${role}`}${orgId === undefined ? "" : `; set local app.org_id = '${orgId}'`}`;

export interface SqlDriver {
  /**
   * One transaction, committed when `work` resolves, rolled back when it rejects. Rejects with
   * COMMIT_UNKNOWN when the connection broke while the commit was under way, with STORE_UNAVAILABLE when it broke before,
   * and with the database's own error otherwise.
   */
  transaction<T>(scope: Scope, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** The same for one statement that needs nobody's decision: sent with its scope and its commit in one go. */
  once<Row extends object>(scope: Scope, statement: Statement): Promise<Row[]>;
  close(): Promise<void>;
}

/** Types whose text form we read ourselves, by Postgres's numbers for them, so that both drivers give the same (Q1). */
export const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  20: Number,
  1184: (text) => Date.parse(text),
};
