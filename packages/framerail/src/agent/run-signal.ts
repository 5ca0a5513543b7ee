// The signal a run lives by: the turn's, shortened by the run's own timeout, and deaf to a reader's cancel where the agent
// says that its runs go on in the background [C-33]. Silence and deadlines abort it all the same. That it goes on keeps the turn
// open no longer: what comes after the final commit, 500 ms later at most, is not kept, and no model call is made any more.

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { GraphConfig } from "./graph-config.js";

export interface RunSignal {
  readonly signal: AbortSignal;
  /** Settles as `run` does, or, when the run's own time is over, at once, whatever may still hang in it [P-52]. */
  within<T>(run: Promise<T>): Promise<T>;
  /** Ends what still runs beside the part that failed the run: from then on nobody waits for it. */
  abandon(): void;
  /** Takes the listener and the timer away; called when the run has ended. */
  release(): void;
}

export function openRunSignal(agentId: string, turn: AbortSignal, config: GraphConfig, clock: Clock): RunSignal {
  const own = new AbortController();
  let expire: ((reason: FramerailError) => void) | undefined;
  const follow = () => {
    if (config.enable_cancellation || !isReadersCancel(turn.reason)) own.abort(turn.reason);
  };
  if (turn.aborted) follow();
  else turn.addEventListener("abort", follow);
  const cancelTimeout = clock.schedule(config.execution_timeout, () => {
    const reason = new FramerailError("DEADLINE_EXCEEDED", `agent ${agentId} ran longer than its execution_timeout`);
    own.abort(reason);
    expire?.(reason);
  });
  return {
    signal: own.signal,
    within: (run) =>
      new Promise((resolve, reject) => {
        expire = reject;
        run.then(resolve, reject);
      }),
    abandon: () => own.abort(new FramerailError("CANCELLED", `the run of agent ${agentId} has failed`)),
    release() {
      turn.removeEventListener("abort", follow);
      cancelTimeout();
    },
  };
}

// A cancel for silence has a cause, a reader's has none.
function isReadersCancel(reason: unknown): boolean {
  return isFramerailError(reason) && reason.code === "CANCELLED" && reason.cause === undefined;
}
