// Budgets and their books: what a period has used (settled) and what calls under way may still use (reserved).
// Owns: the rows' SQL, where a period begins, the order of locks. Does not own: what is granted, thresholds
// (ledger/budgets.ts).
//   B1. Periods begin at midnight UTC by the database's clock, or by `at` where a caller says which time it is.
//   B2. Whoever changes books holds their rows, always taken in the order of budget, then period: two budgets of one call
//       cannot lock each other out.
//   B3. A reservation is given back once. Who comes second finds it gone, and changes nothing.

import { formatTimestamp } from "@framerail/protocol";
import type { Sql } from "./sql.js";

export const BUDGET_PERIODS = ["day", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export interface Budget {
  readonly id: string;
  /** Null: the whole tenant's. */
  readonly agentId: string | null;
  readonly tokenLimit: number;
  readonly period: BudgetPeriod;
}

/** A budget and its books of one period. */
export interface BudgetBooks extends Budget {
  readonly periodStart: number;
  readonly settledTokens: number;
  readonly reservedTokens: number;
  /** The highest threshold that was audited. */
  readonly auditedPercent: number;
}

export interface SettledBooks extends BudgetBooks {
  readonly turnId: string;
}

const startOf = (period: string, at: string) =>
  `case ${period} when 'total' then 'epoch'::timestamptz else date_trunc(${period}, coalesce(${at}::timestamptz, now()), 'UTC') end`;

const BUDGET = `b.id, b.agent_id as "agentId", b.token_limit as "tokenLimit", b.period`;
const BOOKS = `p.period_start as "periodStart", p.settled_tokens as "settledTokens",
  p.reserved_tokens as "reservedTokens", p.audited_percent as "auditedPercent"`;

const atValue = (at: number | undefined) => (at === undefined ? null : new Date(at));

/**
 * Makes or changes the budget of an agent or of the tenant. One that is new, or has a new period, begins with what the
 * period has used already by the usage rows.
 */
export async function upsertBudget(sql: Sql, { id, agentId, tokenLimit, period }: Budget, at?: number): Promise<void> {
  await sql.query(
    `with before as (
       select period from budgets where org_id = current_org() and agent_id is not distinct from $2::text
     ), put as (
       insert into budgets (org_id, id, agent_id, token_limit, period) values (current_org(), $1, $2, $3, $4)
       on conflict (org_id, agent_id) do update
         set token_limit = excluded.token_limit, period = excluded.period, updated_at = now()
       returning id, agent_id, ${startOf("period", "$5")} as period_start
     )
     insert into budget_periods as p (org_id, budget_id, period_start, settled_tokens)
     select current_org(), put.id, put.period_start, (
       select coalesce(sum(u.input_tokens + u.output_tokens), 0) from llm_usage_events u
       where u.org_id = current_org() and u.occurred_at >= put.period_start
         and (put.agent_id is null or u.agent_id = put.agent_id))
     from put where not exists (select from before where before.period = $4)
     on conflict (org_id, budget_id, period_start) do update
       set settled_tokens = greatest(p.settled_tokens, excluded.settled_tokens)`,
    [id, agentId, tokenLimit, period, atValue(at)],
  );
}

/** The tenant's budgets, or those that count for one agent, with the books of the period that is now. */
export function readBooks(sql: Sql, agentId?: string, at?: number): Promise<BudgetBooks[]> {
  return sql.query<BudgetBooks>(
    `select ${BUDGET}, s.period_start as "periodStart", coalesce(p.settled_tokens, 0) as "settledTokens",
       coalesce(p.reserved_tokens, 0) as "reservedTokens", coalesce(p.audited_percent, 0) as "auditedPercent"
     from budgets b
     cross join lateral (select ${startOf("b.period", "$2")} as period_start) s
     left join budget_periods p on p.org_id = b.org_id and p.budget_id = b.id and p.period_start = s.period_start
     where b.org_id = current_org() and ($1::text is null or b.agent_id is null or b.agent_id = $1)
     order by b.agent_id nulls first`,
    [agentId ?? null, atValue(at)],
  );
}

/** The books that a call of the agent is charged to, held until the transaction ends (B2). */
export async function lockBooks(sql: Sql, agentId: string, at?: number): Promise<BudgetBooks[]> {
  const values = [agentId, atValue(at)];
  // Sent together, run one after the other: the second statement must see what the first one and others inserted.
  const [, books] = await Promise.all([
    sql.query(
      `insert into budget_periods (org_id, budget_id, period_start)
       select b.org_id, b.id, ${startOf("b.period", "$2")} from budgets b
       where b.org_id = current_org() and (b.agent_id is null or b.agent_id = $1)
       order by b.id
       on conflict do nothing`,
      values,
    ),
    sql.query<BudgetBooks>(
      `select ${BUDGET}, ${BOOKS} from budgets b
       join budget_periods p on p.org_id = b.org_id and p.budget_id = b.id
         and p.period_start = ${startOf("b.period", "$2")}
       where b.org_id = current_org() and (b.agent_id is null or b.agent_id = $1)
       order by p.budget_id, p.period_start
       for update of p`,
      values,
    ),
  ]);
  return books;
}

export interface Reservation {
  readonly id: string;
  readonly turnId: string;
  readonly tokens: number;
}

/** Only under `lockBooks`. False where the tenant has no such turn. */
export async function insertReservation(
  sql: Sql,
  { id, turnId, tokens }: Reservation,
  books: readonly BudgetBooks[],
): Promise<boolean> {
  const rows = await sql.query(
    `with held as (
       insert into budget_reservations (org_id, id, budget_id, period_start, turn_id, tokens)
       select t.org_id, $1, b.budget_id, b.period_start, t.id, $3
       from turns t, unnest($4::uuid[], $5::timestamptz[]) as b (budget_id, period_start)
       where t.org_id = current_org() and t.id = $2
       returning budget_id, period_start, tokens
     )
     update budget_periods p set reserved_tokens = p.reserved_tokens + held.tokens
     from held where p.org_id = current_org() and p.budget_id = held.budget_id and p.period_start = held.period_start
     returning p.budget_id`,
    [id, turnId, tokens, books.map((book) => book.id), books.map(({ periodStart }) => formatTimestamp(periodStart))],
  );
  return rows.length === books.length;
}

/** Whether a share of any budget is held under this id. */
export async function hasReservation(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql.query("select from budget_reservations where org_id = current_org() and id = $1 limit 1", [
    id,
  ]);
  return rows.length > 0;
}

const settleWhere = (which: string) => `
with held as (
  select p.budget_id, p.period_start from budget_periods p
  where p.org_id = current_org() and exists (
    select from budget_reservations r
    where r.org_id = p.org_id and r.budget_id = p.budget_id and r.period_start = p.period_start and ${which})
  order by p.budget_id, p.period_start
  for update
), released as (
  delete from budget_reservations r using held
  where r.org_id = current_org() and r.budget_id = held.budget_id and r.period_start = held.period_start and ${which}
  returning r.budget_id, r.period_start, r.turn_id, r.tokens
), used as (
  select budget_id, period_start, turn_id, sum(tokens)::bigint as reserved,
    sum(coalesce($2::bigint, tokens))::bigint as settled
  from released group by budget_id, period_start, turn_id
), booked as (
  update budget_periods p
  set reserved_tokens = p.reserved_tokens - used.reserved, settled_tokens = p.settled_tokens + used.settled
  from used where p.org_id = current_org() and p.budget_id = used.budget_id and p.period_start = used.period_start
  returning p.budget_id, p.period_start, p.settled_tokens, p.reserved_tokens, p.audited_percent, used.turn_id
)
select ${BUDGET}, ${BOOKS}, p.turn_id as "turnId" from booked p
join budgets b on b.org_id = current_org() and b.id = p.budget_id
order by b.id`;

const SETTLE = settleWhere("r.id = $1");
const SETTLE_TURN = settleWhere("r.turn_id = $1");

/** Gives a reservation back and adds what was used instead; the books afterwards, none where it was settled before (B3). */
export function settleReservation(sql: Sql, reservationId: string, usedTokens: number): Promise<SettledBooks[]> {
  return sql.query<SettledBooks>(SETTLE, [reservationId, usedTokens]);
}

/** The same for all that a turn left open: what was reserved counts as used. */
export function settleOpenReservations(sql: Sql, turnId: string): Promise<SettledBooks[]> {
  return sql.query<SettledBooks>(SETTLE_TURN, [turnId, null]);
}

/** Only while the books are held. */
export async function markAudited(sql: Sql, { id, periodStart }: BudgetBooks, percent: number): Promise<void> {
  await sql.query(
    `update budget_periods set audited_percent = greatest(audited_percent, $3)
     where org_id = current_org() and budget_id = $1 and period_start = $2`,
    [id, new Date(periodStart), percent],
  );
}
