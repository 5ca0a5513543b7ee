import { createFrameEncoder, createSseFraming } from "@framerail/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { takeBlock } from "./block-pool.js";
import { FrameText } from "./frame-text.js";
import { BLOCK_BYTES_MAX } from "./limits.js";
import type { Segment } from "./segment.js";
import { keepSegment, SegmentWriter } from "./segment.js";

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

describe("the text of an answer, read from its frames", () => {
  test("is what was written, whatever is read when and however often [P-29] [C-36]", () => {
    const ticks = fc.array(fc.array(said, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(ticks, fc.array(fc.nat(29)), fc.constantFrom(1, 7, 95, 99_990), (written, looks, firstSeq) => {
        const segments = writeTurn(written, firstSeq);
        const reader = new FrameText();
        let read = "";
        for (const look of [...looks, segments.length - 1]) {
          const kept: Segment[] = [];
          for (const segment of segments.slice(0, look + 1)) keepSegment(kept, segment);
          reader.read(kept);
          if (look % 2 === 0) read += reader.take()?.text ?? "";
        }
        read += reader.take()?.text ?? "";
        expect(read).toBe(textOf(written));
        expect(reader.readSeq).toBe(segments.at(-1)?.lastSeq);
      }),
      { numRuns: RUNS },
    );
  });

  test("has the time of its first frame, and there is none where no frame has text [P-32]", () => {
    const reader = new FrameText();
    const segments = writeTurn([
      [{ type: "status", chunk: "Looking" }],
      [{ type: "text", chunk: "One" }],
      [{ type: "text", chunk: " two" }],
    ]);
    reader.read(segments.slice(0, 1));
    expect(reader.take()).toBeUndefined();
    reader.read(segments);
    expect(reader.take()).toEqual({ text: "One two", at: AT + 2 });
    expect(reader.take()).toBeUndefined();
  });

  test("may be an empty piece, which is a piece all the same [P-28]", () => {
    const reader = new FrameText();
    reader.read(writeTurn(textFrames(["", ""])));
    expect(reader.take()).toEqual({ text: "", at: AT + 1 });
  });

  test("is whole where an escape, a pair or a character comes to the end of a block [C-36]", () => {
    for (const piece of ["\\", '"', "\u0000", "日", "😀", "a\\"]) {
      for (let before = 0; before < 6; before += 1) {
        const chunks = ["x".repeat(before), ...Array<string>(2_000).fill(piece.repeat(120))];
        const reader = new FrameText();
        reader.read(writeTurn(textFrames(chunks)));
        expect(reader.take()?.text === chunks.join(""), `${JSON.stringify(piece)} after ${before}`).toBe(true);
      }
    }
  });

  test("is no other turn's when its blocks are used again [G7]", () => {
    const reader = new FrameText();
    const chunks = Array<string>(3_000).fill("y".repeat(60));
    reader.read(writeTurn(textFrames(chunks)));
    const answer = reader.take()?.text;
    for (let block = 0; block < 8; block += 1) takeBlock(BLOCK_BYTES_MAX).fill(0);
    expect(answer).toBe(chunks.join(""));
    reader.read(writeTurn(textFrames(["z"]), 3_001));
    expect(reader.take()?.text).toBe("z");
  });
});
