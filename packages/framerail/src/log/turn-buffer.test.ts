import { expect, test } from "vitest";
import { TURN_BYTES_IN_MEMORY_MAX } from "./limits.js";
import { framesAfter, framesOf, SegmentWriter } from "./segment.js";
import { writeTick } from "./testing/create-segment.js";
import { TurnBuffer } from "./turn-buffer.js";

const frameText = (seq: number, length: number) => `id: t.1.${seq}\ndata: ${"x".repeat(length)}\n\n`;

test("what a reader was given stays as it was when more comes [G3]", () => {
  const [writer, buffer] = [new SegmentWriter(), new TurnBuffer(1)];
  const given = [];
  // Short enough for one block.
  const text = (seq: number) => frameText(seq, 10);
  for (let seq = 1; seq <= 5; seq += 1) {
    const segment = writeTick(writer, [{ seq, sse: text(seq) }]);
    buffer.release(segment, false);
    given.push({ segment, seq }, { segment: buffer.after(0), seq }, { segment: buffer.after(seq - 1), seq });
  }
  for (const { segment, seq } of given) expect(segment?.lastSeq).toBe(seq);
  expect(framesAfter(buffer.after(2) ?? expect.fail("nothing there"), 2).toString()).toBe([3, 4, 5].map(text).join(""));
  expect(buffer.after(5)).toBeUndefined();
});

test("what stands between two ticks and was not released is not given to a reader [G3]", () => {
  const [writer, buffer] = [new SegmentWriter(), new TurnBuffer(1)];
  const tick = (seq: number, text: string) => writeTick(writer, [{ seq, sse: `data: ${text}\n\n` }]);
  buffer.release(tick(1, "one"), false);
  tick(2, "never released");
  buffer.release(tick(2, "two"), false);
  buffer.release(tick(3, "three"), false);
  const read = [0, 1].map((afterSeq) => buffer.after(afterSeq) ?? expect.fail("nothing there"));
  expect(read.map((segment) => [segment.lastSeq, String(framesOf(segment))])).toEqual([
    [1, "data: one\n\n"],
    [3, "data: two\n\ndata: three\n\n"],
  ]);
});

test("the oldest frames leave memory when there are too many, and the newest stay however large they are [G8]", () => {
  const [writer, buffer] = [new SegmentWriter(), new TurnBuffer(1)];
  for (let seq = 1; seq <= 3_000; seq += 1)
    buffer.release(writeTick(writer, [{ seq, sse: frameText(seq, 1_000) }]), false);
  expect(buffer.after(0)).toBeUndefined();
  const kept = [...Array(3_000).keys()].filter((seq) => buffer.after(seq) !== undefined);
  expect(kept[0]).toBe(3_000 - kept.length);
  expect(kept.length * 1_000).toBeLessThanOrEqual(TURN_BYTES_IN_MEMORY_MAX);
  expect(kept.length * 1_000).toBeGreaterThan(TURN_BYTES_IN_MEMORY_MAX / 2);
  buffer.release(writeTick(writer, [{ seq: 3_001, sse: frameText(3_001, 2 * TURN_BYTES_IN_MEMORY_MAX) }]), true);
  expect(buffer.after(2_999)).toBeUndefined();
  expect(buffer.after(3_000)?.lastSeq).toBe(3_001);
});

test("a block is told to be free when the last part of it has gone, and not before [G7]", () => {
  const free: Buffer[] = [];
  class Watched extends TurnBuffer {
    protected override onFree(block: Buffer): void {
      free.push(block);
    }
  }
  const [writer, buffer] = [new SegmentWriter(), new Watched(1)];
  const tick = (seq: number, length: number) => writeTick(writer, [{ seq, sse: frameText(seq, length) }]);
  const release = (seq: number, length: number) => buffer.release(tick(seq, length), false);
  // Two parts of one block, with one between them that was never released.
  const first = tick(1, 10);
  buffer.release(first, false);
  tick(2, 10);
  release(2, 10);
  buffer.hold(1);
  release(3, TURN_BYTES_IN_MEMORY_MAX);
  release(4, TURN_BYTES_IN_MEMORY_MAX);
  expect(buffer.after(0)).toBeUndefined();
  expect(free.includes(first.block)).toBe(false);
  buffer.stored(2);
  expect(free.map((block) => block === first.block)).toEqual([true]);
});
