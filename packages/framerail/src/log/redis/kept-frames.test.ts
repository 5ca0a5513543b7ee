import { expect, test } from "vitest";
import { framesOf, SegmentWriter } from "../segment.js";
import { createSegment, writeTick } from "../testing/create-segment.js";
import { KeptFrames } from "./kept-frames.js";
import { KEPT_BYTES_MAX } from "./limits.js";

const segmentOf = (seq: number) => createSegment([{ seq, sse: `data: ${seq}\n\n` }]);

test("what is kept is given from any frame on, and only without a gap [D-1]", () => {
  const kept = new KeptFrames({ bytes: 0 });
  const [first, second] = [segmentOf(4), segmentOf(5)];
  kept.add(first);
  kept.add(second);
  expect(kept.after(3)).toEqual([first, second]);
  expect(kept.after(4)).toEqual([second]);
  expect(kept.after(5)).toEqual([]);
  expect(kept.after(2)).toBeUndefined();
});

test("turns share what may be kept, and one that is let go gives its share back [G8]", () => {
  const total = { bytes: 0 };
  const [one, other] = [new KeptFrames(total), new KeptFrames(total)];
  one.add(segmentOf(1));
  other.add(segmentOf(1));
  one.drop();
  expect(total.bytes).toBe(segmentOf(1).size);
  expect(one.after(0)).toBeUndefined();
  total.bytes = KEPT_BYTES_MAX;
  other.add(segmentOf(2));
  expect(other.after(0)).toBeUndefined();
  expect(total.bytes).toBe(KEPT_BYTES_MAX - segmentOf(1).size);
});

test("of ticks that are kept as one, those after a frame in their middle are given, and stay as they are [D-1]", () => {
  const [writer, kept] = [new SegmentWriter(), new KeptFrames({ bytes: 0 })];
  const add = (seq: number) => kept.add(writeTick(writer, [{ seq, sse: `data: ${seq}\n\n` }]));
  for (const seq of [1, 2, 3]) add(seq);
  const [whole, rest] = [kept.after(0) ?? [], kept.after(1) ?? []];
  add(4);
  expect(whole.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual([[1, 3]]);
  expect(rest.map((segment) => String(framesOf(segment)))).toEqual(["data: 2\n\ndata: 3\n\n"]);
  expect(kept.after(4)).toEqual([]);
});
