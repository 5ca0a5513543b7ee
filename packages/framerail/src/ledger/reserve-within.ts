// Waits for a share of a budget while calls under way hold what is left of it, for a short while [D-16].
// Owns: the wait. Does not own: what is granted (budgets.ts), what follows when nothing was (the turn is paused).

import type { Clock } from "@framerail/protocol";
import type { ReserveResult } from "./budgets.js";
import { RESERVE_RETRY_MS, RESERVE_WAIT_MS_MAX } from "./limits.js";

export interface ReserveWithinOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** Tries until something is granted, the budget is spent, RESERVE_WAIT_MS_MAX has passed or the signal aborts. */
export async function reserveWithin(
  attempt: () => Promise<ReserveResult>,
  { clock, signal }: ReserveWithinOptions,
): Promise<ReserveResult> {
  // Counted in waits: the clock's time may jump.
  for (let waitedMs = 0; ; waitedMs += RESERVE_RETRY_MS) {
    signal?.throwIfAborted();
    const result = await attempt();
    if (result.kind === "granted" || result.spent || waitedMs >= RESERVE_WAIT_MS_MAX) return result;
    await pause(clock, signal);
  }
}

function pause(clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.schedule(RESERVE_RETRY_MS, done);
    signal?.addEventListener("abort", done);
  });
}
