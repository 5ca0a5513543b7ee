import type { Clock, Frame } from "@framerail/protocol";
import { formatTimestamp } from "@framerail/protocol";
import { expect, test } from "vitest";
import { REPLAY_GAP_MS_MAX } from "./limits.js";
import { paceFrames } from "./pace-frames.js";

/** A clock that jumps to whatever is waited for, and notes it. */
function jumpingClock() {
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    schedule(ms, callback) {
      nowMs += ms;
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  return { clock, nowMs: () => nowMs };
}

async function* framesAt(...times: readonly number[]): AsyncGenerator<Frame> {
  for (const [index, ms] of times.entries()) {
    const envelope = { version: "0.5", timestamp: formatTimestamp(ms), response_id: "r", seq: index + 1 } as const;
    yield { event_type: "text", ...envelope, chunk: "" };
  }
}

async function playedAt(speed: number, ...times: readonly number[]) {
  const { clock, nowMs } = jumpingClock();
  const played: number[] = [];
  const frames = paceFrames(framesAt(...times), { speed, clock, nowMs, signal: new AbortController().signal });
  for await (const _ of frames) played.push(nowMs());
  return played;
}

test("frames are played in the time in which they were made, or in a part of it", async () => {
  expect(await playedAt(1, 1_000, 1_000, 1_400, 3_000)).toEqual([0, 0, 400, 2_000]);
  expect(await playedAt(4, 1_000, 1_400, 3_000)).toEqual([0, 100, 500]);
  expect(await playedAt(0.5, 0, 100)).toEqual([0, 200]);
  expect(await playedAt(Number.POSITIVE_INFINITY, 0, 9_000, 90_000)).toEqual([0, 0, 0]);
});

test("no pause is longer than its maximum, and a turn that begins again does not go back in time [G8]", async () => {
  expect(await playedAt(1, 0, 3_600_000)).toEqual([0, REPLAY_GAP_MS_MAX]);
  expect(await playedAt(2, 0, 3_600_000, 10, 110)).toEqual([0, REPLAY_GAP_MS_MAX / 2, REPLAY_GAP_MS_MAX / 2, 2_550]);
});

test("a replay that is left ends in the middle of a wait", async () => {
  const leaving = new AbortController();
  const clock: Clock = { now: () => 0, schedule: () => () => undefined };
  const frames = paceFrames(framesAt(0, 1_000), { speed: 1, clock, nowMs: () => 0, signal: leaving.signal });
  const seen: (number | undefined)[] = [];
  for await (const { seq } of frames) {
    seen.push(seq);
    queueMicrotask(() => leaving.abort());
  }
  expect(seen).toEqual([1]);
});
