// The door to the database. Every statement of the program runs in a transaction that was opened here, for one tenant or
// for the program's own chores; there is no third way [D-12].
// Owns: roles, the tenant of a transaction, retries. Does not own: what is asked (the files named after tables).
//   B1. A tenant's transaction sees and writes that tenant's rows alone, by the database's own rules (row security), and
//       the setting ends with the transaction: a connection back in its pool carries nobody.
//   B2. A server that would not keep tenants apart, because our roles see past row security, is not worked on.
//   B3. What the database asks to be tried again (serialization, deadlock) is, at most RETRIES_MAX times.

import type { Clock } from "@framerail/protocol";
import { FramerailError, systemClock } from "@framerail/protocol";
import { sqlStateOf } from "./failure.js";
import { RETRIES_MAX, RETRY_DELAY_MS } from "./limits.js";
import type { Scope, Sql, SqlDriver, Statement } from "./sql.js";
import { isUuid } from "./uuid.js";

export interface Database {
  /** Runs `work` in one transaction as the tenant, or a single statement as a transaction of its own. */
  asTenant<T>(orgId: string, work: (sql: Sql) => Promise<T>): Promise<T>;
  asTenant<Row extends object>(orgId: string, statement: Statement): Promise<Row[]>;
  /** The same for chores across tenants, which reach only the tables of those chores. */
  asSystem<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  asSystem<Row extends object>(statement: Statement): Promise<Row[]>;
  close(): Promise<void>;
}

const NOBODY = "00000000-0000-0000-0000-000000000000";
const AS_SYSTEM: Scope = { role: "framerail_system" };

/** Codes by which the database says: nothing is wrong, try again. */
const TRY_AGAIN: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

export function createDatabase(driver: SqlDriver, clock: Clock = systemClock): Database {
  const run = (scope: Scope, work: Statement | ((sql: Sql) => Promise<unknown>)): Promise<unknown> =>
    retry(clock, () =>
      typeof work === "function" ? driver.transaction(scope, work) : driver.once<object>(scope, work),
    );
  // The overloads of the interface differ only in what comes back, which is what `work` makes of it.
  return {
    asTenant: (orgId: string, work: never) => run(scopeOf(orgId), work),
    asSystem: (work: never) => run(AS_SYSTEM, work),
    close: () => driver.close(),
  } as Database;
}

/** The same, once it is certain that tenants are kept apart on it (B2). Throws STORE_REFUSED. */
export async function openDatabase(driver: SqlDriver, clock: Clock = systemClock): Promise<Database> {
  const database = createDatabase(driver, clock);
  let tables: TableSecurity[];
  try {
    tables = await database.asTenant<TableSecurity>(NOBODY, { text: SECURITY_OF_TABLES });
    await database.asSystem({ text: "select" });
  } catch (cause) {
    if (sqlStateOf(cause) === undefined) throw cause;
    const { message } = cause as Error;
    throw refused(`its roles cannot be taken (${message}); run framerail migrate`, cause);
  }
  if (tables.length === 0) throw refused("it has no tables of ours; run framerail migrate");
  const open = tables.filter(({ active }) => !active).map(({ name }) => name);
  if (open.length > 0) throw refused(`framerail_app sees every tenant's rows in ${open.join(", ")}`);
  if (tables.some(({ system }) => system)) throw refused("framerail_app is a member of framerail_system");
  return database;
}

interface TableSecurity {
  readonly name: string;
  /** Whether the role that requests run as obeys the table's policies. */
  readonly active: boolean;
  /** Whether that role has the chores' policies too. */
  readonly system: boolean;
}

const SECURITY_OF_TABLES = `select t.relname as name, row_security_active(t.oid) as active,
    pg_has_role(current_user, 'framerail_system', 'member') as system
  from pg_class t join pg_class ours on ours.oid = to_regclass('turns') and ours.relnamespace = t.relnamespace
  where t.relkind in ('r', 'p') and t.relname <> 'framerail_migrations' order by 1`;

function refused(why: string, cause?: unknown): FramerailError {
  return new FramerailError("STORE_REFUSED", `the database cannot be used for requests: ${why}`, { cause });
}

// A driver may put the id into the text of a statement: so it must be an id and nothing else.
function scopeOf(orgId: string): Scope {
  if (!isUuid(orgId)) throw new FramerailError("INVALID_ARGUMENT", "a tenant's id must be a UUID in lower case");
  return { role: "framerail_app", orgId };
}

async function retry<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= RETRIES_MAX || !TRY_AGAIN.has((error as { code?: unknown }).code)) throw error;
    }
    await new Promise<void>((resolve) => void clock.schedule(RETRY_DELAY_MS * (tries + 1), resolve));
  }
}
