import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "@framerail/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SEALED_MS_IN_MEMORY, TURN_BYTES_IN_MEMORY_MAX } from "../limits.js";
import { framesOf, type Segment } from "../segment.js";
import { frameOf, untilReleased } from "../testing/log-contract.js";
import type { TurnLog } from "../turn-log.js";
import { KEPT_TURN_BYTES_MAX } from "./limits.js";
import type { HoldingProxy } from "./testing/holding-proxy.js";
import { createHoldingProxy } from "./testing/holding-proxy.js";
import { closeLogs, openLog, until } from "./testing/log-pair.js";
import type { RedisServer } from "./testing/redis-server.js";
import { createRedisServer } from "./testing/redis-server.js";

let server: RedisServer;
let proxy: HoldingProxy;
beforeEach(async () => {
  server = await createRedisServer();
  proxy = await createHoldingProxy(server.url);
});
afterEach(async () => {
  await closeLogs();
  await proxy.close();
  await server.dispose();
});

const orgId = randomUUID();
/** Some to a block: a frame that needs one of its own gets one that nobody else is given. */
const CHUNK = "x".repeat(10_000);

async function openTurn(log: TurnLog, { epoch = 1, lastSeq = 0, turnId = randomUUID() as string } = {}) {
  const appender = log.open({ orgId, turnId, epoch }, { isStored: true, lastSeq });
  const view = (await log.attach(turnId)) ?? expect.fail("no turn");
  // Only looked at: nobody reads on.
  log.detach(turnId, view);
  let seq = lastSeq;
  const write = async (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      appender.append(frameOf(turnId, ++seq, CHUNK));
      await untilReleased(view, seq);
    }
  };
  const seal = () => appender.seal(frameOf(turnId, ++seq));
  const first = (): Segment => view.after(lastSeq) ?? expect.fail("nothing there");
  return { turnId, appender, view, write, seal, first };
}

/** Whether one of the next turns is written where one of these blocks is. */
async function isAnyAgain(log: TurnLog, blocks: ReadonlySet<ArrayBufferLike>): Promise<boolean> {
  const next = await Promise.all(Array.from({ length: 4 }, () => openTurn(log)));
  for (const { write } of next) await write(12);
  return next.some(({ appender }) => appender.held(0).some(({ block }) => blocks.has(block.buffer)));
}

const blocksOf = (segments: readonly Segment[]) => new Set(segments.map(({ block }) => block.buffer));

test("the memory of a turn that has ended, is stored and is read by nobody is the next one's [G7]", async () => {
  const log = openLog(server.url);
  const turn = await openTurn(log);
  await turn.write(12);
  await turn.seal();
  const blocks = blocksOf(turn.appender.held(0));
  log.forget(turn.turnId);
  expect(await isAnyAgain(log, blocks)).toBe(true);
  expect(turn.view.after(0)).toBeUndefined();
});

test("a turn that somebody reads keeps its memory to itself [G7]", async () => {
  const log = openLog(server.url);
  const turn = await openTurn(log);
  turn.view.watch({ wake: () => undefined });
  await turn.write(12);
  await turn.seal();
  const segment = turn.first();
  const text = String(framesOf(segment));
  log.forget(turn.turnId);
  expect(await isAnyAgain(log, blocksOf([segment]))).toBe(false);
  expect(String(framesOf(turn.first()))).toBe(text);
});

test("a turn that failed, had two owners or lost an answer, or whose end is on its way, leaves its memory to the collector [G7] [D-3]", async () => {
  const elsewhere = openLog(server.url);
  for (const what of ["failure", "another owner", "a lost answer", "on its way"]) {
    const log = openLog(proxy.url);
    const turn = await openTurn(log);
    await turn.write(12);
    const blocks = blocksOf(turn.appender.held(0));
    let sealed: Promise<void> | undefined;
    switch (what) {
      case "failure":
        turn.appender.abandon();
        break;
      case "another owner":
        await (await openTurn(log, { epoch: 2, lastSeq: 12, turnId: turn.turnId })).seal();
        break;
      case "a lost answer":
        proxy.loseAnswer("ok");
        await turn.seal();
        expect(proxy.lostCount).toBe(1);
        break;
      default:
        proxy.hold();
        sealed = turn.seal();
        await setImmediate();
    }
    log.forget(turn.turnId);
    expect(await isAnyAgain(elsewhere, blocks), what).toBe(false);
    proxy.release();
    await sealed;
  }
});

test("a turn that is stored, and written here again while somebody still reads it, keeps its memory [G7] [D-3]", async () => {
  let passTime: (() => void) | undefined;
  const clock = {
    ...systemClock,
    schedule(ms: number, callback: () => void) {
      if (ms !== SEALED_MS_IN_MEMORY) return systemClock.schedule(ms, callback);
      passTime = callback;
      return () => undefined;
    },
  };
  const log = openLog(server.url, { clock });
  const turn = await openTurn(log);
  await turn.write(12);
  await turn.seal();
  const blocks = blocksOf(turn.appender.held(0));
  const view = (await log.attach(turn.turnId)) ?? expect.fail("no turn");
  log.forget(turn.turnId);
  log.open({ orgId, turnId: turn.turnId, epoch: 2 }, { isStored: true, lastSeq: 13 });
  log.detach(turn.turnId, view);
  (passTime ?? expect.fail("nobody waits"))();
  expect(await isAnyAgain(log, blocks)).toBe(false);
});

test("a turn that went on in another process, and is read on here, leaves its memory to the collector [G7] [D-3]", async () => {
  const [log, elsewhere] = [openLog(server.url), openLog(server.url)];
  const turn = await openTurn(log);
  await turn.write(12);
  const blocks = blocksOf(turn.appender.held(0));
  turn.appender.stored(12);
  await log.attach(turn.turnId);
  const next = await openTurn(elsewhere, { epoch: 2, lastSeq: 12, turnId: turn.turnId });
  // The new owner first: a frame of the old one that came before would be the turn's.
  await next.write(1);
  turn.appender.append(frameOf(turn.turnId, 13));
  await next.write((2 * TURN_BYTES_IN_MEMORY_MAX) / CHUNK.length);
  await untilReleased(turn.view, next.view.lastSeq);
  expect(turn.view.after(0)).toBeUndefined();
  // The other process is one of this test's, too, and takes from the same memory.
  expect(next.appender.held(12).some(({ block }) => blocks.has(block.buffer))).toBe(false);
  expect(await isAnyAgain(log, blocks)).toBe(false);
});

test("a long turn gives back what is stored of it once it cannot be restored from there any more, and not before [G7] [D-1]", async () => {
  const log = openLog(server.url);
  const turn = await openTurn(log);
  const blocks = new Set<ArrayBufferLike>();
  const grow = async (bytes: number) => {
    for (let left = bytes; left > 0; left -= 12 * CHUNK.length) {
      await turn.write(12);
      for (const { block } of turn.appender.held(0)) blocks.add(block.buffer);
      turn.appender.stored(turn.view.lastSeq);
    }
  };
  await grow(4 * TURN_BYTES_IN_MEMORY_MAX);
  expect(await isAnyAgain(log, blocks)).toBe(false);
  await grow(KEPT_TURN_BYTES_MAX);
  const kept = turn.appender.held(0).map((segment) => [segment, String(framesOf(segment))] as const);
  await until("what nobody keeps is written to again", () => isAnyAgain(log, blocks));
  for (const [segment, text] of kept) expect(String(framesOf(segment))).toBe(text);
});
