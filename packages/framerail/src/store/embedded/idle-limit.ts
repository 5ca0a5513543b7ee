// How long a transaction may ask for nothing: all others wait for it, because the embedded database has one session.
// Owns: that time. Does not own: what becomes of the transaction (embedded-driver.ts), how long a statement may take
// (thread-line.ts).

import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";

export interface IdleLimit {
  /** Does what `ask` does; nothing counts as idle until it is answered. */
  during<T>(ask: () => Promise<T>): Promise<T>;
  /** Settles as `work` does, or rejects with STORE_UNAVAILABLE once nothing was asked for too long. */
  over<T>(work: Promise<T>): Promise<T>;
}

export function createIdleLimit(clock: Clock, idleMsMax: number): IdleLimit {
  let asked = 0;
  let cancel = () => {};
  let giveUp: (error: FramerailError) => void = () => {};
  const wait = () => {
    const error = () => new FramerailError("STORE_UNAVAILABLE", "a transaction asked for nothing for too long");
    cancel = clock.schedule(idleMsMax, () => giveUp(error()));
  };
  return {
    async during(ask) {
      asked += 1;
      cancel();
      try {
        return await ask();
      } finally {
        asked -= 1;
        if (asked === 0) wait();
      }
    },
    async over(work) {
      const idle = new Promise<never>((_, reject) => {
        giveUp = reject;
      });
      if (asked === 0) wait();
      try {
        return await Promise.race([work, idle]);
      } finally {
        cancel();
        // An answer that comes later starts no timer that nobody would stop.
        asked = Number.POSITIVE_INFINITY;
      }
    },
  };
}
