// Time that passes only when a test says so, or when everybody waits for it.

import type { Clock } from "@framerail/protocol";

export interface HandClock extends Clock {
  /** Lets the time pass, firing what falls due, in order; what each does is done before the next. */
  pass(ms: number): Promise<void>;
  /** Lets the time pass until the promise has settled; throws when nothing is left to wait for. */
  until<T>(promise: Promise<T>): Promise<T>;
  /** A clock with the same time that counts its own timers. */
  count(): Clock & { readonly waiting: number };
}

interface Timer {
  readonly at: number;
  callback(): void;
}

const STEPS_MAX = 100_000;

export function handClock(): HandClock {
  let now = Date.UTC(2026, 4, 15, 18);
  const timers = new Set<Timer>();
  const schedule = (ms: number, callback: () => void) => {
    const timer = { at: now + ms, callback };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const fireNext = (end: number): boolean => {
    let first: Timer | undefined;
    for (const timer of timers) if (timer.at <= end && (first === undefined || timer.at < first.at)) first = timer;
    if (first === undefined) return false;
    timers.delete(first);
    now = Math.max(now, first.at);
    first.callback();
    return true;
  };
  return {
    now: () => now,
    schedule,
    async pass(ms) {
      const end = now + ms;
      do await settle();
      while (fireNext(end));
      now = end;
    },
    async until(promise) {
      let isDone = false;
      const onDone = () => {
        isDone = true;
      };
      promise.then(onDone, onDone);
      for (let step = 0; step < STEPS_MAX; step += 1) {
        await settle();
        if (isDone) return promise;
        if (!fireNext(Number.POSITIVE_INFINITY)) throw new Error("everybody waits, and nothing will happen");
      }
      throw new Error("no end in sight");
    },
    count() {
      let waiting = 0;
      return {
        now: () => now,
        schedule(ms, callback) {
          waiting += 1;
          let isSet = true;
          const release = () => {
            if (isSet) waiting -= 1;
            isSet = false;
          };
          const cancel = schedule(ms, () => {
            release();
            callback();
          });
          return () => {
            release();
            cancel();
          };
        },
        get waiting() {
          return waiting;
        },
      };
    },
  };
}

/** Everything that can happen without time passing has happened. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
