// When what has gathered is written together. A timer would wait a millisecond, a microtask would come between two pieces of
// one tick.

import { steadyMs } from "./clock.js";

/** After everything of this turn of the event loop has come in: for what is cheaper the more of it goes together. */
export function atEndOfTick(flush: () => void): void {
  setImmediate(flush);
}

/** After everything that this one thing brought, a timer, bytes of one socket: for what is no cheaper together. */
export function atEndOfEvent(flush: () => void): void {
  process.nextTick(flush);
}

/**
 * At the end of a tick, with the beginnings at least `msMin` apart: what comes alone goes at the end of its own, and the
 * busier the process is, the more goes together.
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
