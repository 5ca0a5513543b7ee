// Brings a database to this program's schema: forward only, one numbered file after the other.
// Owns: which files have run, and the refusals. Does not own: the schema (migrations/*.sql).
//   M1. Processes that start together migrate once: the first holds a lock that the others wait for.
//   M2. All that is missing runs in one transaction: a database is at its old schema or at the new one.
//   M3. A database newer than the program, or one whose files were edited after they ran, is refused untouched.
//   M4. So is a schema with tables of others: row security, which goes on for all of a schema, would empty them for their
//       owners.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { FramerailError } from "@framerail/protocol";
import { sqlStateOf } from "./failure.js";
import type { Sql, SqlDriver } from "./sql.js";
import { AS_CONNECTED } from "./sql.js";

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

export interface MigrationResult {
  readonly version: number;
  /** The files that ran now. */
  readonly applied: readonly string[];
}

/** Beside the sources and beside what is built from them alike. */
const FOLDER = new URL("../../migrations/", import.meta.url);
/** A change of a large table takes longer than any statement of a turn may. */
export const MIGRATION_MS_MAX = 600_000;
/** Tables of others that a refusal names. */
const NAMED_TABLES_MAX = 5;
/** Any number will do, as long as no other program takes it in the same database. */
const LOCK = 7_026_110;

const TABLE = `create table if not exists framerail_migrations (
  version integer primary key, name text not null, digest text not null, applied_at timestamptz not null default now())`;

/** Throws STORE_REFUSED for a database that is not ours to change (M3), or whose change failed (M2). */
export async function migrate(driver: SqlDriver, folder: URL = FOLDER): Promise<MigrationResult> {
  const migrations = readMigrations(folder);
  return driver.transaction(AS_CONNECTED, async (sql) => {
    await sql.query(`select pg_advisory_xact_lock(${LOCK})`);
    await requireOwnSchema(sql);
    await sql.script(TABLE);
    const missing = judge(migrations, await readApplied(sql));
    for (const migration of missing) await run(sql, migration);
    return { version: migrations.at(-1)?.version ?? 0, applied: missing.map(({ name }) => name) };
  });
}

// M4
async function requireOwnSchema(sql: Sql): Promise<void> {
  const tables = await sql.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = current_schema()
      and to_regclass('framerail_migrations') is null order by tablename limit ${NAMED_TABLES_MAX}`,
  );
  if (tables.length === 0) return;
  const names = tables.map(({ name }) => name).join(", ");
  throw new FramerailError(
    "STORE_REFUSED",
    `the schema has tables that are not framerail's (${names}): give it a database or a schema of its own`,
  );
}

async function run(sql: Sql, { version, name, text, digest }: Migration): Promise<void> {
  try {
    await sql.script(text);
  } catch (cause) {
    if (sqlStateOf(cause) === undefined) throw cause;
    const { message } = cause as Error;
    throw new FramerailError("STORE_REFUSED", `${name} failed, and nothing was changed: ${message}`, { cause });
  }
  await sql.query("insert into framerail_migrations (version, name, digest) values ($1, $2, $3)", [
    version,
    name,
    digest,
  ]);
}

type Applied = Pick<Migration, "version" | "name" | "digest">;

function readApplied(sql: Sql): Promise<Applied[]> {
  return sql.query<Applied>("select version, name, digest from framerail_migrations order by version");
}

/** What is still to run, or why nothing may (M3). */
function judge(migrations: readonly Migration[], applied: readonly Applied[]): readonly Migration[] {
  const newest = migrations.at(-1)?.version ?? 0;
  const newer = applied.at(-1);
  if (newer !== undefined && newer.version > newest) {
    throw new FramerailError(
      "STORE_REFUSED",
      `the database is at schema ${newer.version} (${newer.name}), this program knows up to ${newest}: run a newer framerail`,
    );
  }
  for (const [index, { version, name, digest }] of applied.entries()) {
    const known = migrations[index];
    if (known?.version !== version || known.digest !== digest) {
      throw new FramerailError("STORE_REFUSED", `schema ${version} of the database (${name}) is not this program's`);
    }
  }
  return migrations.slice(applied.length);
}

function readMigrations(folder: URL): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name, index) => {
    const version = Number(/^(\d{4})-/.exec(name)?.[1]);
    if (version !== index + 1) {
      throw new FramerailError("INVARIANT_VIOLATION", `migration ${name} breaks the row of numbers at ${index + 1}`);
    }
    const text = readFileSync(new URL(name, folder), "utf8");
    return { version, name, text, digest: createHash("sha256").update(text).digest("hex") };
  });
}
