// A clock that stands still until a test lets time pass.

import type { Clock } from "@framerail/protocol";

export interface HandClock extends Clock {
  pass(ms: number): void;
  /** Timers that are set. */
  readonly waiting: number;
}

export function handClock(): HandClock {
  let now = Date.UTC(2026, 4, 15, 18);
  const timers = new Map<() => void, number>();
  return {
    now: () => now,
    schedule(ms, callback) {
      const due = () => callback();
      timers.set(due, now + ms);
      return () => void timers.delete(due);
    },
    pass(ms) {
      now += ms;
      for (const [due, at] of [...timers].sort((a, b) => a[1] - b[1])) {
        if (at <= now && timers.delete(due)) due();
      }
    },
    get waiting() {
      return timers.size;
    },
  };
}
