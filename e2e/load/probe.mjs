// Loaded into the program and its threads before they start (`--import`), by tests alone: at SIGUSR2 every thread collects
// its garbage, and what the process holds then is written into the file FRAMERAIL_PROBE.

import { renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { BroadcastChannel, isMainThread } from "node:worker_threads";

const ROUNDS = 4;

// The database's thread has a heap of its own, which V8 would clean when it has been idle for a while.
const threads = new BroadcastChannel("framerail-probe");
threads.unref();

if (isMainThread) process.on("SIGUSR2", measure);
else threads.onmessage = () => globalThis.gc();

async function measure() {
  // What one round lets go of may hold what the next one lets go of.
  for (let round = 0; round < ROUNDS; round += 1) {
    threads.postMessage("collect");
    globalThis.gc();
    await sleep(50);
  }
  const held = {};
  for (const kind of process.getActiveResourcesInfo()) held[kind] = (held[kind] ?? 0) + 1;
  const { rss, heapUsed, external } = process.memoryUsage();
  const path = process.env.FRAMERAIL_PROBE;
  writeFileSync(`${path}.part`, JSON.stringify({ rss, heapUsed, external, held }));
  renameSync(`${path}.part`, path);
}
