// A wait for work that may hang: for so long, and no longer. Nothing of it is left when it is over.

import type { Clock } from "@framerail/protocol";

/** Resolves when `work` is over, however it went, or when it has taken `ms`. */
export function settleWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.schedule(Math.max(0, ms), resolve);
    const settle = () => {
      stop();
      resolve();
    };
    work.then(settle, settle);
  });
}
