// What beside CPU per frame a gateway is judged by, ours beside the floor, in processes of their own:
//   first frame   from the request, on an open connection, to the first frame's bytes; the floor writes one at once, ours
//                 claims, accepts and opens a turn in its store first
//   latency       from the writing of a frame to its reading, at LATENCY_TURNS paced turns, one after the other
//   memory        resident bytes for one more open stream on which nothing happens
//   fan-out       CPU for one reader's frame of one turn with many readers
//   resume        reading a turn of n frames from its start: while it runs, from memory and what is behind it; and after its
//                 end, from the store

import { median, percentile } from "../alternate.js";
import type { Contender, OpenContender } from "./contender.js";
import { FLOOR, isOurs, JOURNAL, MEMORY, REDIS } from "./servers/servers.js";

export interface SideFigures {
  readonly latencyRatio: number;
  readonly readerMemoryRatio: number;
  readonly turnMemoryRatio: number;
  readonly replayedPerSecondMin: number;
}

const FIRST_FRAMES = 30;
const LATENCY_TURNS = 1_000;
const LATENCY_ROUNDS = 7;
const LATENCY_MS = 2_000;
const WARM_UP_MS = 6_000;
/** Many, beside what a heap takes at once. */
const IDLE_STREAMS = 6_000;
const WARM_STREAMS = 500;
const FAN_OUT_READERS = 1_000;
const FAN_OUT_ROUNDS = 3;
const REPLAYED_FRAMES = [1_000, 10_000, 100_000];
const REPLAYS = 3;

export async function printSides(open: OpenContender): Promise<SideFigures> {
  await each(open, [FLOOR, MEMORY, JOURNAL, REDIS], printFirstFrame);
  const latencyRatio = await printLatency(open);
  const bareBytes = await each(open, [FLOOR], measureIdle);
  const turnBytes = await each(open, [MEMORY], measureIdle);
  const readerBytes = await each(open, [MEMORY], measureIdleReaders);
  await each(open, [FLOOR, MEMORY], printFanOut);
  const replayed = await each(open, [MEMORY, JOURNAL, REDIS], printReplays);
  const [bare = 0, turn = 0, reader = 0] = [...bareBytes, ...turnBytes, ...readerBytes];
  return {
    latencyRatio,
    turnMemoryRatio: turn / bare,
    readerMemoryRatio: reader / bare,
    replayedPerSecondMin: Math.min(...replayed),
  };
}

async function each<T>(
  open: OpenContender,
  names: readonly string[],
  work: (contender: Contender) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const name of names) {
    const contender = await open(name);
    try {
      results.push(await work(contender));
    } finally {
      await contender.close();
    }
  }
  return results;
}

function say(what: string, { name }: Contender, figures: string): void {
  console.log(`${what.padEnd(14)} ${name.padEnd(26)} ${figures}`);
}

async function printFirstFrame(contender: Contender): Promise<void> {
  const path = isOurs(contender.name) ? undefined : "/first";
  const times = await contender.load.ask<number[]>({ kind: "firstFrames", count: FIRST_FRAMES, path });
  const sorted = times.sort((a, b) => a - b);
  const [p50, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
  say("first frame", contender, `p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms`);
}

async function printLatency(open: OpenContender): Promise<number> {
  const contenders = [await open(FLOOR), await open(MEMORY)];
  try {
    for (const contender of contenders) {
      await contender.openStreams(LATENCY_TURNS);
      await contender.warmUp(WARM_UP_MS, LATENCY_MS);
    }
    const found = contenders.map((): number[][] => []);
    for (let round = 0; round < LATENCY_ROUNDS; round += 1) {
      for (const [index, contender] of contenders.entries()) {
        await contender.measure({ pace: "paced", ms: LATENCY_MS, stamped: true });
        const us = await contender.load.ask<number[]>({ kind: "latencies" });
        found[index]?.push(us.sort((a, b) => a - b));
      }
    }
    const p99s = contenders.map((contender, index) => {
      const at = (share: number) => median((found[index] ?? []).map((sorted) => percentile(sorted, share))) / 1_000;
      say("latency", contender, `p50 ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms`);
      return at(0.99);
    });
    return (p99s[1] ?? Number.NaN) / (p99s[0] ?? Number.NaN);
  } finally {
    for (const contender of contenders) await contender.close();
  }
}

async function measureIdle(contender: Contender): Promise<number> {
  await contender.openStreams(WARM_STREAMS);
  const before = await contender.memoryBytes();
  await contender.openStreams(WARM_STREAMS + IDLE_STREAMS);
  const bytes = ((await contender.memoryBytes()) - before) / IDLE_STREAMS;
  say(
    "idle memory",
    contender,
    `${(bytes / 1_024).toFixed(1)} KiB for a stream${isOurs(contender.name) ? " and its turn" : ""}`,
  );
  return bytes;
}

async function measureIdleReaders(contender: Contender): Promise<number> {
  const path = await streamPath(contender, 0);
  await contender.openReaders(WARM_STREAMS, path);
  const before = await contender.memoryBytes();
  await contender.openReaders(IDLE_STREAMS, path);
  const bytes = ((await contender.memoryBytes()) - before) / IDLE_STREAMS;
  say("idle memory", contender, `${(bytes / 1_024).toFixed(1)} KiB for one more reader of a turn`);
  return bytes;
}

async function printFanOut(contender: Contender): Promise<void> {
  const path = isOurs(contender.name) ? await streamPath(contender, 0) : "/shared";
  await contender.openReaders(FAN_OUT_READERS, path);
  const costs: number[] = [];
  for (let round = 0; round < FAN_OUT_ROUNDS; round += 1) {
    costs.push((await contender.measure({ pace: "paced", ms: LATENCY_MS }, FAN_OUT_READERS)).cpuUsPerFrame);
  }
  say("fan-out", contender, `${median(costs).toFixed(2)} µs CPU for each of ${FAN_OUT_READERS} readers and frame`);
}

async function printReplays(contender: Contender): Promise<number> {
  let slowest = Number.POSITIVE_INFINITY;
  for (const frames of REPLAYED_FRAMES) {
    const path = await streamPath(contender, frames);
    // The first reading also waits until all is written.
    await contender.load.ask({ kind: "replay", path, frames });
    const running = await timeReplay(contender, path, frames);
    await contender.load.ask({ kind: "cancel", turnId: path.split("/")[3] ?? "" });
    const ended = await timeReplay(contender, path, frames);
    const show = (ms: number) => `${ms.toFixed(1)} ms (${((frames / ms) * 1_000).toFixed(0)} frames/s)`;
    say("resume", contender, `${frames} frames: running ${show(running)}, ended ${show(ended)}`);
    // A short turn is a request and little else; the goal is for what comes after that.
    if (frames === REPLAYED_FRAMES.at(-1)) slowest = (frames / Math.max(running, ended)) * 1_000;
  }
  return slowest;
}

async function timeReplay(contender: Contender, path: string, frames: number): Promise<number> {
  const times: number[] = [];
  for (let replay = 0; replay < REPLAYS; replay += 1) {
    times.push(await contender.load.ask<number>({ kind: "replay", path, frames }));
  }
  return median(times);
}

/** Where a new turn can be read that begins with so many frames. */
async function streamPath(contender: Contender, frames: number): Promise<string> {
  return `/v1/turns/${await contender.load.ask<string>({ kind: "turn", message: String(frames) })}/stream`;
}
