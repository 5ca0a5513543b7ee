// Loaded into the program before it starts (`--import`), by tests alone: at SIGUSR2 it collects garbage and writes what the
// process holds into the file FRAMERAIL_PROBE.

import { renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const ROUNDS = 4;

process.on("SIGUSR2", async () => {
  // What one round lets go of may hold what the next one lets go of.
  for (let round = 0; round < ROUNDS; round += 1) {
    globalThis.gc();
    await sleep(50);
  }
  const held = {};
  for (const kind of process.getActiveResourcesInfo()) held[kind] = (held[kind] ?? 0) + 1;
  const { rss, heapUsed, external } = process.memoryUsage();
  const path = process.env.FRAMERAIL_PROBE;
  writeFileSync(`${path}.part`, JSON.stringify({ rss, heapUsed, external, held }));
  renameSync(`${path}.part`, path);
});
