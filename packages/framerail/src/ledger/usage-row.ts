// The ledger's row of one model call, from the event that tells it.
// Owns: the reading of a metrics event. Does not own: the rows (store/usage.ts), the prices (the model's adapter).
//   U1. A call always gets its row: a number that the table cannot hold becomes the largest it can, and the row is marked
//       as estimated [G9].

import type { EventOf } from "@framerail/protocol";
import type { UsageRow } from "../store/usage.js";

/** The largest cost of a row, and the places behind its point. */
const COST_USD_MAX = 999_999_999;
const COST_PLACES = 9;
const MS_MAX = 2_147_483_647;

export interface UsageCall {
  readonly turnId: string;
  /** The number of the model call within its turn, from 1. */
  readonly call: number;
  /** On the orchestrator's clock: a worker's own time bills nobody [R-6-4]. */
  readonly occurredAt: number;
}

export function usageRowOf(event: EventOf<"metrics">, { turnId, call, occurredAt }: UsageCall): UsageRow {
  const { tokens, cost = 0, ttft_ms = 0, total_ms = 0, estimated = false } = event;
  const { costUsd, isCut } = costUsdOf(cost);
  const tooMuch = isCut || ttft_ms > MS_MAX || total_ms > MS_MAX;
  return {
    turnId,
    call,
    model: event.model,
    inputTokens: tokens.input_tokens,
    outputTokens: tokens.output_tokens,
    reasoningTokens: tokens.reasoning_tokens,
    cachedTokens: tokens.cached_tokens,
    costUsd,
    ttftMs: Math.min(ttft_ms, MS_MAX),
    totalMs: Math.min(total_ms, MS_MAX),
    estimated: estimated || tooMuch,
    occurredAt,
  };
}

/** As rows hold it; `isCut`: it is more than they can hold (U1). */
export function costUsdOf(cost: number): { readonly costUsd: string; readonly isCut: boolean } {
  return { costUsd: Math.min(cost, COST_USD_MAX).toFixed(COST_PLACES), isCut: cost > COST_USD_MAX };
}
