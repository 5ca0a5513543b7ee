// What a model call may use: asked for before each call, and settled after it [D-16]. The runtime keeps the books; an agent
// that runs without one, in a test for instance, asks nobody.

export interface CallBudget {
  /**
   * Resolves when a call of about so many tokens may be made, to the function that tells what it has used. Rejects with
   * BUDGET_EXHAUSTED: the call must not be made.
   */
  reserve(estimateTokens: number, signal: AbortSignal): Promise<SettleCall>;
}

export type SettleCall = (usedTokens: number) => Promise<void>;
