import fc from "fast-check";
import { expect, test } from "vitest";
import { bytewise, cutAt, decodeSsePushes } from "./testing/cuts.js";
import { readWithEventsourceParser } from "./testing/eventsource-oracle.js";
import { cutPositions, nastyBytes } from "./testing/nasty-bytes.js";
import { readSse } from "./testing/reference-sse.js";

const LONG = process.env.FRAMERAIL_LONG === "1";
const RUNS = LONG ? 1_000_000 : 20_000;
const OPTIONS = { numRuns: RUNS, ...(LONG ? {} : { seed: 20_260_515 }) };

test("nasty input reads the same as by two independent readers, for random cuts, each event at its earliest byte [SSE-2, SSE-13]", {
  timeout: LONG ? 3_600_000 : 60_000,
}, () => {
  let events = 0;
  fc.assert(
    fc.property(nastyBytes, cutPositions, (bytes, positions) => {
      const expected = readSse(bytes);
      const pieces = cutAt(bytes, positions);
      const read = decodeSsePushes(pieces);
      expect(read).toEqual({ ...expected, lengths: read.lengths });
      expect(readWithEventsourceParser(bytes)).toEqual({ log: expected.log, lastEventId: expected.lastEventId });
      let pushed = 0;
      for (const [index, piece] of pieces.entries()) {
        pushed += piece.length;
        expect(read.lengths[index]).toBe(readSse(bytes.subarray(0, pushed)).log.length);
      }
      events += expected.log.length;
    }),
    OPTIONS,
  );
  // A generator that never finishes an event would prove nothing.
  expect(events).toBeGreaterThan(RUNS);
});

test("nasty input reads the same byte by byte [SSE-2, SSE-13]", { timeout: LONG ? 3_600_000 : 60_000 }, () => {
  fc.assert(
    fc.property(nastyBytes, (bytes) => {
      const { log, lastEventId, clean } = decodeSsePushes(bytewise(bytes));
      expect({ log, lastEventId, clean }).toEqual(readSse(bytes));
    }),
    { ...OPTIONS, numRuns: RUNS / 10 },
  );
});
