// One step of a turn, wherever it runs: in this process, or on a worker at the other end of a wire. Dispatch runs turns
// by this port alone and knows no agent.

import type { AgentEvent } from "@framerail/protocol";

export interface StepContext {
  readonly events: StepEvents;
  /** Asked before each model call; absent where nobody keeps books. */
  readonly budget?: CallBudget | undefined;
  /** Aborted when the turn ends before the step does; the reason is a FramerailError. */
  readonly signal: AbortSignal;
}

export interface StepEvents {
  /** Takes the step's events, in order. */
  accept(event: AgentEvent, emitter: string): void;
  /** Resolves when there is room for more. */
  ready(): Promise<void>;
}

/** What the model calls of a step may use [D-16]. */
export interface CallBudget {
  /**
   * Resolves when the call may be made, to the function that tells what it used, or that it was not made; rejects with
   * BUDGET_EXHAUSTED.
   */
  reserve(call: PlannedCall, signal: AbortSignal): Promise<(usedTokens: number | undefined) => Promise<void>>;
}

/** A model call as it is known before it is made, by estimate. */
export interface PlannedCall {
  readonly model: string;
  readonly inputTokens: number;
  /** Of the input. */
  readonly cost?: number | undefined;
  readonly outputTokens: number;
}

export type StepEnd =
  | { readonly kind: "completed" }
  | { readonly kind: "paused"; readonly limit: "state_limit" | "time_limit" };

export interface StepRunner {
  /** Runs the step to its end. Rejects for a fatal failure; outcome-of-error.ts says what that means for the turn. */
  run(context: StepContext): Promise<StepEnd>;
}
