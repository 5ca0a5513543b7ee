// When what has gathered is written together: after everything of this turn of the event loop has come in. A timer would
// wait a millisecond, a microtask would come between two pieces of one tick.

import { steadyMs } from "./clock.js";

export function atEndOfTick(flush: () => void): void {
  setImmediate(flush);
}

/**
 * The same, with the beginnings at least `msMin` apart: what comes alone goes at the end of its tick, and the busier the
 * process is, the more goes together.
 */
export function createBeat(msMin: number): (flush: () => void) => void {
  let begunAt = Number.NEGATIVE_INFINITY;
  return (flush) => {
    const begin = () => {
      begunAt = steadyMs();
      flush();
    };
    const waitMs = begunAt + msMin - steadyMs();
    if (waitMs > 0) setTimeout(begin, Math.ceil(waitMs));
    else setImmediate(begin);
  };
}
