// A clock that a test moves by hand.

import type { Clock } from "@framerail/protocol";

export interface ManualClock extends Clock {
  /** Moves time on and makes the calls that are due, in their order. */
  advance(ms: number): void;
  readonly pending: number;
}

export function manualClock(startMs = 1_770_000_000_000): ManualClock {
  let now = startMs;
  const calls = new Set<{ readonly at: number; readonly callback: () => void }>();
  return {
    now: () => now,
    schedule(ms, callback) {
      const call = { at: now + ms, callback };
      calls.add(call);
      return () => void calls.delete(call);
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...calls].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        calls.delete(next);
        now = Math.max(now, next.at);
        next.callback();
      }
      now = end;
    },
    get pending() {
      return calls.size;
    },
  };
}
