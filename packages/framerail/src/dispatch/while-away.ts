// Does what a turn needs of the store, and does not give up while the database is away [D-4].
//   W1. What was asked and not answered is asked again: whoever asks sees to it that this is harmless.
//   W2. After COMMIT_MS_MAX the failure is the caller's.

import type { Clock } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";
import { COMMIT_MS_MAX, COMMIT_RETRY_MS } from "./limits.js";

/** What the database says while it is away, or has gone away. */
export const WORTH_ASKING_AGAIN: ReadonlySet<string> = new Set(["COMMIT_UNKNOWN", "STORE_UNAVAILABLE"]);

export async function whileAway<T>(attempt: () => Promise<T>, clock: Clock, signal?: AbortSignal): Promise<T> {
  const until = clock.now() + COMMIT_MS_MAX;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const again = isFramerailError(error) && WORTH_ASKING_AGAIN.has(error.code) && clock.now() < until;
      if (!again) throw error;
    }
    await new Promise<void>((resolve) => void clock.schedule(COMMIT_RETRY_MS, resolve));
  }
}
