// Cancels a turn wherever it runs, and waits for its end [G5, W-CAN-6].
//   X1. Here it acts in this tick. Elsewhere its owner is asked, again and again: what is asked may be lost.
//   X2. A turn that has ended is left alone: cancelling is idempotent.

import type { Clock } from "@framerail/protocol";
import type { Dispatcher } from "./dispatcher.js";
import { CANCEL_AGAIN_MS, CANCEL_MS_MAX } from "./limits.js";
import type { Replicas } from "./replicas.js";
import { settleWithin } from "./settle-within.js";

export interface CancelOptions {
  readonly dispatcher: Dispatcher;
  readonly replicas?: Replicas | undefined;
  readonly clock: Clock;
}

export interface CancelRequest {
  readonly turnId: string;
  readonly owner: string;
  /** Looks the turn up anew. */
  hasEnded(): Promise<boolean>;
}

/** True when the turn has ended, false when it had not within CANCEL_MS_MAX. */
export async function cancelTurn(options: CancelOptions, { turnId, owner, hasEnded }: CancelRequest): Promise<boolean> {
  const { dispatcher, replicas, clock } = options;
  for (let waitedMs = 0; ; waitedMs += CANCEL_AGAIN_MS) {
    const local = dispatcher.running(turnId);
    if (local !== undefined) {
      local.cancel();
      // An end that could not be stored is heard by whoever seals it; here it is a turn that has not ended yet.
      await settleWithin(local.ended, CANCEL_MS_MAX - waitedMs, clock);
      return await hasEnded();
    }
    if (await hasEnded()) return true;
    if (waitedMs >= CANCEL_MS_MAX) return false;
    // Whoever cannot be asked now is asked again (X1).
    await replicas?.askCancel(owner, turnId).catch(() => undefined);
    await wait(clock, CANCEL_AGAIN_MS);
  }
}

function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.schedule(Math.max(0, ms), resolve));
}
