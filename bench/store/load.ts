// Calls that come at a given rate, or as fast as they are answered, and what they took.
// Measured: wall time of every call from the moment it was due, and CPU of this whole process, threads included.

import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../alternate.js";

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

type Call = () => Promise<void>;

/** Starts `perSecond` calls a second, whether or not earlier ones were answered. */
export function runPaced(calls: readonly Call[], perSecond: number): Promise<LoadResult> {
  return measure(calls, async (start) => {
    const begun = performance.now();
    const running: Promise<void>[] = [];
    for (const [index, call] of calls.entries()) {
      const dueIn = begun + (index * 1_000) / perSecond - performance.now();
      if (dueIn > 0) await sleep(dueIn);
      running.push(start(call, begun + (index * 1_000) / perSecond));
    }
    await Promise.all(running);
  });
}

/** Keeps `inFlight` calls under way. */
export function runFlatOut(calls: readonly Call[], inFlight: number): Promise<LoadResult> {
  return measure(calls, async (start) => {
    let next = 0;
    const work = async () => {
      for (let call = calls[next++]; call !== undefined; call = calls[next++]) await start(call, performance.now());
    };
    await Promise.all(Array.from({ length: inFlight }, work));
  });
}

async function measure(
  calls: readonly Call[],
  run: (start: (call: Call, due: number) => Promise<void>) => Promise<void>,
): Promise<LoadResult> {
  const took: number[] = [];
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await run(async (call, due) => {
    await call();
    took.push(performance.now() - due);
  });
  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = took.sort((a, b) => a - b);
  return {
    perSecond: calls.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    cpuUs: (user + system) / calls.length,
  };
}
