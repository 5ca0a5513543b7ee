// Model calls under way: noted before the model is asked, so that a process that dies in the middle of one has not spent
// in secret [G9].
// Owns: the notes' SQL. Does not own: which row a note becomes (ledger/turn-calls.ts), the commit that ends it
// (turn-end.ts), budgets.
//   O1. A note is fenced: only the owner of the present epoch writes one. Its turn is held meanwhile, so that who has taken
//       the turn over finds every note there will ever be.
//   O2. Noted again, after an answer that was lost, a call has one note.
//   O3. Where no budget counts, a note is one trip to the database.

import type { Database } from "./database.js";
import { toJsonb } from "./json.js";
import type { Sql } from "./sql.js";
import { stale } from "./turns.js";

export interface OpenCall {
  /** The number of the model call within its turn, from 1. */
  readonly call: number;
  readonly model: string;
  /** Of what is sent; estimated, as the answer is not known. */
  readonly inputTokens: number;
  /** Decimal, nine places at most. */
  readonly costUsd: string;
  /** How many calls of the turn had told their figures when it began. */
  readonly told: number;
  readonly begunAt: number;
}

export interface CallNote {
  readonly turnId: string;
  readonly epoch: number;
  readonly call: OpenCall;
}

const valuesOf = ({ turnId, epoch, call }: CallNote) => [turnId, epoch, toJsonb(call)];

// O1, O2
const noteWhere = (condition: string) => `with ours as (
    select org_id, id from turns
      where org_id = current_org() and id = $1 and epoch = $2 and status = 'running' for share
  ), noted as (
    insert into open_calls (org_id, turn_id, call, model, input_tokens, cost_usd, told, begun_at)
      select ours.org_id, ours.id, g.call, g.model, g."inputTokens", g."costUsd", g.told,
          'epoch'::timestamptz + g."begunAt" * interval '1 millisecond'
        from ours, jsonb_to_record($3::jsonb) as g (call integer, model text, "inputTokens" bigint, "costUsd" numeric,
          told integer, "begunAt" bigint)
        where ${condition}
      on conflict do nothing
  )`;

const NOTE = `${noteWhere("true")} select exists (select from ours) as ours`;

const IS_BUDGETED = `exists (
    select from budgets where org_id = current_org() and (agent_id is null or agent_id = $4))`;
const NOTE_UNBUDGETED = `${noteWhere(`not ${IS_BUDGETED}`)}
  select exists (select from ours) as ours, ${IS_BUDGETED} as budgeted`;

/** Throws STALE_EPOCH: the call must not be made. */
export async function noteCall(sql: Sql, note: CallNote): Promise<void> {
  const [found] = await sql.query<{ ours: boolean }>(NOTE, valuesOf(note));
  if (found?.ours !== true) throw stale(note.turnId);
}

/** False, and nothing is noted, where the agent's calls count for a budget (O3). Throws STALE_EPOCH. */
export async function noteUnbudgetedCall(
  database: Database,
  orgId: string,
  { agentId, note }: { readonly agentId: string; readonly note: CallNote },
): Promise<boolean> {
  const [found] = await database.asTenant<{ ours: boolean; budgeted: boolean }>(orgId, {
    text: NOTE_UNBUDGETED,
    values: [...valuesOf(note), agentId],
  });
  if (found?.ours !== true) throw stale(note.turnId);
  return !found.budgeted;
}

/** What is noted of a turn, in the order in which its calls began. */
export function readOpenCalls(database: Database, orgId: string, turnId: string): Promise<OpenCall[]> {
  return database.asTenant<OpenCall>(orgId, {
    text: `select call, model, input_tokens as "inputTokens", cost_usd as "costUsd", told, begun_at as "begunAt"
      from open_calls where org_id = current_org() and turn_id = $1 order by call`,
    values: [turnId],
  });
}

/** Takes away the notes of the turn `id`, if there is a row in `turn`. */
export const closeCalls = (id: string, turn: string) =>
  `delete from open_calls where org_id = current_org() and turn_id = ${id} and exists (select from ${turn})`;
