import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { BUSY_MS_APART, JOURNAL_PLACES_MAX } from "../limits.js";
import { describeTurnLog, frameOf, readOn, untilReleased } from "../testing/log-contract.js";
import type { JournalFile } from "./journal-file.js";
import { openJournal } from "./journal-file.js";
import { createMemoryLog } from "./memory-log.js";

describeTurnLog("in memory, with a journal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "framerail-journal-"));
  const log = createMemoryLog({ journal: openJournal(folder, () => undefined) });
  return { log, dispose: async () => rmSync(folder, { recursive: true }) };
});

const orgId = randomUUID();

function counting(journal?: Partial<JournalFile>) {
  const writes: number[] = [];
  const file: JournalFile = {
    write(records) {
      writes.push(records.length);
      return records.map(({ bytes }) => ({ file: 1, offset: 0, length: bytes.length }));
    },
    read: () => Buffer.alloc(0),
    stored: () => 0,
    close: () => undefined,
    ...journal,
  };
  return { writes, file };
}

test("frames of all turns that are ready in one tick are one write [D-1]", async () => {
  const { writes, file } = counting();
  const log = createMemoryLog({ journal: file });
  const turns = Array.from({ length: 100 }, () => {
    const turnId = randomUUID();
    return { turnId, appender: log.open({ orgId, turnId, epoch: 1 }) };
  });
  for (let seq = 1; seq <= 3; seq += 1) {
    for (const { turnId, appender } of turns) appender.append(frameOf(turnId, seq));
    if (seq === 2) await tick();
  }
  await tick();
  expect(writes).toEqual([100, 100]);
});

test("frames go out when what brought them is through, or with a journal when all of its tick is [D-1] [D-6]", async () => {
  /** Which frames are out: when a chunk of a model's stream that brought two is through, and when its tick is. */
  const released = async (journal?: JournalFile) => {
    const log = createMemoryLog(journal && { journal });
    const turnId = randomUUID();
    const appender = log.open({ orgId, turnId, epoch: 1 });
    const view = (await log.attach(turnId)) ?? expect.fail("no turn");
    const wakes: number[] = [];
    view.watch({ wake: () => wakes.push(view.lastSeq) });
    let afterChunk = -1;
    await tick();
    for (const seq of [1, 2]) {
      appender.append(frameOf(turnId, seq));
      await Promise.resolve();
    }
    process.nextTick(() => {
      afterChunk = view.lastSeq;
    });
    await tick();
    await tick();
    return { afterChunk, wakes };
  };
  expect(await released()).toEqual({ afterChunk: 2, wakes: [2] });
  expect(await released(counting().file)).toEqual({ afterChunk: 0, wakes: [2] });
});

test("a frame that comes while others of its tick are released waits for the next one, and is not lost [G2]", async () => {
  const log = createMemoryLog();
  const [first, second] = [randomUUID(), randomUUID()];
  const early = log.open({ orgId, turnId: first, epoch: 1 });
  const late = log.open({ orgId, turnId: second, epoch: 1 });
  const view = (await log.attach(first)) ?? expect.fail("no turn");
  view.watch({ wake: () => late.append(frameOf(second, 2)) });
  early.append(frameOf(first, 1));
  late.append(frameOf(second, 1));
  await tick();
  await late.seal(frameOf(second, 3));
  expect((await log.takeOver({ orgId, turnId: second, epoch: 1 })).map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test("a journal that cannot be written fails the turns of that tick alone, and releases nothing of theirs [D-1]", async () => {
  let full = false;
  const { file } = counting();
  const write = file.write;
  file.write = (records) => {
    if (full) throw new FramerailError("LOG_UNAVAILABLE", "the disk is full");
    return write(records);
  };
  const log = createMemoryLog({ journal: file });
  const failures: string[] = [];
  const open = (turnId: string) =>
    log.open({ orgId, turnId, epoch: 1 }, { onFailure: ({ code }) => failures.push(code) });
  const [unlucky, lucky] = [randomUUID(), randomUUID()];
  const [first, second] = [open(unlucky), open(lucky)];
  first.append(frameOf(unlucky, 1));
  await tick();
  full = true;
  first.append(frameOf(unlucky, 2));
  const sealed = first.seal(frameOf(unlucky, 3));
  await expect(sealed).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
  full = false;
  second.append(frameOf(lucky, 1));
  await tick();
  expect(failures).toEqual(["LOG_UNAVAILABLE"]);
  expect((await log.attach(unlucky))?.lastSeq).toBe(1);
  expect((await log.attach(lucky))?.lastSeq).toBe(1);
});

test("a turn that is in the store stays for those who read it, and goes after a while", async () => {
  const timers: (() => void)[] = [];
  const clock = {
    now: () => 0,
    schedule(_: number, callback: () => void) {
      timers.push(callback);
      return () => undefined;
    },
  };
  const log = createMemoryLog({ clock });
  const turnId = randomUUID();
  const appender = log.open({ orgId, turnId, epoch: 1 });
  await appender.seal(frameOf(turnId, 1));
  const view = (await log.attach(turnId)) ?? expect.fail();
  view.watch({ wake: () => undefined });
  log.forget(turnId);
  expect(await log.attach(turnId)).toBe(view);
  for (const timer of timers) timer();
  expect(await log.attach(turnId)).toBeUndefined();
  expect((await readOn(view, 0)).text).toBe(frameOf(turnId, 1).sse);
});

test("who ends a turn in its owner's place finds what was not stored, although its beginning is gone [D-4] [G3]", async () => {
  const log = createMemoryLog();
  const turnId = randomUUID();
  const text = (seq: number) => `id: ${turnId}.1.${seq}\ndata: ${"x".repeat(1_000)}\n\n`;
  const owner = log.open({ orgId, turnId, epoch: 1 }, { isStored: true });
  for (let seq = 1; seq <= 2_000; seq += 1) {
    owner.append({ seq, sse: text(seq) });
    if (seq % 10 === 0) await tick();
  }
  owner.stored(1_500);
  owner.abandon();
  const left = await log.takeOver({ orgId, turnId, epoch: 2 });
  const [first] = left;
  expect(first?.seq).toBeGreaterThan(1);
  expect(first?.seq).toBeLessThanOrEqual(1_501);
  expect(left.map(({ seq }) => seq)).toEqual(left.map((_, index) => (first?.seq ?? 0) + index));
  expect(left.at(-1)).toEqual({ seq: 2_000, sse: text(2_000) });
});

test("of more ticks than are known the oldest are read elsewhere, and never one in another's place [D-1] [G3] [G8]", async () => {
  const { file } = counting({ read: () => Buffer.from(frameOf("turn", JOURNAL_PLACES_MAX).sse) });
  const log = createMemoryLog({ journal: file, nextTick: (flush) => flush() });
  const turnId = randomUUID();
  const owner = log.open({ orgId, turnId, epoch: 1 });
  for (let seq = 1; seq <= JOURNAL_PLACES_MAX; seq += 1) owner.append(frameOf(turnId, seq));
  const view = (await log.attach(turnId)) ?? expect.fail();
  expect((await view.readBack(0))[0]?.seq).toBe(1);
  owner.append(frameOf(turnId, JOURNAL_PLACES_MAX + 1));
  expect(await view.readBack(0)).toEqual([]);
  expect(await view.readBack(JOURNAL_PLACES_MAX / 2 - 1)).toEqual([]);
  expect((await view.readBack(JOURNAL_PLACES_MAX / 2))[0]?.seq).toBe(JOURNAL_PLACES_MAX / 2 + 1);
  expect((await view.readBack(JOURNAL_PLACES_MAX))[0]?.seq).toBe(JOURNAL_PLACES_MAX + 1);
});

test("closing writes what waits [D-19]", async () => {
  const { writes, file } = counting();
  const log = createMemoryLog({ journal: file });
  const turnId = randomUUID();
  const appender = log.open({ orgId, turnId, epoch: 1 });
  appender.append(frameOf(turnId, 1));
  await log.close();
  expect(writes).toEqual([1]);
  await untilReleased((await log.attach(turnId)) ?? expect.fail(), 1);
});

test("after a tick with very many frames the next write waits for more, and a quiet log does not [G8]", async () => {
  const { writes, file } = counting();
  const log = createMemoryLog({ journal: file });
  const turnId = randomUUID();
  const appender = log.open({ orgId, turnId, epoch: 1 });
  let seq = 0;
  const append = (count: number) => {
    const last = seq + count;
    for (; seq < last; seq += 1) appender.append(frameOf(turnId, seq + 1));
  };
  const ticksUntilWritten = async (count: number) => {
    const before = writes.length;
    append(count);
    let ticks = 0;
    for (; writes.length === before; ticks += 1) await tick();
    return ticks;
  };
  expect(await ticksUntilWritten(1)).toBeLessThanOrEqual(2);
  expect(await ticksUntilWritten(300)).toBeLessThanOrEqual(2);
  // The first beat has none before it to be apart from.
  const from = performance.now();
  await ticksUntilWritten(300);
  await ticksUntilWritten(1);
  // A timer counts whole milliseconds, and may come one early.
  expect(performance.now() - from).toBeGreaterThan(BUSY_MS_APART - 1.1);
  expect(await ticksUntilWritten(1)).toBeLessThanOrEqual(2);
});
