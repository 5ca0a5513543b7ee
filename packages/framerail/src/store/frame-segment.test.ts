import { deflateSync } from "node:zlib";
import { FRAME_BYTES_MAX } from "@framerail/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FrameRun } from "./frame-segment.js";
import { cutSegments, packFrames, packRuns, unpackFrames } from "./frame-segment.js";
import { PACKED_AT_ONCE_MAX, SEGMENT_BYTES_MAX } from "./limits.js";
import { framesOf, sseOf } from "./testing/turn-fixtures.js";

const bytesRun = (firstSeq: number, lastSeq: number, bytes: Buffer): FrameRun => ({
  firstSeq,
  lastSeq,
  size: bytes.length,
  copyTo: (table, start) => start + bytes.copy(table, start),
});

test("frames come back as they went in, whatever is in them [W-ES-4]", async () => {
  const texts = fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 1e6 }), async (chunks, first) => {
      const frames = chunks.map((chunk, index) => ({
        seq: first + index,
        sse: sseOf("t", first + index, "text", { chunk }),
      }));
      expect(await unpackFrames(await packFrames(frames))).toEqual(frames);
    }),
  );
});

test("a gap, nothing, and too much are refused when packing", async () => {
  const [one, , three] = framesOf("t", 1, 3);
  const large = { seq: 1, sse: sseOf("t", 1, "text", { chunk: "x".repeat(SEGMENT_BYTES_MAX) }) };
  for (const frames of [[], [one, three], [large]])
    await expect(packFrames(frames as never)).rejects.toMatchObject({ code: "INVARIANT_VIOLATION" });
});

test("a segment with a damaged byte, wherever it is, is refused", async () => {
  const segment = await packFrames(framesOf("t", 1, 3));
  for (const place of segment.bytes.keys()) {
    const bytes = Uint8Array.from(segment.bytes, (byte, index) => (index === place ? byte ^ 1 : byte));
    await expect(unpackFrames({ ...segment, bytes }), `byte ${place}`).rejects.toMatchObject({ code: "STORE_REFUSED" });
  }
});

test("a segment that was cut off, or holds another number of frames, is refused", async () => {
  const segment = await packFrames(framesOf("t", 1, 3));
  for (const broken of [
    ...Array.from(segment.bytes, (_, length) => ({ ...segment, bytes: segment.bytes.subarray(0, length) })),
    { ...segment, lastSeq: 4 },
    { ...segment, lastSeq: 2 },
  ])
    await expect(unpackFrames(broken)).rejects.toMatchObject({ code: "STORE_REFUSED" });
});

test("a segment that an earlier version has deflated is read, and refused where it is damaged", async () => {
  const frames = framesOf("t", 1, 3);
  const bytes = deflateSync(frames.map(({ sse }) => sse).join(""));
  expect(await unpackFrames({ firstSeq: 1, lastSeq: 3, bytes })).toEqual(frames);
  const damaged = Uint8Array.from(bytes, (byte, index) => (index === 9 ? byte ^ 255 : byte));
  await expect(unpackFrames({ firstSeq: 1, lastSeq: 3, bytes: damaged })).rejects.toMatchObject({
    code: "STORE_REFUSED",
  });
});

test("a long row of frames is cut into segments under their maximum, without a gap", async () => {
  const frames = Array.from({ length: 40 }, (_, index) => ({
    seq: index + 5,
    sse: sseOf("t", index + 5, "data_loaded", { text: "é".repeat(index * 3_000) }),
  }));
  const segments = cutSegments(frames);
  expect(segments.length).toBeGreaterThan(3);
  expect(segments.flat()).toEqual(frames);
  for (const segment of segments) await packFrames(segment);
  expect(SEGMENT_BYTES_MAX).toBeGreaterThan(FRAME_BYTES_MAX * 2);
});

test("runs of bytes come back as the frames they hold, however they were cut and however long one is [W-ES-4]", async () => {
  const frames = Array.from({ length: 60 }, (_, index) => ({
    seq: index + 1,
    sse: sseOf("t", index + 1, "data_loaded", { text: "é".repeat((index % 7) * 9_000) }),
  }));
  const runOf = (first: number, last: number) => {
    const bytes = Buffer.from(
      frames
        .slice(first - 1, last)
        .map(({ sse }) => sse)
        .join(""),
    );
    return bytesRun(first, last, bytes);
  };
  // The second is over a segment's maximum by itself.
  const segments = await Promise.all(packRuns([runOf(1, 3), runOf(4, 40), runOf(41, 41), runOf(42, 60)]));
  expect(segments.length).toBeGreaterThan(3);
  expect((await Promise.all(segments.map(unpackFrames))).flat()).toEqual(frames);
  expect(packRuns([])).toEqual([]);
});

test("many segments at once are all packed, also after some that cannot be [G8]", async () => {
  const frames = framesOf("t", 1, 40);
  const runs = frames.map(({ seq, sse }) => bytesRun(seq, seq, Buffer.from(sse)));
  const broken = {
    ...bytesRun(1, 1, Buffer.from("x")),
    copyTo() {
      throw new Error("the bytes are gone");
    },
  };
  const packed = [...Array(PACKED_AT_ONCE_MAX).fill(broken), ...runs].flatMap((run) => packRuns([run]));
  const kept = await Promise.allSettled(packed);
  expect(kept.splice(0, PACKED_AT_ONCE_MAX).every(({ status }) => status === "rejected")).toBe(true);
  const segments = kept.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  expect((await Promise.all(segments.map(unpackFrames))).flat()).toEqual(frames);
});
