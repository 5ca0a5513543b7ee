// The services that some variants need, of the bench's own: a Postgres server, a Redis server, folders.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../../packages/framerail/dist/store/migrate.js";
import { createPostgresDriver } from "../../packages/framerail/dist/store/postgres/postgres-driver.js";
import { createRedisServer } from "../../packages/framerail/src/log/redis/testing/redis-server.js";
import { createPostgresServer, onServer } from "../../packages/framerail/src/store/testing/postgres-server.js";
import type { Services } from "./server.js";

/** Migrated, and copied for every process: what an ended one has left in its own would be work for the next. */
const TEMPLATE = "framerail_template";

export interface OpenServices {
  /** What one more process is given. */
  next(): Promise<Services>;
  close(): Promise<void>;
}

export async function openServices(): Promise<OpenServices> {
  const [redis, postgres] = await Promise.all([createRedisServer(), createPostgresServer()]);
  await postgres.start();
  const folder = mkdtempSync(join(tmpdir(), "framerail-gateway-"));
  await onServer(postgres.url("postgres"), `create database ${TEMPLATE}`);
  const driver = createPostgresDriver({ url: postgres.url(TEMPLATE) });
  await migrate(driver);
  await driver.close();
  let given = 0;
  return {
    async next() {
      given += 1;
      const name = `bench_${given}`;
      await onServer(postgres.url("postgres"), `create database ${name} template ${TEMPLATE}`);
      return { redisUrl: redis.url, postgresUrl: postgres.url(name), folder: join(folder, name) };
    },
    async close() {
      await redis.dispose();
      await postgres.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
