import { expect, test } from "vitest";
import { handClock } from "../../dispatch/testing/turn-bench.js";
import type { LoggedFrame } from "../../log/frame-sink.js";
import type { TurnView, Watcher } from "../../log/turn-log.js";
import { DRAIN_MS_MAX, HEARTBEAT_MS, READER_BYTES_MAX } from "../limits.js";
import type { StreamOutput } from "./stream-output.js";
import { TurnStream } from "./turn-stream.js";
import { wireFormat } from "./wire-format.js";

const TURN = "00000000-0000-4000-8000-000000000001";
const status = (seq: number): LoggedFrame =>
  ({
    seq,
    sse: `id: ${TURN}.1.${seq}\nevent: status\ndata: ${JSON.stringify({
      event_type: "status",
      version: "0.5",
      timestamp: "2026-05-15T18:00:00.000Z",
      response_id: TURN,
      seq,
      data: { event_id: "searching", message: "x" },
    })}\n\n`,
  }) as LoggedFrame;

/** A turn whose frames come from behind memory, so that a test says when each is there. */
function turn() {
  let lastSeq = 0;
  let watcher: Watcher | undefined;
  const view: TurnView = {
    epoch: 1,
    get lastSeq() {
      return lastSeq;
    },
    sealed: false,
    lost: false,
    after: () => undefined,
    watch(given: Watcher) {
      watcher = given;
      return () => undefined;
    },
    readBack: async (afterSeq: number) =>
      Array.from({ length: lastSeq - afterSeq }, (_, index) => status(afterSeq + 1 + index)),
  } as unknown as TurnView;
  return {
    view,
    async append() {
      lastSeq += 1;
      watcher?.wake();
      for (let round = 0; round < 5; round += 1) await Promise.resolve();
    },
  };
}

test("a reader that takes nothing costs no timer per millisecond while it is waited for [G8]", async () => {
  const clock = handClock();
  let scheduled = 0;
  const counting = {
    ...clock,
    now: () => clock.now(),
    schedule: (ms: number, callback: () => void) => {
      scheduled += 1;
      return clock.schedule(ms, callback);
    },
  };
  let waitingBytes = 0;
  const output: StreamOutput = {
    segment: () => undefined,
    text: () => {
      waitingBytes = READER_BYTES_MAX;
    },
    get waitingBytes() {
      return waitingBytes;
    },
    onDrain: () => undefined,
    end: () => undefined,
    cut: () => undefined,
  };
  const { view, append } = turn();
  const ends: string[] = [];
  new TurnStream({
    view,
    afterSeq: 0,
    output,
    format: wireFormat("sse", "0.5"),
    clock: counting,
    readBack: view.readBack.bind(view),
    onEnd: (how) => ends.push(how),
  });
  await append();
  clock.pass(DRAIN_MS_MAX);
  expect(ends).toEqual(["slow"]);
  expect(scheduled).toBeLessThan(10);
});

test("a reader of 0.4 gets a sign of life while all that comes is left out for it [D-8] [D-19]", async () => {
  const clock = handClock();
  const { output, sent } = keepText();
  const { view, append } = turn();
  const stream = new TurnStream({
    view,
    afterSeq: 0,
    output,
    format: wireFormat("sse", "0.4"),
    clock,
    readBack: view.readBack.bind(view),
    onEnd: () => undefined,
  });
  const opening = sent().length;
  // A status every ten seconds, for five minutes: no byte of it is for this reader.
  for (let round = 0; round < 30; round += 1) {
    clock.pass(HEARTBEAT_MS - 5_000);
    await append();
  }
  expect(stream.seq).toBe(30);
  expect(sent().length).toBeGreaterThan(opening);
});

test("a clock that is set back by an hour takes no sign of life away [D-19]", () => {
  const hand = handClock();
  let offset = 0;
  const clock = { now: () => hand.now() + offset, schedule: hand.schedule };
  const { output, sent } = keepText();
  const { view } = turn();
  new TurnStream({
    view,
    afterSeq: 0,
    output,
    format: wireFormat("sse", "0.5"),
    clock,
    readBack: view.readBack.bind(view),
    onEnd: () => undefined,
  });
  const opening = sent().length;
  offset = -3_600_000;
  hand.pass(4 * HEARTBEAT_MS);
  expect(sent().length).toBeGreaterThan(opening);
});

/** A reader that takes everything. */
function keepText() {
  let kept = "";
  const output: StreamOutput = {
    segment: () => undefined,
    text: (text) => {
      kept += text.toString();
    },
    waitingBytes: 0,
    onDrain: () => undefined,
    end: () => undefined,
    cut: () => undefined,
  };
  return { output, sent: () => kept };
}
