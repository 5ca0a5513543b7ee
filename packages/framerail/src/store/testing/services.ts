// Starts what the store's tests share, once per run: a Postgres server with a migrated database to copy, and the folder
// of a migrated embedded database to copy.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openEmbeddedDriver } from "../embedded/embedded-driver.js";
import { migrate } from "../migrate.js";
import { createPostgresDriver } from "../postgres/postgres-driver.js";
import { createPostgresServer, onServer } from "./postgres-server.js";
import { THREAD } from "./thread.js";

declare module "vitest" {
  interface ProvidedContext {
    /** A server on which tests make and drop databases; "template" on it is migrated. */
    readonly postgresUrl: string;
    /** Copied by tests, never opened. */
    readonly embeddedTemplate: string;
  }
}

const TEMPLATE = "framerail_template";

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "framerail-template-"));
  const [server] = await Promise.all([startServer(), createEmbeddedTemplate(folder)]);
  project.provide("postgresUrl", server.url);
  project.provide("embeddedTemplate", folder);
  return async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.dispose();
  };
}

async function startServer(): Promise<{ url: string; dispose(): Promise<void> }> {
  const given = process.env.FRAMERAIL_TEST_DATABASE_URL;
  if (given !== undefined) {
    await createTemplate(given);
    return { url: given, dispose: () => Promise.resolve() };
  }
  const server = await createPostgresServer({ max_connections: "200" });
  await server.start();
  await createTemplate(server.url("postgres"));
  return { url: server.url("postgres"), dispose: () => server.dispose() };
}

async function createTemplate(url: string): Promise<void> {
  await onServer(url, `drop database if exists ${TEMPLATE} with (force)`, `create database ${TEMPLATE}`);
  const driver = createPostgresDriver({ url: withDatabase(url, TEMPLATE) });
  await migrate(driver);
  await driver.close();
}

async function createEmbeddedTemplate(folder: string): Promise<void> {
  const driver = await openEmbeddedDriver({ folder, thread: THREAD });
  await migrate(driver);
  await driver.close();
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
