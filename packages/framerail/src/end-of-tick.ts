// When what has gathered is written together: after everything of this turn of the event loop has come in. A timer would
// wait a millisecond, a microtask would come between two pieces of one tick.

export function atEndOfTick(flush: () => void): void {
  setImmediate(flush);
}
