import { createFrameEncoder, createSseFraming } from "@framerail/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameText } from "./frame-text.js";
import type { Segment } from "./segment.js";
import { framesOf, keepSegment, rowOf, SegmentWriter } from "./segment.js";

const RUNS = process.env.FRAMERAIL_LONG ? 20_000 : 300;
const TURN = "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11";
const AT = Date.UTC(2026, 0, 1);

type Said = { readonly type: "text" | "reasoning" | "status"; readonly chunk: string };

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 400 }),
  fc.string({ unit: fc.constantFrom('"', "\\", "\n", "\u2028", "a", "é", "日", "😀", "\u0000"), maxLength: 60 }),
  // What a frame looks like, inside of one.
  fc.constantFrom('"}\n\n', 'id: 1\nevent: text\ndata: {"chunk":"x"}\n\n', ',"chunk":"', "\\", '\\"'),
);
const said: fc.Arbitrary<Said> = fc.record({
  type: fc.constantFrom("text" as const, "text" as const, "reasoning" as const, "status" as const),
  chunk: text,
});

/** A turn's frames as its owner writes them, one tick for each row. */
function writeTurn(ticks: readonly (readonly Said[])[], firstSeq = 1): Segment[] {
  const encoder = createFrameEncoder({
    responseId: TURN,
    clock: { now: () => AT, schedule: () => () => undefined },
    framing: createSseFraming({ idPrefix: `${TURN}.1.` }),
  });
  const writer = new SegmentWriter();
  let seq = firstSeq - 1;
  return ticks.map((tick) => {
    const first = seq + 1;
    for (const { type, chunk } of tick) {
      seq += 1;
      const bytesMax = type === "text" ? encoder.textBytesMax(chunk) : undefined;
      if (bytesMax !== undefined) writer.advance(encoder.encodeText(chunk, seq, AT + seq, writer.claim(bytesMax)));
      else if (type === "status") {
        writer.write(encoder.encode("status", seq, { data: { event_id: "a", message: chunk || "a" } }, AT + seq));
      } else writer.write(encoder.encode(type, seq, { chunk }, AT + seq));
    }
    return writer.cut(first, seq);
  });
}

const textOf = (ticks: readonly (readonly Said[])[]) =>
  ticks
    .flat()
    .filter(({ type }) => type === "text")
    .map(({ chunk }) => chunk)
    .join("");

const textFrames = (chunks: readonly string[]) => [chunks.map((chunk) => ({ type: "text" as const, chunk }))];

/** Reads on, up to the last frame of these. */
function readAll(reader: FrameText, segments: readonly Segment[]): void {
  for (const segment of segments) {
    reader.open(rowOf(segment));
    reader.readTo(segment.lastSeq);
  }
}

describe("the text of an answer, read from its frames", () => {
  test("is what was written, however far it is read and however often [P-29] [C-36]", () => {
    const ticks = fc.array(fc.array(said, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(ticks, fc.array(fc.nat(150)), fc.constantFrom(1, 7, 95, 99_990), (written, looks, firstSeq) => {
        const kept: Segment[] = [];
        for (const segment of writeTurn(written, firstSeq)) keepSegment(kept, segment);
        const frames = written.flat();
        const reader = new FrameText();
        for (const segment of kept) {
          reader.open(rowOf(segment));
          for (const look of [...looks].sort((one, other) => one - other)) {
            const from = Math.max(0, reader.readSeq - firstSeq + 1);
            reader.readTo(firstSeq + look);
            const until = Math.max(from, Math.min(look + 1, segment.lastSeq - firstSeq + 1));
            expect(reader.readSeq === 0 ? 0 : reader.readSeq - firstSeq + 1).toBe(until);
            expect(reader.take()?.text ?? "").toBe(textOf([frames.slice(from, until)]));
          }
          // What was read is not read again.
          const from = Math.max(0, reader.readSeq - firstSeq + 1);
          readAll(reader, [segment]);
          expect(reader.take()?.text ?? "").toBe(textOf([frames.slice(from, segment.lastSeq - firstSeq + 1)]));
        }
        expect(reader.readSeq).toBe(firstSeq + frames.length - 1);
      }),
      { numRuns: RUNS },
    );
  });

  test("is the same from a copy of the frames, as the store has them [G3] [C-36]", () => {
    const chunks = Array.from({ length: 200 }, (_, line) => `${line} "é" \\ 😀`);
    const [segment] = writeTurn(textFrames(chunks)) as [Segment];
    const bytes = framesOf(segment);
    const reader = new FrameText();
    reader.open({ firstSeq: 1, parts: [{ bytes, start: 0, end: bytes.length }] });
    reader.readTo(Number.POSITIVE_INFINITY);
    expect(reader.take()?.text).toBe(chunks.join(""));
  });

  test("has the time of its first frame, and there is none where no frame has text [P-32]", () => {
    const reader = new FrameText();
    const segments = writeTurn([
      [{ type: "status", chunk: "Looking" }],
      [{ type: "text", chunk: "One" }],
      [{ type: "text", chunk: " two" }],
    ]);
    readAll(reader, segments.slice(0, 1));
    expect(reader.take()).toBeUndefined();
    readAll(reader, segments);
    expect(reader.take()).toEqual({ text: "One two", at: AT + 2 });
    expect(reader.take()).toBeUndefined();
  });

  test("may be an empty piece, which is a piece all the same [P-28]", () => {
    const reader = new FrameText();
    readAll(reader, writeTurn(textFrames(["", ""])));
    expect(reader.take()).toEqual({ text: "", at: AT + 1 });
  });

  test("is whole where an escape, a pair or a character comes to where some of it becomes a string [C-36]", () => {
    for (const piece of ["\\", '"', "\u0000", "日", "😀", "a\\"]) {
      for (let before = 0; before < 6; before += 1) {
        const chunks = ["x".repeat(before), ...Array<string>(5_000).fill(piece.repeat(120))];
        const reader = new FrameText();
        readAll(reader, writeTurn(textFrames(chunks)));
        expect(reader.take()?.text === chunks.join(""), `${JSON.stringify(piece)} after ${before}`).toBe(true);
      }
    }
  });

  test("is refused where a frame or its text has no end, and never read for ever [G1]", () => {
    const whole = framesOf(writeTurn(textFrames(["One"]))[0] as Segment);
    for (const length of [whole.length - 1, whole.length - 4, whole.length - 6]) {
      const bytes = Buffer.from(whole.subarray(0, length));
      const reader = new FrameText();
      reader.open({ firstSeq: 1, parts: [{ bytes, start: 0, end: bytes.length }] });
      if (length === whole.length - 1) reader.readTo(1);
      else expect(() => reader.readTo(1)).toThrow("without an end");
    }
    const status = framesOf(writeTurn([[{ type: "status", chunk: "Looking" }]])[0] as Segment);
    const reader = new FrameText();
    reader.open({ firstSeq: 1, parts: [{ bytes: Buffer.from(status.subarray(0, -1)), start: 0, end: 9 }] });
    expect(() => reader.readTo(1)).toThrow("has no end");
  });
});
