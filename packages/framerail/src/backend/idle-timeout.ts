// Silence of an upstream service: a cancellation made by us, not by the client and not by the service [W-CAN-2, C-23].
// Owns: the timer, and the mark by which the error is known. Does not own: what counts as a sign of life, and the
// frame that the client sees (publish/).
//   I1. Only `start` sets the timer again; it is called for events, never for comments or heartbeats [C-23].
//   I2. While `stop`ped no silence is counted: the writer held us back, the service is not to blame [D-6].

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";

/** The `cause` of a CANCELLED error for silence. A registered symbol: whoever ends the turn need not import this. */
export const IDLE_TIMEOUT = Symbol.for("framerail.idle");

export function isIdleTimeout(error: unknown): boolean {
  return isFramerailError(error) && error.code === "CANCELLED" && error.cause === IDLE_TIMEOUT;
}

export interface IdleTimer {
  /** Waits for the whole window from now on. */
  start(): void;
  stop(): void;
}

export function createIdleTimer(clock: Clock, windowMs: number, onIdle: (error: FramerailError) => void): IdleTimer {
  let cancel: (() => void) | undefined;
  const stop = () => {
    cancel?.();
    cancel = undefined;
  };
  return {
    stop,
    start() {
      stop();
      cancel = clock.schedule(windowMs, () => {
        onIdle(new FramerailError("CANCELLED", "the upstream agent was silent for too long", { cause: IDLE_TIMEOUT }));
      });
    },
  };
}
