import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { EMPTY_REGISTRY } from "../registry/registry.js";
import { CONNECTIONS_MAX } from "../store/limits.js";
import { createPostgresDatabase, createTenant } from "../store/testing/open-store.js";
import { onServer } from "../store/testing/postgres-server.js";
import { startRuntime } from "./runtime.js";

/** Longer than a lease. */
const SECONDS = 5;

test("a process whose requests keep every connection busy is still alive for the others [D-3] [G8]", async () => {
  const { url, drop } = await createPostgresDatabase();
  const runtime = await startRuntime({ store: { url }, agents: new Map(), registry: EMPTY_REGISTRY });
  const orgId = await createTenant(runtime.database);
  const busy = Array.from({ length: CONNECTIONS_MAX }, () =>
    runtime.database.asTenant(orgId, { text: `select pg_sleep(${SECONDS})` }),
  );
  const lapsed: unknown[] = [];
  for (let looks = 0; looks < SECONDS * 4; looks += 1) {
    await sleep(250);
    lapsed.push(...(await onServer(url, "select owner from leases where expires_at < clock_timestamp()")));
  }
  await Promise.all(busy);
  await runtime.close();
  await drop();
  expect(lapsed).toEqual([]);
}, 60_000);
