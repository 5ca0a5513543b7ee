import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { openEmbeddedDriver } from "./embedded/embedded-driver.js";
import { createPostgresDriver } from "./postgres/postgres-driver.js";
import type { SqlDriver } from "./sql.js";
import { AS_CONNECTED } from "./sql.js";
import { endOfChild, startChild } from "./testing/child-process.js";
import { fillStore } from "./testing/fill-store.js";
import { createPostgresServer } from "./testing/postgres-server.js";
import type { SmallDisk } from "./testing/small-disk.js";
import { createSmallDisk } from "./testing/small-disk.js";
import { THREAD } from "./testing/thread.js";

const FILL_PROCESS = new URL("./testing/fill-process.ts", import.meta.url);

let disk: SmallDisk;
beforeEach(() => {
  disk = createSmallDisk(60);
});
afterEach(() => disk.dispose());

const readKept = async (driver: SqlDriver) =>
  (await driver.once<{ n: number }>(AS_CONNECTED, { text: "select n from filling order by n" })).map(({ n }) => n);

/** A row whose commit was under way when the disk was full may be there; every other is there, or is not. */
function expectKept(found: readonly number[], { kept, codes }: { kept: readonly number[]; codes: readonly string[] }) {
  expect(kept.length).toBeGreaterThan(3);
  expect(codes).toHaveLength(3);
  for (const code of codes) expect(["STORE_UNAVAILABLE", "COMMIT_UNKNOWN"]).toContain(code);
  const unknown = codes.filter((code) => code === "COMMIT_UNKNOWN").length;
  expect(found.slice(0, kept.length)).toEqual(kept);
  expect(found.length - kept.length).toBeLessThanOrEqual(unknown);
}

test("a full disk stops the embedded store with a code, and costs nothing that it acknowledged [D-4]", async () => {
  const folder = join(disk.folder, "data");
  cpSync(inject("embeddedTemplate"), folder, { recursive: true });
  const { out, err, code } = await endOfChild(startChild(FILL_PROCESS, [folder], { prefix: disk.prefix }));
  expect({ err, code }).toEqual({ err: "", code: 0 });
  disk.grow();
  const driver = await openEmbeddedDriver({ folder, thread: THREAD });
  expectKept(await readKept(driver), JSON.parse(out) as { kept: number[]; codes: string[] });
  await driver.once(AS_CONNECTED, { text: "insert into filling values (-1, '')" });
  await driver.close();
});

test("a full disk stops the server's store with a code, and costs nothing that it acknowledged [D-4]", async () => {
  const server = await createPostgresServer({ max_wal_size: "32MB", min_wal_size: "32MB" }, disk.folder);
  await server.start(disk.prefix);
  const driver = createPostgresDriver({ url: server.url("postgres") });
  const filled = await fillStore(driver);
  await server.kill();
  disk.grow();
  await server.start();
  expectKept(await readKept(driver), filled);
  await driver.once(AS_CONNECTED, { text: "insert into filling values (-1, '')" });
  await driver.close();
  await server.dispose();
});
