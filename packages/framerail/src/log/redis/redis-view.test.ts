import { expect, test } from "vitest";
import { createSegment } from "../testing/create-segment.js";
import { frameOf, readOn } from "../testing/log-contract.js";
import type { RedisConnection } from "./connection.js";
import { RedisView } from "./redis-view.js";
import { readEntry } from "./stream-entry.js";
import { textOf } from "./testing/log-pair.js";
import { keysOf } from "./turn-keys.js";

const TURN = "turn";

const segmentOf = (first: number, last: number) =>
  createSegment(Array.from({ length: last - first + 1 }, (_, index) => frameOf(TURN, first + index)));

const entryOf = (first: number, last: number) => ({ epoch: 1, seals: false, segment: segmentOf(first, last) });

/** As Redis answers. */
const rawOf = (first: number, last: number, bytes = segmentOf(first, last).chunks) =>
  [
    Buffer.from(`${last}-0`),
    ["epoch", "1", "first", String(first), "seals", "0", "bytes", bytes].map(Buffer.from),
  ] as const;

function createView(lastSeq: number, stream: readonly unknown[] = []): RedisView {
  const redis: RedisConnection = {
    call: () => Promise.resolve(stream),
    onReady: () => undefined,
    close: () => undefined,
  };
  return new RedisView({ keys: keysOf("org", TURN), epoch: 1, lastSeq, sealed: false, redis });
}

test("frames that come again, or in other pieces, are released once [G2]", async () => {
  const view = createView(0);
  for (const [first, last] of [
    [1, 3],
    [1, 3],
    [2, 5],
    [1, 6],
    [4, 6],
    [7, 7],
  ] as const) {
    expect(view.feed(entryOf(first, last))).toBe(true);
  }
  expect(await readOn(view, 0)).toEqual({ text: textOf(TURN, 1, 7), lastSeq: 7 });
});

test("frames behind a gap are not released [G2]", () => {
  const view = createView(3);
  expect(view.feed(entryOf(5, 6))).toBe(false);
  expect(view.lastSeq).toBe(3);
});

test("what is read back begins after the cursor and ends with what was released, or is nothing [G3]", async () => {
  const stream = [rawOf(1, 3), rawOf(4, 4), rawOf(5, 8)];
  const seqs = async (lastSeq: number, afterSeq: number, entries: readonly unknown[] = stream) =>
    (await createView(lastSeq, entries).readBack(afterSeq)).map(({ seq }) => seq);
  expect(await seqs(6, 0)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await seqs(8, 2)).toEqual([3, 4, 5, 6, 7, 8]);
  expect(await seqs(8, 0, stream.slice(1))).toEqual([]);
  expect(await seqs(8, 0, [])).toEqual([]);
});

test("an entry that is not whole is no entry [G3]", () => {
  const { chunks: chunk } = segmentOf(1, 3);
  expect(readEntry(rawOf(1, 3))?.segment).toMatchObject({ firstSeq: 1, lastSeq: 3, chunks: chunk });
  for (const entry of [
    rawOf(1, 3, chunk.subarray(0, 60)),
    rawOf(2, 3, chunk),
    rawOf(0, 2, chunk),
    rawOf(1, 9, chunk),
  ]) {
    expect(readEntry(entry)).toBeUndefined();
  }
  expect(readEntry([Buffer.from("3-0"), []])).toBeUndefined();
});
