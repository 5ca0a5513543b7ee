import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DRAIN_MS_MAX, HEARTBEAT_MS } from "../packages/framerail/src/gateway/limits.js";
import { readExposition } from "../packages/framerail/src/telemetry/testing/read-exposition.js";
import { beginTurn, call, open, openSession } from "./harness/caller.js";
import { readSse } from "./harness/sse-reader.js";
import type { ProbedProgram } from "./load/probed-program.js";
import { startProbed } from "./load/probed-program.js";
import type { Holder } from "./load/start-holder.js";
import { startHolder } from "./load/start-holder.js";

const LONG = process.env.FRAMERAIL_LONG !== undefined;
const TIMEOUT_MS = 240_000;
const MB = 1_048_576;

let program: ProbedProgram;
let holders: Holder[];
beforeEach(async () => {
  program = await startProbed({}, "e2e/load/agents");
  holders = [startHolder(), startHolder()];
}, 120_000);
afterEach(async () => {
  for (const holder of holders) await holder.close();
  await program?.close();
});

const begin = async (agentId: string, message: string) => {
  const session = await openSession(program.url, agentId);
  return beginTurn(program.url, session, { message, on_disconnect: { action: "continue" } });
};
const scrape = async () => readExposition((await call(`${program.url}/metrics`)).text);
const readersOpen = async () => (await scrape()).value("framerail_readers_open", { transport: "sse" });

/** Streams on these turns, as many on each, shared among the holders. */
async function openOn(turns: readonly string[], count: number, stalls: boolean) {
  const paths = Array.from({ length: count }, (_, index) => `/v1/turns/${turns[index % turns.length]}/stream`);
  const share = Math.ceil(count / holders.length);
  return Promise.all(
    holders.map((holder, index) =>
      holder.ask({ open: { port: program.port, paths: paths.slice(index * share, (index + 1) * share), stalls } }),
    ),
  );
}

test("thousands of silent streams on one process are each begun at once and shown a sign of life in time [G8] [D-19] [W-MET-7]", {
  timeout: TIMEOUT_MS,
}, async () => {
  const [streams, turns] = LONG ? [10_000, 20] : [2_000, 10];
  const talks = await Promise.all(Array.from({ length: turns }, () => begin("idler", "115000")));
  const before = await program.measure();
  const startedAt = Date.now();
  const opened = await openOn(talks, streams, false);
  const openedAt = Date.now();
  expect(opened.reduce((sum, { begun }) => sum + begun, 0)).toBe(streams);
  const during = await program.measure();
  // Whatever a stream heard last, a sign of life is due within one heartbeat; a loaded machine may be a little late.
  await sleep(HEARTBEAT_MS + 2_000);
  const reports = await Promise.all(holders.map((holder) => holder.ask({ reportSince: openedAt })));
  const silentMs = Math.max(...reports.map(({ silentMsMax }) => silentMsMax));
  console.info(
    `load: ${streams} silent streams, opened in ${openedAt - startedAt} ms; ` +
      `${((during.rss - before.rss) / streams / 1_024).toFixed(1)} KiB of memory each ` +
      `(heap ${((during.heapUsed - before.heapUsed) / streams / 1_024).toFixed(1)} KiB); longest silence ${silentMs} ms`,
  );
  expect(reports.reduce((sum, { heard }) => sum + heard, 0)).toBe(streams);
  expect(reports.map(({ closed }) => closed)).toEqual([0, 0]);
  expect(silentMs).toBeLessThan(HEARTBEAT_MS + 2_000);
  expect((await scrape()).value("stream_sse_frame_dropped_total")).toBe(0);
  expect((await call(`${program.url}/healthz`)).status).toBe(200);
});

/** A reader that keeps up: how late each frame was, by the time in its envelope. */
async function listen(turnId: string) {
  const lateMs: { at: number; ms: number }[] = [];
  const response = await open(`${program.url}/v1/turns/${turnId}/stream`);
  let rest = "";
  response.setEncoding("utf8").on("data", (text: string) => {
    const now = Date.now();
    const read = readSse(rest + text);
    rest = read.rest;
    for (const { data } of read.events) {
      if (data === "[DONE]") continue;
      lateMs.push({ at: now, ms: now - Date.parse((JSON.parse(data) as { timestamp: string }).timestamp) });
    }
  });
  return { lateMs, leave: () => response.destroy() };
}

const medianOf = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

test("hundreds of readers that take nothing cost the others nothing, little memory, and are cut with their place intact [G8] [D-6] [D-19] [W-MET-7]", {
  timeout: TIMEOUT_MS,
}, async () => {
  // The system keeps two megabytes and more for each of them: a thousand fill what Linux allows all its sockets together.
  const [STALLED, BYTES_MAX] = LONG ? [1_000, 300 * MB] : [300, 200 * MB];
  const TURNS = 10;
  // Little for a while, to compare with; then more than the system takes for a reader; then little until the end.
  const talk = "60 of 100, 200 of 32000, 700 of 100 every 100";
  const talks = await Promise.all(Array.from({ length: TURNS }, () => begin("talker", talk)));
  const quick = await Promise.all(talks.map(listen));
  await sleep(5_000);
  const calmUntil = Date.now();
  const before = await program.measure();

  await openOn(talks, STALLED, true);
  await expect.poll(readersOpen, { timeout: 30_000, interval: 250 }).toBe(STALLED + TURNS);
  const crowdedAt = Date.now();
  let most = before.rss;
  const cut = async () => (await scrape()).value("framerail_readers_cut_total", { reason: "slow" }) ?? 0;
  const watch = async () => {
    const holding = await program.measure();
    most = Math.max(most, holding.rss);
    return cut();
  };
  // They fill what the system keeps for them first; then they have DRAIN_MS_MAX.
  await expect.poll(watch, { timeout: DRAIN_MS_MAX + 70_000, interval: 1_000 }).toBe(STALLED);
  const cutAt = Date.now();

  const lateBetween = (from: number, to: number) =>
    quick.flatMap(({ lateMs }) => lateMs.flatMap(({ at, ms }) => (at >= from && at < to ? [ms] : [])));
  // While they fill up they are readers like any; what is compared is the time in which they take nothing.
  const stalledAt = cutAt - DRAIN_MS_MAX + 5_000;
  const [calm, filling, stalled] = [
    medianOf(lateBetween(0, calmUntil)),
    medianOf(lateBetween(crowdedAt, stalledAt)),
    medianOf(lateBetween(stalledAt, cutAt)),
  ];
  console.info(
    `load: ${STALLED} stalled readers cut ${((cutAt - crowdedAt) / 1_000).toFixed(1)} s after they came; memory grew by ` +
      `${((most - before.rss) / MB).toFixed(0)} MB at most; others' frames late by ${calm} ms without them, ` +
      `${filling} ms while they filled up, ${stalled} ms while they stalled (medians)`,
  );
  expect(most - before.rss).toBeLessThan(BYTES_MAX);
  expect(stalled).toBeLessThanOrEqual(2 * calm + 5);
  expect(await readersOpen()).toBe(TURNS);

  // What a stalled reader has is whole up to a frame, and it can go on from there.
  const { leftOver = "" } = (await holders[0]?.ask({ readOne: true })) ?? {};
  const cursor = [...leftOver.matchAll(/^id: (\S+)$/gm)].at(-2)?.[1] ?? "";
  const resumed = await open(`${program.url}/v1/turns/${talks[0]}/stream`, { headers: { "last-event-id": cursor } });
  expect(resumed.statusCode).toBe(200);
  // The first bytes may be a comment alone.
  let text = "";
  for await (const bytes of resumed.setEncoding("utf8")) {
    text += String(bytes);
    if (/^id: .*\n/m.test(text)) break;
  }
  const first = /^id: .*$/m.exec(text)?.[0];
  expect(first).toBe(`id: ${cursor.replace(/\d+$/, (seq) => String(Number(seq) + 1))}`);
  expect((await scrape()).value("stream_sse_frame_dropped_total")).toBe(0);
  for (const reader of quick) reader.leave();
});
