import { randomUUID } from "node:crypto";
import { systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { SEALED_MS_IN_MEMORY, TURN_BYTES_IN_MEMORY_MAX } from "../limits.js";
import { framesOf, type Segment } from "../segment.js";
import { frameOf, untilReleased } from "../testing/log-contract.js";
import type { TurnLog } from "../turn-log.js";
import { createMemoryLog } from "./memory-log.js";

const orgId = randomUUID();

async function openTurn(log: TurnLog, turnId: string = randomUUID()) {
  const appender = log.open({ orgId, turnId, epoch: 1 }, { isStored: true });
  const view = (await log.attach(turnId)) ?? expect.fail("no turn");
  let seq = 0;
  const write = async (count: number) => {
    for (let left = count; left > 0; left -= 1) appender.append(frameOf(turnId, ++seq));
    await untilReleased(view, seq);
  };
  const seal = () => appender.seal(frameOf(turnId, ++seq));
  const first = () => view.after(0) ?? expect.fail("nothing there");
  return { turnId, appender, view, write, seal, first };
}

const isSameMemory = (one: Segment, other: Segment) => one.block.buffer === other.block.buffer;

/** Whether one of the next turns is written where this segment stands. */
async function isUsedAgain(log: TurnLog, segment: Segment): Promise<boolean> {
  const next = await Promise.all(Array.from({ length: 4 }, () => openTurn(log)));
  for (const { write } of next) await write(1);
  return next.some(({ first }) => isSameMemory(first(), segment));
}

test("the memory of a turn that has ended and is stored is the next one's, and readers that come find nothing of it [G7]", async () => {
  const log = createMemoryLog();
  const turn = await openTurn(log);
  await turn.write(1);
  await turn.seal();
  const segment = turn.first();
  log.forget(turn.turnId);
  expect(await isUsedAgain(log, segment)).toBe(true);
  // Who had asked for the turn before, and reads it only now, is sent to the store.
  expect(turn.view.after(0)).toBeUndefined();
  expect(turn.appender.held(0)).toEqual([]);
});

test("a turn that somebody reads keeps its memory to itself, however long that takes [G7]", async () => {
  let passTime: (() => void) | undefined;
  const clock = {
    ...systemClock,
    schedule(ms: number, callback: () => void) {
      if (ms === SEALED_MS_IN_MEMORY) passTime = callback;
      return () => undefined;
    },
  };
  const log = createMemoryLog({ clock });
  const turn = await openTurn(log);
  turn.view.watch({ wake: () => undefined });
  await turn.write(1);
  await turn.seal();
  const segment = turn.first();
  const text = String(framesOf(segment));
  log.forget(turn.turnId);
  (passTime ?? expect.fail("nobody waits"))();
  expect(await isUsedAgain(log, segment)).toBe(false);
  expect(String(framesOf(turn.first()))).toBe(text);
});

test("a turn that another owner has gone on with, or that failed, leaves its memory to the collector [G7] [D-3]", async () => {
  for (const end of ["another owner", "failure"]) {
    const log = createMemoryLog();
    const turn = await openTurn(log);
    await turn.write(1);
    const segment = turn.first();
    if (end === "failure") turn.appender.abandon();
    else {
      const next = log.open({ orgId, turnId: turn.turnId, epoch: 2 }, { isStored: true, lastSeq: 1 });
      await next.seal(frameOf(turn.turnId, 2));
    }
    log.forget(turn.turnId);
    expect(await isUsedAgain(log, segment), end).toBe(false);
  }
});

test("a long turn gives back what is stored of it, and never what is not [G7] [G8]", async () => {
  const log = createMemoryLog();
  const turn = await openTurn(log);
  const blocks = new Set<ArrayBufferLike>();
  const isAnyAgain = async () => {
    const next = await openTurn(log);
    // As many blocks as a long turn has, of all their sizes.
    for (let round = 0; round < 8; round += 1) await next.write(400);
    return next.appender.held(0).some(({ block }) => blocks.has(block.buffer));
  };
  while ((turn.appender.held(0).at(-1)?.lastSeq ?? 0) * 60 < 4 * TURN_BYTES_IN_MEMORY_MAX) {
    await turn.write(400);
    for (const { block } of turn.appender.held(0)) blocks.add(block.buffer);
  }
  expect(await isAnyAgain()).toBe(false);
  const lastSeq = turn.appender.held(0).at(-1)?.lastSeq ?? 0;
  turn.appender.stored(lastSeq);
  const kept = turn.appender.held(0).map((segment) => [segment, String(framesOf(segment))] as const);
  expect(await isAnyAgain()).toBe(true);
  for (const [segment, text] of kept) expect(String(framesOf(segment))).toBe(text);
});
