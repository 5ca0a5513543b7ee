import { type Clock, systemClock } from "@framerail/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EMPTY_REGISTRY } from "../registry/registry.js";
import { createPostgresDatabase } from "../store/testing/open-store.js";
import { REPEAT_WINDOW_MS } from "../telemetry/limits.js";
import type { ServerSettings } from "./start-server.js";
import { startServer } from "./start-server.js";

let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
let lines: string[];
/** The windows in which the log counts what repeats: while one is open, its timer keeps the process. */
let windows: number;
let isBroken: boolean;

beforeEach(async () => {
  database = await createPostgresDatabase();
  lines = [];
  windows = 0;
  isBroken = false;
});
afterEach(() => database.drop());

const clock: Clock = {
  now() {
    if (isBroken) throw new Error("the clock is broken");
    return systemClock.now();
  },
  schedule(ms, callback) {
    const takeBack = systemClock.schedule(ms, callback);
    if (ms === REPEAT_WINDOW_MS) windows += 1;
    return () => {
      takeBack();
      if (ms === REPEAT_WINDOW_MS) windows -= 1;
      else if (isBroken) throw new Error("the clock is broken");
    };
  },
};

function settings(): ServerSettings {
  return {
    store: { url: database.url },
    registry: EMPTY_REGISTRY,
    agents: [],
    host: "127.0.0.1",
    port: 0,
    fixedTenant: "7b0e4a7e-1d0a-4b7e-9f0a-3f6a5f1c2d3e",
    version: "0",
    log: { destination: { write: (line) => void lines.push(line) }, level: "warn" },
    clock,
  };
}

test("a start that fails after a warning leaves no timer that would keep the process [G8]", async () => {
  const failing = startServer({ ...settings(), redisUrl: "redis://127.0.0.1:1" });
  await expect(failing).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
  expect(lines.join("")).toContain('"level":"warn"');
  expect(windows).toBe(0);
});

test("a server whose parts fail to close leaves no timer of its log either [G8]", async () => {
  const server = await startServer(settings());
  isBroken = true;
  expect((await fetch(`${server.url}/v1/agents`)).status).toBe(500);
  expect(windows).toBe(1);
  await expect(server.close()).rejects.toThrow("the clock is broken");
  expect(windows).toBe(0);
});
