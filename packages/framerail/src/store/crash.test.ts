import { once } from "node:events";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { isFramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { createDatabase, openDatabase } from "./database.js";
import { openEmbeddedDriver } from "./embedded/embedded-driver.js";
import { migrate } from "./migrate.js";
import { createPostgresDriver } from "./postgres/postgres-driver.js";
import { startChild } from "./testing/child-process.js";
import { copyEmbeddedTemplate, createPostgresDatabase, createTenant } from "./testing/open-store.js";
import { createPostgresServer } from "./testing/postgres-server.js";
import { THREAD } from "./testing/thread.js";
import { findLies, haveTheirFrames, playTurn } from "./testing/turn-load.js";

const LONG = Boolean(process.env.FRAMERAIL_LONG);
const ROUNDS = LONG ? 100 : 10;
const MINUTES = LONG ? 60 : 5;
/** When it is killed: some acts after the first, and a little later still. */
const ACTS_MAX = 16;
const RUN_MS_MAX = 100;
const LOAD_PROCESS = new URL("./testing/turn-load-process.ts", import.meta.url);

/** Lets a process play turns on a store and kills it at a moment of its own; gives what it said. */
async function playUntilKilled(where: string): Promise<string[]> {
  const child = startChild(LOAD_PROCESS, [where]);
  const told: string[] = [];
  let complaint = "";
  child.stderr.on("data", (bytes: Buffer) => (complaint += bytes.toString()));
  const lines = createInterface({ input: child.stdout }).on("line", (line) => told.push(line));
  const closed = Promise.all([once(child, "exit"), once(lines, "close")]);
  for (const acts = 1 + Math.random() * ACTS_MAX; told.length < acts && child.exitCode === null; ) await sleep(5);
  expect(complaint).toBe("");
  await sleep(Math.random() * RUN_MS_MAX);
  child.kill("SIGKILL");
  await closed;
  expect(child.signalCode).toBe("SIGKILL");
  return told;
}

test(
  "a killed process loses nothing that its embedded store acknowledged, and leaves nothing half done [G4] [D-4]",
  async () => {
    const folder = copyEmbeddedTemplate();
    const all: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const told = await playUntilKilled(folder);
      all.push(...told);
      const driver = await openEmbeddedDriver({ folder, thread: THREAD });
      expect((await migrate(driver)).applied).toEqual([]);
      const database = await openDatabase(driver);
      expect(await findLies(driver, all)).toEqual([]);
      expect(await haveTheirFrames(database, told)).toBe(true);
      await driver.close();
    }
    expect(all.filter((line) => line.startsWith("ended")).length).toBeGreaterThan(3);
    rmSync(folder, { recursive: true, force: true });
  },
  MINUTES * 60_000,
);

test(
  "a killed process loses nothing that the server acknowledged, and leaves nothing half done [G4] [D-4]",
  async () => {
    const { url, drop } = await createPostgresDatabase();
    const driver = createPostgresDriver({ url });
    const all: string[] = [];
    for (let round = 0; round < ROUNDS; round += 2) {
      const told = (await Promise.all([playUntilKilled(url), playUntilKilled(url)])).flat();
      all.push(...told);
      expect(await findLies(driver, all)).toEqual([]);
      expect(await haveTheirFrames(createDatabase(driver), told)).toBe(true);
    }
    expect(all.filter((line) => line.startsWith("ended")).length).toBeGreaterThan(3);
    await driver.close();
    await drop();
  },
  MINUTES * 60_000,
);

test(
  "a killed server loses nothing that it acknowledged, and its client goes on when it is back [G4] [D-4]",
  async () => {
    const server = await createPostgresServer();
    await server.start();
    const driver = createPostgresDriver({ url: server.url("postgres") });
    await migrate(driver);
    const database = createDatabase(driver);
    const org = await createTenant(database);
    const told: string[] = [];
    const failures = new Set<string>();
    let playing = true;
    const play = async () => {
      while (playing) {
        await playTurn(database, org, (act, orgId, turnId) => void told.push(`${act} ${orgId} ${turnId}`)).catch(
          async (error: unknown) => {
            if (!isFramerailError(error)) throw error;
            failures.add(error.code);
            await sleep(20);
          },
        );
      }
    };
    const player = play();
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = told.length;
      while (told.length < before + 8) await sleep(10);
      await sleep(Math.random() * RUN_MS_MAX);
      await server.kill();
      await server.start();
    }
    playing = false;
    await player;
    expect(await findLies(driver, told)).toEqual([]);
    expect(await haveTheirFrames(database, told)).toBe(true);
    for (const code of failures) expect(["STORE_UNAVAILABLE", "COMMIT_UNKNOWN"]).toContain(code);
    expect(failures.size).toBeGreaterThan(0);
    await driver.close();
    await server.dispose();
  },
  MINUTES * 60_000,
);
