// What a model call may use: asked for before each call, and settled after it [D-16]. The runtime keeps the books, and notes
// the call, so that it is accounted for whatever becomes of this process [G9]; an agent that runs without one, in a test
// for instance, asks nobody.

export interface CallBudget {
  /**
   * Resolves when the call may be made, to the function that tells what it has used. Rejects with BUDGET_EXHAUSTED: the
   * call must not be made.
   */
  reserve(call: PlannedCall, signal: AbortSignal): Promise<SettleCall>;
}

export interface PlannedCall {
  readonly model: string;
  /** What is sent, about. */
  readonly inputTokens: number;
  /** Of what is sent; absent for a model without a price. */
  readonly cost?: number | undefined;
  /** What it answers with at most, about. */
  readonly outputTokens: number;
}

/** Undefined: the call was not made. */
export type SettleCall = (usedTokens: number | undefined) => Promise<void>;
