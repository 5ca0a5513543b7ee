// A database of a test's own, on either driver, empty but for the schema.

import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { Database } from "../database.js";
import { createDatabase } from "../database.js";
import { openEmbeddedDriver } from "../embedded/embedded-driver.js";
import { createPostgresDriver } from "../postgres/postgres-driver.js";
import type { SqlDriver } from "../sql.js";
import { AS_CONNECTED } from "../sql.js";
import { onServer } from "./postgres-server.js";
import { withDatabase } from "./services.js";
import { THREAD } from "./thread.js";

export const DRIVERS = ["embedded", "postgres"] as const;
export type DriverName = (typeof DRIVERS)[number];

export interface TestStore {
  readonly database: Database;
  /** For what only a test may do: look behind row security, break things. */
  readonly driver: SqlDriver;
  /** Runs a statement as the superuser. */
  admin<Row extends object = Record<string, unknown>>(text: string): Promise<Row[]>;
  close(): Promise<void>;
}

export async function openStore(name: DriverName): Promise<TestStore> {
  const { driver, dispose } = await (name === "embedded" ? openEmbeddedCopy() : openPostgresCopy());
  return {
    driver,
    database: createDatabase(driver),
    admin: (text) => driver.transaction(AS_CONNECTED, (sql) => sql.query(text)),
    async close() {
      await driver.close();
      await dispose();
    },
  };
}

async function openEmbeddedCopy() {
  const folder = copyEmbeddedTemplate();
  const driver = await openEmbeddedDriver({ folder, thread: THREAD });
  return { driver, dispose: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })) };
}

/** The folder of a migrated embedded database that nobody has open. */
export function copyEmbeddedTemplate(): string {
  const folder = mkdtempSync(join(tmpdir(), "framerail-embedded-"));
  cpSync(inject("embeddedTemplate"), folder, { recursive: true });
  return folder;
}

async function openPostgresCopy() {
  const { url, drop } = await createPostgresDatabase();
  return { driver: createPostgresDriver({ url }), dispose: drop };
}

/** A migrated database on the shared server. */
export function createPostgresDatabase() {
  return createFrom("framerail_template");
}

/** A database on the shared server in which nothing is. */
export function createEmptyDatabase() {
  return createFrom("template0");
}

async function createFrom(template: string) {
  const server = inject("postgresUrl");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await onServer(server, `create database ${name} template ${template}`);
  return {
    url: withDatabase(server, name),
    drop: async () => void (await onServer(server, `drop database if exists ${name} with (force)`)),
  };
}

/** A tenant that exists. */
export async function createTenant(database: Database): Promise<string> {
  const orgId = randomUUID();
  await database.asTenant(orgId, { text: "insert into organizations (id) values ($1)", values: [orgId] });
  return orgId;
}
