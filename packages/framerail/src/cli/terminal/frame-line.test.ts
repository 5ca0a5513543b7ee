import type { Clock, Frame } from "@framerail/protocol";
import { createFrameEncoder, parseJson, systemClock } from "@framerail/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { displayWidth } from "./display-width.js";
import { describeFrame, encodeFrameLine } from "./frame-line.js";

const frame = (event_type: string, payload: object = {}) =>
  ({
    event_type,
    version: "0.5",
    timestamp: "2026-05-15T18:00:01.250Z",
    response_id: "r",
    seq: 12,
    ...payload,
  }) as Frame;
const PIPE = { isShared: false };
const SINCE = Date.parse("2026-05-15T18:00:00.000Z");

test("a frame that was read is written with the bytes it came with [D-7]", () => {
  const clock: Clock = { ...systemClock, now: () => SINCE };
  const encoder = createFrameEncoder({ responseId: "r", clock });
  const json = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), json, (text, value) => {
      const key = { ids: [{ id: text }] };
      const lines = [
        encoder.encode("text", 1, { chunk: `${text}\u2028\u0085"` }),
        encoder.encode("data_loaded", 2, { data: { id: "d", type: "t", key, items: [value] as never } }),
        encoder.encode("completed", 3, {}),
      ];
      for (const line of lines) expect(encodeFrameLine(parseJson(line) as unknown as Frame, PIPE)).toBe(`${line}\n`);
    }),
  );
});

test("on a screen the same frame is the same JSON, with nothing in it that a terminal obeys", () => {
  const hostile = frame("text", { chunk: "a\x9b2J\x1b[1m\u202eb\u2066\x7fé😀" });
  const line = encodeFrameLine(hostile, { isShared: true });
  expect(JSON.parse(line)).toEqual(hostile);
  expect(line).toContain('"a\\u009b2J\\u001b[1m\\u202eb\\u2066\\u007fé😀"');
});

test("a frame's line says when, which and what", () => {
  expect(describeFrame(frame("text", { chunk: "Two " }), SINCE, 80)).toBe(
    '   +1.250    12  text            {"chunk":"Two "}\n',
  );
  expect(describeFrame(frame("completed"), SINCE, 80)).toBe("   +1.250    12  completed\n");
});

test("a frame's line is one line of the screen, whatever the frame holds", () => {
  const long = describeFrame(frame("text", { chunk: "価格\n\u202e\x9b2J".repeat(40) }), SINCE, 60);
  expect(displayWidth(long.trimEnd())).toBeLessThanOrEqual(60);
  expect(long).toMatch(/^[^\n]*…\n$/);
  expect(long).not.toMatch(/[\u0080-\u009f\u202e]/);
});
