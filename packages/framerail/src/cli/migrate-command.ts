// `framerail migrate`: brings a database to this program's schema.
// Owns: which database, and the output. Does not own: the schema and how it is reached (store/migrate.ts).
//   G1. A folder that is named wins over an address that only stands in the environment.

import type { Command } from "commander";
import { Option } from "commander";
import { openEmbeddedDriver } from "../store/embedded/embedded-driver.js";
import { MIGRATION_MS_MAX, migrate } from "../store/migrate.js";
import { createPostgresDriver } from "../store/postgres/postgres-driver.js";
import type { SqlDriver } from "../store/sql.js";
import type { Terminal } from "./terminal.js";

interface MigrateOptions {
  readonly data?: string;
  readonly databaseUrl?: string;
  readonly json?: true;
}

export function addMigrateCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("migrate")
    .description("bring a database to this program's schema; what has run before is left alone")
    .option("--data <dir>", "the folder of an embedded database")
    .addOption(new Option("--database-url <url>", "a Postgres server's database").env("DATABASE_URL"))
    .option("--json", "print {version, applied} as JSON")
    .addHelpText("after", "\nExample:\n  DATABASE_URL=postgres://localhost/framerail framerail migrate\n");
  command.action(async (options: MigrateOptions) => {
    const driver = await openDriver(command, options);
    try {
      const { version, applied } = await migrate(driver);
      if (options.json) terminal.out(`${JSON.stringify({ version, applied })}\n`);
      else terminal.out(`${applied.map((name) => `ran ${name}\n`).join("")}the database is at schema ${version}\n`);
    } finally {
      await driver.close();
    }
  });
}

function openDriver(command: Command, { data, databaseUrl }: MigrateOptions): Promise<SqlDriver> | SqlDriver {
  if (data !== undefined) return openEmbeddedDriver({ folder: data, statementMsMax: MIGRATION_MS_MAX });
  if (databaseUrl === undefined) command.error("error: name a database: set DATABASE_URL, or give --data DIR");
  return createPostgresDriver({ url: databaseUrl, connectionsMax: 1, statementMsMax: MIGRATION_MS_MAX });
}
