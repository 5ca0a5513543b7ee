import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { JOURNAL_FILE_BYTES_MAX } from "../limits.js";
import { readWhole } from "../read-whole.js";
import type { ReplayedRecord } from "./journal-file.js";
import { openJournal } from "./journal-file.js";
import type { RecoveredLog } from "./memory-log.js";
import { createMemoryLog } from "./memory-log.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "framerail-recovered-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function openLog(): RecoveredLog {
  const replayed: ReplayedRecord[] = [];
  const journal = openJournal(folder, (record) => replayed.push(record));
  return createMemoryLog({ journal, replayed });
}
const orgId = randomUUID();
const frame = (seq: number) => ({ seq, sse: `id: ${seq}\ndata: ${"x".repeat(seq)}\n\n` });
const frames = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => frame(first + index));
const tick = () => new Promise((resolve) => setImmediate(resolve));

test("what an earlier process logged is read as it was, and is written on by a new owner alone [D-1] [D-3] [G3]", async () => {
  const turnId = randomUUID();
  const first = openLog();
  const appender = first.open({ orgId, turnId, epoch: 1 });
  for (const part of [frames(1, 3), frames(4, 5)]) {
    for (const one of part) appender.append(one);
    await tick();
  }
  await first.close();

  const second = openLog();
  expect(second.turnIds).toEqual([turnId]);
  const view = (await second.attach(turnId)) ?? expect.fail();
  expect(view).toMatchObject({ epoch: 1, lastSeq: 5, sealed: false, lost: false });
  expect(await readWhole(view)).toEqual(frames(1, 5));
  expect(await readWhole(view, 3)).toEqual(frames(4, 5));
  let woken = 0;
  view.watch({
    wake() {
      woken += 1;
    },
  });

  const stale = second.open({ orgId, turnId, epoch: 1 }, { lastSeq: 5 });
  expect(stale.failure?.code).toBe("STALE_EPOCH");
  const owner = second.open({ orgId, turnId, epoch: 2 }, { lastSeq: 5 });
  await owner.seal(frame(6));
  expect(view).toMatchObject({ epoch: 2, lastSeq: 6, sealed: true, lost: false });
  expect(woken).toBe(1);
  expect(await readWhole(view)).toEqual(frames(1, 6));
  second.forget(turnId);
  await second.close();
  const third = openLog();
  expect(third.turnIds).toEqual([turnId]);
  third.forget(turnId);
  await third.close();
});

test("of a turn whose beginning is stored, what is left is found after a crash, whichever files have gone [D-1] [D-4] [G3]", async () => {
  const [turnId, pinning] = [randomUUID(), randomUUID()];
  const first = openLog();
  const large = (seq: number) => ({ seq, sse: `id: ${seq}\ndata: ${"x".repeat(JOURNAL_FILE_BYTES_MAX - 64)}\n\n` });
  const pin = first.open({ orgId, turnId: pinning, epoch: 1 }, { isStored: true });
  const appender = first.open({ orgId, turnId, epoch: 1 }, { isStored: true });
  pin.append(frame(1));
  // A file for each tick.
  for (const part of [[large(1)], [large(2)], frames(3, 5)]) {
    for (const one of part) appender.append(one);
    await tick();
  }
  // The first file stays, since another turn needs it; the second is gone.
  appender.stored(3);
  const view = (await first.attach(turnId)) ?? expect.fail();
  expect(await view.readBack(0)).toEqual([]);
  // Killed here.
  const second = openLog();
  expect(await second.takeOver({ orgId, turnId, epoch: 2 })).toEqual(frames(3, 5));
  const left = (await second.attach(turnId)) ?? expect.fail();
  expect(left).toMatchObject({ lastSeq: 5, sealed: false });
  for (const afterSeq of [0, 1]) expect(await left.readBack(afterSeq)).toEqual([]);
  for (const log of [first, second]) await log.close();
});

test("readers of a turn that is given up are woken and find it lost, until a new owner goes on [G1] [D-4]", async () => {
  const turnId = randomUUID();
  const log = openLog();
  const appender = log.open({ orgId, turnId, epoch: 1 });
  appender.append(frame(1));
  await tick();
  const view = (await log.attach(turnId)) ?? expect.fail();
  let woken = 0;
  view.watch({
    wake() {
      woken += 1;
    },
  });
  appender.abandon();
  expect({ lost: view.lost, woken }).toEqual({ lost: true, woken: 1 });
  const owner = log.open({ orgId, turnId, epoch: 2 }, { lastSeq: 1 });
  expect(view.lost).toBe(false);
  await owner.seal(frame(2));
  expect(await readWhole(view)).toEqual(frames(1, 2));
  await log.close();
});

test("readers who stand elsewhere than a new owner begins are cut [G1]", async () => {
  const turnId = randomUUID();
  const log = openLog();
  log.open({ orgId, turnId, epoch: 1 }).append(frame(1));
  await tick();
  const view = (await log.attach(turnId)) ?? expect.fail();
  log.open({ orgId, turnId, epoch: 2 }, { lastSeq: 7 });
  expect(view.lost).toBe(true);
  expect(await log.attach(turnId)).toMatchObject({ epoch: 2, lastSeq: 7, lost: false });
  await log.close();
});
