// When what is ready goes to the log: after everything of this turn of the event loop has been written, and once for all
// turns. A timer would wait a millisecond, a microtask would come between two frames of one tick.

export function atEndOfTick(flush: () => void): void {
  setImmediate(flush);
}
