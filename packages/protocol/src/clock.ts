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

/** `000Z` … `999Z`: the part of a timestamp that changes within one second. Pure: who stamps nothing leaves it out. */
const MILLISECONDS = /* @__PURE__ */ Array.from({ length: 1000 }, (_, ms) => `${String(ms).padStart(3, "0")}Z`);

/** What was formatted last, for all turns: they run at the same time, so they ask for the same one. */
const latest = { ms: Number.NaN, stamp: "", second: Number.NaN, prefix: "" };

/** One time as `2026-05-15T18:00:00.000Z` [W-EV-20, C-9]; within one millisecond the same string for all who ask. */
export function stampOf(epochMs: number): string {
  if (epochMs === latest.ms) return latest.stamp;
  const second = Math.floor(epochMs / 1000);
  if (second !== latest.second) {
    latest.prefix = formatTimestamp(second * 1000).slice(0, -4);
    latest.second = second;
  }
  latest.stamp = latest.prefix + MILLISECONDS[epochMs - second * 1000];
  latest.ms = epochMs;
  return latest.stamp;
}

/**
 * Returns a function that gives the clock's time, or the one it is told, as `stampOf` writes it. It never goes back, so the
 * timestamps of one turn are non-decreasing even when the wall clock is set back.
 */
export function createTimestamps(clock: Clock): (now?: number) => string {
  let latestMs = Number.NEGATIVE_INFINITY;
  return (now = clock.now()) => {
    latestMs = Math.max(latestMs, now);
    return stampOf(latestMs);
  };
}

/** One epoch-millisecond time as UTC ISO-8601 with milliseconds and `Z`. */
export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
