// A clock for durations: steady, and finer than a millisecond. What has to do with waits and with the time of day takes the
// protocol's Clock; what tidies up behind a whole process may do it later by itself.

export function steadyMs(): number {
  return performance.now();
}

/** Once after `ms`, if the process still runs then: nothing waits for it. */
export function doLater(ms: number, tidyUp: () => void): void {
  setTimeout(tidyUp, ms).unref();
}

/**
 * What notes a time for every frame notes its low 32 bits: a small integer stands in the object that keeps it, while a whole
 * time is an object of its own, allocated anew each time.
 */
export function markOf(ms: number): number {
  return ms | 0;
}

/** How far `ms` is behind the time that a mark was made of. Right for less than 24 days, in both directions. */
export function msSince(mark: number, ms: number): number {
  return (ms - mark) | 0;
}
