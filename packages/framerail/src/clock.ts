// A clock for durations: steady, and finer than a millisecond. What has to do with waits and with the time of day takes the
// protocol's Clock.

export function steadyMs(): number {
  return performance.now();
}
