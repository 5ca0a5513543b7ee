// Whether something is young enough, on a clock that may jump.

import type { Clock } from "@framerail/protocol";

/** A clock that was set back makes a thing too old rather than young for ever. */
export function isWithin(clock: Clock, since: number, ms: number): boolean {
  const age = clock.now() - since;
  return age >= 0 && age < ms;
}
