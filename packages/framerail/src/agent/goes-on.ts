// Signs of life of work that says nothing by itself. A turn that nobody hears of is given up for silence [W-CAN-2]; work whose
// own timer bounds its wait must not be, before that timer says so.

import type { Clock } from "@framerail/protocol";
import { PROGRESS_MS } from "./model/limits.js";

/**
 * Calls `tell` now and then, until the returned function is called. By a timer, so that the work itself costs nothing, and
 * without one where the work ends sooner by itself.
 */
export function whileItGoesOn(clock: Clock, boundMs: number, tell: () => void): () => void {
  let cancel = () => {};
  const wait = () => {
    cancel = clock.schedule(PROGRESS_MS, () => {
      tell();
      wait();
    });
  };
  if (boundMs > PROGRESS_MS) wait();
  return () => cancel();
}
