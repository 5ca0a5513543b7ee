// What model calls have used: one row for each, whatever became of it [G9].
// Owns: the rows' SQL and their sums. Does not own: how a row comes from an event (ledger/usage-row.ts), the commit that
// writes it (turn-end.ts), budgets.
//   U1. Tenant, session and agent are the turn's own, read from it: a row cannot be charged to somebody else [R-6-1].
//   U2. Money is decimal from the row to the sum and never a binary fraction.
//   U3. A call has one row, whatever is written again.

import { FramerailError } from "@framerail/protocol";
import { requireTextOrNull, requireTime } from "./checked-value.js";
import type { Sql } from "./sql.js";

/** Groups that one question is answered with at most. */
export const USAGE_GROUPS_MAX = 10_000;

export interface UsageRow {
  readonly turnId: string;
  /** The number of the model call within its turn, from 1. */
  readonly call: number;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of the output. */
  readonly reasoningTokens: number;
  /** Part of the input. */
  readonly cachedTokens: number;
  /** Decimal, nine places at most. */
  readonly costUsd: string;
  readonly ttftMs: number;
  readonly totalMs: number;
  readonly estimated: boolean;
  /** Epoch milliseconds on the orchestrator's clock, which bills [R-6-4]. */
  readonly occurredAt: number;
}

/**
 * Writes the rows of `place`, JSON of UsageRow[], whose turn is among `turns`, which has org_id, id, session_id and
 * agent_id (U1, U3).
 */
export const writeUsage = (place: string, turns: string) => `
  insert into llm_usage_events (org_id, turn_id, call, session_id, agent_id, model, input_tokens, output_tokens,
    reasoning_tokens, cached_tokens, cost_usd, ttft_ms, total_ms, estimated, occurred_at)
  select t.org_id, t.id, g.call, t.session_id, t.agent_id, g.model, g."inputTokens", g."outputTokens",
    g."reasoningTokens", g."cachedTokens", g."costUsd", g."ttftMs", g."totalMs", g.estimated,
    'epoch'::timestamptz + g."occurredAt" * interval '1 millisecond'
  from ${turns} t
  join jsonb_to_recordset(${place}::jsonb) as g ("turnId" uuid, call integer, model text, "inputTokens" bigint,
    "outputTokens" bigint, "reasoningTokens" bigint, "cachedTokens" bigint, "costUsd" numeric, "ttftMs" integer,
    "totalMs" integer, estimated boolean, "occurredAt" bigint) on g."turnId" = t.id
  on conflict (org_id, turn_id, call) do nothing`;

export function callOfNoTurn(): FramerailError {
  return new FramerailError("NOT_FOUND", "a model call of no turn");
}

const GROUPS = {
  day: `to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD')`,
  agent: "agent_id",
  model: "model",
} as const;
export type UsageGroup = keyof typeof GROUPS;

export interface UsageQuestion {
  /** Epoch milliseconds: from here, up to but not including there. */
  readonly from: number;
  readonly to: number;
  readonly agentId?: string;
  readonly groupBy: readonly UsageGroup[];
}

export interface UsageSum {
  /** In UTC, `2026-05-15`. This and the next two only where they were grouped by. */
  readonly day?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly calls: number;
  /** Of the calls, those whose counts are estimates. */
  readonly estimatedCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
  /** Exact, in decimal (U2). */
  readonly costUsd: string;
}

/** Sums of a span of time, the first USAGE_GROUPS_MAX groups in their order. Without groups, one sum. */
export function sumUsage(sql: Sql, { from, to, agentId, groupBy }: UsageQuestion): Promise<UsageSum[]> {
  const groups = [...new Set(groupBy)];
  const columns = groups.map((group) => `${GROUPS[group]} as "${group}", `).join("");
  const places = groups.map((_, index) => index + 1).join(", ");
  return sql.query<UsageSum>(
    `select ${columns}count(*) as calls, count(*) filter (where estimated) as "estimatedCalls",
       coalesce(sum(input_tokens), 0)::bigint as "inputTokens", coalesce(sum(output_tokens), 0)::bigint as "outputTokens",
       coalesce(sum(reasoning_tokens), 0)::bigint as "reasoningTokens",
       coalesce(sum(cached_tokens), 0)::bigint as "cachedTokens",
       coalesce(sum(cost_usd), 0)::numeric(30, 9)::text as "costUsd"
     from llm_usage_events
     where org_id = current_org() and occurred_at >= $1 and occurred_at < $2 and ($3::text is null or agent_id = $3)
     ${groups.length > 0 ? `group by ${places} order by ${places}` : ""} limit ${USAGE_GROUPS_MAX}`,
    [requireTime("from", from), requireTime("to", to), requireTextOrNull("agent_id", agentId)],
  );
}
