import fc from "fast-check";
import { expect, test } from "vitest";
import { BLOCK_BYTES_MAX } from "./limits.js";
import { framesAfter, framesOf, keepSegment, Segment, SegmentWriter } from "./segment.js";
import { writeTick } from "./testing/create-segment.js";

const frameText = (seq: number, content: string) => `id: t.1.${seq}\nevent: text\ndata: "${content}"\n\n`;
const textOf = (frames: readonly string[]) => frames.join("");

/** Ticks of frames, each of which has so many characters of text. */
const ticksOfFrames = fc.array(
  fc.array(fc.string({ unit: fc.constantFrom("a", "é", "日", "😀"), maxLength: 400 }), { minLength: 1, maxLength: 6 }),
  { minLength: 1, maxLength: 40 },
);

function write(ticks: readonly (readonly string[])[]) {
  const writer = new SegmentWriter();
  const frames: string[] = [];
  const segments = ticks.map((contents) => {
    const first = frames.length + 1;
    const ticked = contents.map((content, index) => ({ seq: first + index, sse: frameText(first + index, content) }));
    frames.push(...ticked.map(({ sse }) => sse));
    return writeTick(writer, ticked);
  });
  return { frames, segments };
}

/** As whoever keeps them does. */
function keep(segments: readonly Segment[]): Segment[] {
  const kept: Segment[] = [];
  for (const segment of segments) keepSegment(kept, segment);
  return kept;
}

/** A reader of chunked bodies that knows nothing of frames. */
function decodeChunks(bytes: Buffer): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const [line = ""] = bytes.toString("latin1", at).split("\r\n", 1);
    const [start, size] = [at + line.length + 2, Number.parseInt(line, 16)];
    text += bytes.toString("utf8", start, start + size);
    expect(bytes.toString("latin1", start + size, start + size + 2)).toBe("\r\n");
    at = start + size + 2;
  }
  return text;
}

test("ticks that stand behind each other are kept as one, and every frame can be cut out of it [G3]", () => {
  fc.assert(
    fc.property(ticksOfFrames, (ticks) => {
      const { frames, segments } = write(ticks);
      const kept = keep(segments);
      expect(decodeChunks(Buffer.concat(kept.map(({ chunks }) => chunks)))).toBe(textOf(frames));
      for (const whole of kept) {
        const own = frames.slice(whole.firstSeq - 1, whole.lastSeq);
        expect(framesOf(whole).toString()).toBe(textOf(own));
        for (const [index] of own.entries()) {
          const afterSeq = whole.firstSeq - 1 + index;
          const tail = whole.tail(afterSeq);
          expect(framesAfter(whole, afterSeq).toString()).toBe(textOf(own.slice(index)));
          expect(decodeChunks(tail.chunks)).toBe(textOf(frames.slice(tail.firstSeq - 1, tail.lastSeq)));
          // It begins with the tick that has the frame, and not before.
          const tick = segments.find(({ lastSeq }) => lastSeq > afterSeq);
          expect(tail.firstSeq).toBe(tick?.firstSeq);
        }
      }
      // What was handed out before does not grow with what is kept.
      for (const [index, { firstSeq, lastSeq }] of segments.entries()) {
        expect(lastSeq - firstSeq + 1).toBe(ticks[index]?.length);
      }
    }),
    { numRuns: 100 },
  );
});

test("what does not stand right behind it is not joined, though its numbers fit [G3]", () => {
  const writer = new SegmentWriter();
  const tick = (seq: number) => writeTick(writer, [{ seq, sse: frameText(seq, "a") }]);
  const first = tick(1);
  tick(2);
  expect(first.copy().join(tick(3))).toBe(false);
  const { size } = first;
  const elsewhere = new Segment({ firstSeq: 2, lastSeq: 2, block: Buffer.alloc(2 * size), start: size, end: 2 * size });
  expect(first.copy().join(elsewhere)).toBe(false);
});

test("a long turn is kept in few objects, and a short one takes little [G8]", () => {
  const { segments } = write(Array.from({ length: 2_000 }, () => ["x".repeat(60)]));
  const bytes = segments.reduce((sum, { size }) => sum + size, 0);
  expect(keep(segments).length).toBeLessThan(8 + bytes / (BLOCK_BYTES_MAX / 2));
  const [first] = write([["hello"]]).segments;
  expect(first?.chunks.buffer.byteLength).toBeLessThan(4_096);
});

test("bytes that are no chunks are walked to an end [G8]", () => {
  for (const unit of ["-", "z", "\0", "f", "0"]) {
    const block = Buffer.from(unit.repeat(500));
    const segment = new Segment({ firstSeq: 1, lastSeq: 3, block, start: 0, end: block.length });
    expect(framesOf(segment).length).toBeLessThanOrEqual(500);
    expect(segment.tail(2).size).toBeLessThanOrEqual(500);
  }
});

test("frames that are not taken can be looked at, and are dropped or go on, in the next block too [G3] [G8]", () => {
  const writer = new SegmentWriter();
  const [one, two] = [frameText(1, "a".repeat(1_500)), frameText(2, "b".repeat(1_500))];
  writer.write(one);
  const looked = writer.peek(1, 1);
  // The first block has no room for it: what its tick has so far goes along.
  writer.write(two);
  expect(writer.size).toBe(one.length + two.length);
  expect(framesOf(looked).toString()).toBe(one);
  const taken = writer.cut(1, 2);
  expect(decodeChunks(taken.chunks)).toBe(one + two);
  expect(writer.size).toBe(0);
  writer.write(frameText(3, "dropped"));
  writer.drop();
  const next = writeTick(writer, [{ seq: 3, sse: frameText(3, "kept") }]);
  expect(framesOf(next).toString()).toBe(frameText(3, "kept"));
  expect(decodeChunks(taken.chunks)).toBe(one + two);
  const grown = taken.copy();
  expect(decodeChunks(grown.chunks)).toBe(one + two);
  expect(grown.join(next)).toBe(true);
  expect(decodeChunks(grown.chunks)).toBe(one + two + frameText(3, "kept"));
});

test("a tick without end is not moved for each of its frames [G8]", () => {
  const writer = new SegmentWriter();
  const blocks = new Set<ArrayBufferLike>();
  const frame = frameText(1, "x".repeat(200));
  for (let seq = 1; seq <= 4_000; seq += 1) {
    writer.write(frame);
    blocks.add(writer.bytes.buffer);
  }
  expect(blocks.size).toBeLessThan(16);
  expect(framesOf(writer.cut(1, 4_000)).length).toBe(4_000 * frame.length);
});
