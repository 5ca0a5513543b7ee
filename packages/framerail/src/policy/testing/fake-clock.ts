// A clock that stands still until it is told to move; timers fire in order of their time, then of their making.

import type { Clock } from "@framerail/protocol";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** Timers that have neither fired nor been taken back. */
  readonly timerCount: number;
}

export function createFakeClock(): FakeClock {
  let now = 1_000_000;
  const timers = new Set<Timer>();
  const nextUntil = (end: number) =>
    [...timers]
      .filter(({ at }) => at <= end)
      .reduce<Timer | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);
  return {
    now: () => now,
    schedule(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const end = now + ms;
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        timers.delete(timer);
        now = timer.at;
        timer.callback();
      }
      now = end;
    },
    get timerCount() {
      return timers.size;
    },
  };
}
