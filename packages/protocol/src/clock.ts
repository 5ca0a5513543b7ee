// Time as an argument. Nothing in this package reads a global clock except `systemClock` below, so that every rule
// about time can be tested without waiting.

export interface Clock {
  /** Milliseconds since the Unix epoch, whole. May jump; never use it to measure a wait. */
  now(): number;
  /** Calls `callback` once after `ms`; the returned function takes the call back and may be called at any time. */
  schedule(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** `000Z` … `999Z`: the part of a timestamp that changes within one second. */
const MILLISECONDS = Array.from({ length: 1000 }, (_, ms) => `${String(ms).padStart(3, "0")}Z`);

/** The second that was formatted last, for all turns: they run at the same time, so they ask for the same one. */
const latestSecond = { second: Number.NaN, prefix: "" };

function formatSecond(second: number): string {
  if (second !== latestSecond.second) {
    latestSecond.prefix = formatTimestamp(second * 1000).slice(0, -4);
    latestSecond.second = second;
  }
  return latestSecond.prefix;
}

/**
 * Returns a function that gives the clock's time, or the one it is told, as `2026-05-15T18:00:00.000Z` [W-EV-20, C-9]. It
 * never goes back, so the timestamps of one turn are non-decreasing even when the wall clock is set back.
 */
export function createTimestamps(clock: Clock): (now?: number) => string {
  let latest = Number.NEGATIVE_INFINITY;
  let stamp = "";
  return (now = clock.now()) => {
    if (now <= latest) return stamp;
    latest = now;
    const second = Math.floor(now / 1000);
    stamp = formatSecond(second) + MILLISECONDS[now - second * 1000];
    return stamp;
  };
}

/** One epoch-millisecond time as UTC ISO-8601 with milliseconds and `Z`. */
export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
