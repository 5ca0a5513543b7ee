// The ledger as callers know it: what was used, what may be used, on whose word something was done.
// Owns: their documents. Does not own: rows and sums (store/), reserving (budgets.ts), chains (provenance.ts).

import type { Database } from "../store/database.js";
import type { UsageQuestion, UsageSum } from "../store/usage.js";
import { sumUsage } from "../store/usage.js";
import { getBudgets, putBudget } from "./budgets.js";
import { readProvenance } from "./provenance.js";

export interface UsageDocument {
  readonly calls: number;
  readonly estimated_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  readonly cached_tokens: number;
  /** Exact, in decimal. */
  readonly cost_usd: string;
  readonly [group: string]: string | number;
}

export interface BudgetDocument {
  readonly budget_id: string;
  readonly agent_id: string | null;
  readonly token_limit: number;
  readonly period: "day" | "month" | "total";
  readonly period_start: number;
  readonly settled_tokens: number;
  readonly reserved_tokens: number;
}

export interface Ledger {
  usage(tenantId: string, question: UsageQuestion): Promise<UsageDocument[]>;
  budgets(tenantId: string): Promise<BudgetDocument[]>;
  putBudget(
    tenantId: string,
    budget: { agentId: string | null; tokenLimit: number; period: BudgetDocument["period"] },
  ): Promise<void>;
  /** Throws NOT_FOUND. */
  provenance(tenantId: string, action: { sessionId: string; actionId: string }): Promise<readonly object[]>;
}

export function createLedger(database: Database): Ledger {
  return {
    async usage(tenantId, question) {
      return (await database.asTenant(tenantId, (sql) => sumUsage(sql, question))).map(usageDocument);
    },
    async budgets(tenantId) {
      return (await getBudgets(database, tenantId)).map((books) => ({
        budget_id: books.id,
        agent_id: books.agentId,
        token_limit: books.tokenLimit,
        period: books.period,
        period_start: books.periodStart,
        settled_tokens: books.settledTokens,
        reserved_tokens: books.reservedTokens,
      }));
    },
    putBudget: (tenantId, budget) => putBudget(database, tenantId, budget),
    provenance: (tenantId, action) => readProvenance(database, tenantId, action),
  };
}

function usageDocument(sum: UsageSum): UsageDocument {
  const { calls, estimatedCalls, inputTokens, outputTokens, reasoningTokens, cachedTokens, costUsd, ...groups } = sum;
  return {
    ...(groups as { readonly [group: string]: string }),
    calls,
    estimated_calls: estimatedCalls,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    reasoning_tokens: reasoningTokens,
    cached_tokens: cachedTokens,
    cost_usd: costUsd,
  };
}
