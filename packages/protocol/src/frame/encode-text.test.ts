import naughty from "big-list-of-naughty-strings" with { type: "json" };
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../clock.js";
import { createSseFraming } from "../codec/sse-framing.js";
import { isWellFormed } from "../schema/text.js";
import type { FrameEncoder } from "./encode-frame.js";
import { createFrameEncoder } from "./encode-frame.js";

const NOW = Date.UTC(2026, 4, 15, 18);
const clock: Clock = { now: () => NOW, schedule: () => () => undefined };
const framing = createSseFraming({ idPrefix: "resp_abc.1." });
const FRAMINGS = [undefined, framing];
const X = 120;

function createEncoder(kind: (typeof FRAMINGS)[number]): FrameEncoder {
  return createFrameEncoder({ responseId: "resp_abc", clock, ...(kind && { framing: kind }) });
}

/** Memory as a log has it: blocks, each of which is filled before the next is begun. */
class Blocks {
  bytes = new Uint8Array(0);
  end = 0;
  readonly frames: Uint8Array[] = [];

  write(encoder: FrameEncoder, chunk: string, seq: number, at = NOW): boolean {
    const size = encoder.textBytesMax(chunk) ?? expect.fail("that is long");
    if (this.end + size > this.bytes.length) [this.bytes, this.end] = [new Uint8Array(size * 4), 0];
    const written = encoder.encodeText(chunk, seq, at, this);
    expect(written).toBeLessThanOrEqual(size);
    // Where nothing was written, something else is.
    if (written === 0) this.bytes.fill(X, this.end, this.end + size);
    else this.frames.push(this.bytes.subarray(this.end, this.end + written));
    this.end += written === 0 ? size : written;
    return written > 0;
  }

  texts(): string[] {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return this.frames.map((frame) => decoder.decode(frame));
  }
}

const chunks = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(...(naughty as string[]).filter(({ length }) => length <= 256)),
  fc.constantFrom("\ud83d", "a\ude00", "\ud83d b", "\ud83d\ud83d\ude00", "\udc00\ud800"),
  fc.constantFrom(
    "",
    '"',
    "\\",
    "\u0000\u001f",
    "a\u2028\u2029\u0085\r\n",
    "\u007f\u0080\u07ff\u0800\uffff",
    "😀".repeat(128),
  ),
);

test("text written as bytes is, byte for byte, the frame that the encoder gives as a string [W-EV-0] [W-FR-2]", () => {
  const step = fc.record({
    chunk: chunks,
    skip: fc.constantFrom(1, 1, 1, 7, 95, 990),
    ms: fc.integer({ min: -5, max: 1_100 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), fc.constantFrom(...FRAMINGS), (steps, kind) => {
      const [asBytes, asString, blocks] = [createEncoder(kind), createEncoder(kind), new Blocks()];
      const expected: string[] = [];
      let [seq, at] = [0, NOW];
      for (const { chunk, skip, ms } of steps) {
        [seq, at] = [seq + skip, at + ms];
        if (!isWellFormed(chunk)) {
          expect(blocks.write(asBytes, chunk, seq, at)).toBe(false);
          expect(() => asString.encode("text", seq, { chunk }, at)).toThrow("well-formed");
          continue;
        }
        expect(blocks.write(asBytes, chunk, seq, at)).toBe(true);
        expected.push(asString.encode("text", seq, { chunk }, at));
      }
      expect(blocks.texts()).toEqual(expected);
    }),
    { numRuns: process.env.FRAMERAIL_LONG ? 50_000 : 1_000 },
  );
});

test("frames of both kinds in one turn have the times of one clock, which does not go back [W-EV-20]", () => {
  const [encoder, blocks] = [createEncoder(framing), new Blocks()];
  blocks.write(encoder, "a", 1, NOW + 5);
  expect(encoder.encode("thinking", 2, {}, NOW)).toContain('"timestamp":"2026-05-15T18:00:00.005Z"');
  encoder.encode("thinking", 3, {}, NOW + 9);
  blocks.write(encoder, "b", 4, NOW + 7);
  expect(blocks.texts()[1]).toContain('"timestamp":"2026-05-15T18:00:00.009Z"');
});

test("what was written before stays as it is, and memory that is not the frame's own is not touched [G3]", () => {
  const [encoder, blocks] = [createEncoder(framing), new Blocks()];
  blocks.write(encoder, "first", 8);
  const first = blocks.frames[0]?.slice();
  for (let seq = 9; seq <= 12; seq += 1) blocks.write(encoder, `piece ${seq}`, seq, NOW + seq);
  expect(blocks.frames[0]).toEqual(first);
  const behind = blocks.bytes.subarray(blocks.end);
  expect(behind.every((byte) => byte === 0)).toBe(true);
});

test("long text is left to the encoder that makes strings", () => {
  const encoder = createEncoder(framing);
  expect(encoder.textBytesMax("x".repeat(256))).toBeGreaterThan(256);
  expect(encoder.textBytesMax("x".repeat(257))).toBeUndefined();
});

test("numbers and times that no frame can be copied for are left to it too", () => {
  const room = { bytes: new Uint8Array(4_096), end: 0 };
  const encoder = createEncoder(framing);
  for (const seq of [0, -1, Number.NaN, 1_000_000_000]) expect(encoder.encodeText("a", seq, NOW, room)).toBe(0);
  expect(encoder.encodeText("a", 1, Date.UTC(12_000, 0), room)).toBe(0);
});
