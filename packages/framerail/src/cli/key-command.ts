// `framerail key …`: API keys for programs and users that have no token of an identity provider.
// Owns: which database, arguments and output. Does not own: keys (session/api-keys.ts).
//   K1. A new key is alone on stdout, so that a script can take it; what is said about it is on stderr [D-13].
//   K2. A folder that is named wins over an address that only stands in the environment.

import { formatTimestamp, systemClock } from "@framerail/protocol";
import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { KEY_CACHE_MS } from "../gateway/auth/limits.js";
import type { ApiKeys, KeyDocument } from "../session/api-keys.js";
import { createApiKeys } from "../session/api-keys.js";
import { openDatabase } from "../store/database.js";
import { openEmbeddedDriver } from "../store/embedded/embedded-driver.js";
import { createPostgresDriver } from "../store/postgres/postgres-driver.js";
import type { SqlDriver } from "../store/sql.js";
import { isUuid } from "../store/uuid.js";
import type { Terminal } from "./terminal.js";
import { alignColumns } from "./terminal.js";

interface StoreOptions {
  readonly data?: string;
  readonly databaseUrl?: string;
}

interface TenantOptions extends StoreOptions {
  readonly tenant: string;
  readonly json?: true;
}

interface CreateOptions extends TenantOptions {
  readonly name: string;
  readonly user?: string;
  readonly expiresDays?: number;
}

/** Opens the database that a command line names. */
export type OpenStore = (command: Command, options: StoreOptions) => Promise<SqlDriver> | SqlDriver;

const DAY_MS = 86_400_000;
const DAYS_MAX = 3_650;
const EXAMPLE_TENANT = "7d9b1c1e-52f5-4b3a-9a8e-0c2f6a1d4e90";
const EXAMPLE_KEY = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";

export function addKeyCommand(program: Command, terminal: Terminal, openStore: OpenStore = openNamedStore): void {
  const keys = program
    .command("key")
    .description("make, list and revoke API keys")
    .addHelpText("after", example(`framerail key create --tenant ${EXAMPLE_TENANT} --name backend`));

  async function withKeys<T>(command: Command, work: (keys: ApiKeys) => Promise<T>): Promise<T> {
    const driver = await openStore(command, command.opts<StoreOptions>());
    try {
      return await work(createApiKeys(await openDatabase(driver)));
    } finally {
      await driver.close();
    }
  }

  addOptions(
    keys.command("create").description("make a key; it is shown this once"),
    "print the key and its row as JSON",
  )
    .requiredOption("--name <text>", "what the key is for")
    .option("--user <id>", "the one user it speaks for; without, it is a service's and may name any user of the tenant")
    .option("--expires-days <n>", "days until it ends by itself", readDays)
    .addHelpText("after", example(`framerail key create --tenant ${EXAMPLE_TENANT} --name backend --expires-days 90`))
    .action(async ({ tenant, name, user, expiresDays, json }: CreateOptions, command: Command) => {
      const owner = user === undefined ? {} : { userId: user };
      const ends = expiresDays === undefined ? {} : { expiresAt: systemClock.now() + expiresDays * DAY_MS };
      const made = await withKeys(command, (all) => all.create(tenant, { name, ...owner, ...ends }));
      terminal.out(json ? `${JSON.stringify(made)}\n` : `${made.key}\n`);
      if (!json) terminal.err(`made key ${made.key_id}; keep it now, it is not shown again\n`);
    });

  addOptions(keys.command("list").description("list a tenant's keys, newest first"), "print the rows as JSON")
    .addHelpText("after", example(`framerail key list --tenant ${EXAMPLE_TENANT}`))
    .action(async ({ tenant, json }: TenantOptions, command: Command) => {
      const rows = await withKeys(command, (all) => all.list(tenant));
      terminal.out(json ? `${JSON.stringify(rows)}\n` : showKeys(rows));
    });

  addOptions(keys.command("revoke").description("end a key at once"), "print its row as JSON")
    .argument("<id>", "the key's id, as the list shows it")
    .addHelpText("after", example(`framerail key revoke ${EXAMPLE_KEY} --tenant ${EXAMPLE_TENANT}`))
    .action(async (id: string, { tenant, json }: TenantOptions, command: Command) => {
      const row = await withKeys(command, (all) => all.revoke(tenant, id.toLowerCase()));
      if (json) terminal.out(`${JSON.stringify(row)}\n`);
      else terminal.out(`revoked ${row.key_id}; every server refuses it within ${KEY_CACHE_MS / 1000} s\n`);
    });
}

function example(line: string): string {
  return `\nExample:\n  ${line}\n`;
}

function addOptions(command: Command, jsonSays: string): Command {
  return command
    .requiredOption("--tenant <id>", "the tenant's UUID", readTenant)
    .option("--data <dir>", "the folder of an embedded database")
    .addOption(new Option("--database-url <url>", "a Postgres server's database").env("DATABASE_URL"))
    .option("--json", jsonSays);
}

function readTenant(text: string): string {
  const id = text.toLowerCase();
  if (isUuid(id)) return id;
  throw new InvalidArgumentError("It must be a UUID.");
}

function readDays(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= DAYS_MAX) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${DAYS_MAX}.`);
}

function showKeys(rows: readonly KeyDocument[]): string {
  const header = ["ID", "NAME", "KIND", "USER", "CREATED", "EXPIRES", "STATE"];
  const cells = rows.map((row) => [
    row.key_id,
    row.name,
    row.kind,
    row.user_id ?? "-",
    formatTimestamp(row.created_at),
    row.expires_at === null ? "never" : formatTimestamp(row.expires_at),
    stateOf(row),
  ]);
  return alignColumns([header, ...cells]);
}

function stateOf({ revoked_at, expires_at }: KeyDocument): string {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && expires_at <= systemClock.now() ? "expired" : "usable";
}

function openNamedStore(command: Command, { data, databaseUrl }: StoreOptions): Promise<SqlDriver> | SqlDriver {
  if (data !== undefined) return openEmbeddedDriver({ folder: data });
  if (databaseUrl === undefined) command.error("error: name a database: set DATABASE_URL, or give --data DIR");
  return createPostgresDriver({ url: databaseUrl, connectionsMax: 1 });
}
