// Frames in the time in which they were made: what a replay waits between them.
//   P1. Every frame has its due time, counted from the first one, so that waits do not add up their delays.
//   P2. No pause is longer than REPLAY_GAP_MS_MAX, whatever the turn waited for.

import type { Clock, Frame } from "@framerail/protocol";
import { REPLAY_GAP_MS_MAX } from "./limits.js";

export interface PaceOptions {
  /** How many times as fast as it was; Infinity for at once. */
  readonly speed: number;
  readonly clock: Clock;
  /** Steady milliseconds. */
  nowMs(): number;
  /** Ends the wait, and with it the replay. */
  readonly signal: AbortSignal;
}

export async function* paceFrames(frames: AsyncIterable<Frame>, options: PaceOptions): AsyncGenerator<Frame, void> {
  const { speed, clock, nowMs, signal } = options;
  let dueMs = nowMs();
  let previousAt: number | undefined;
  for await (const frame of frames) {
    const at = Date.parse(frame.timestamp);
    // A turn that began again goes back in time.
    const gapMs = Math.max(0, at - (previousAt ?? at));
    previousAt = at;
    // P2
    dueMs += Math.min(gapMs, REPLAY_GAP_MS_MAX) / speed;
    // P1
    const waitMs = dueMs - nowMs();
    if (waitMs > 0) await waitFor(waitMs, clock, signal);
    if (signal.aborted) return;
    yield frame;
  }
}

/** Resolves after the time, or when the signal fires. */
function waitFor(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const onEnd = () => {
      cancel();
      signal.removeEventListener("abort", onEnd);
      resolve();
    };
    const cancel = clock.schedule(ms, onEnd);
    signal.addEventListener("abort", onEnd);
  });
}
