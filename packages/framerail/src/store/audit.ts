// The audit log: what was done, and on whose word. Rows are added and read, never changed; the database refuses it.
// Owns: the rows' SQL. Does not own: which actions a turn has (ledger/turn-audit.ts), when rows are written
// (ledger/audit-writer.ts).
//   A1. A row's chain is made here, from its parent's: from the message that started it down to the row itself. Nobody
//       hands a chain in, so none can be forged [R-7-1, R-15.6-3].
//   A2. A row whose parent is neither in the log nor among the rows given, or is one of another session or tenant, stops
//       them all: PROVENANCE_INVALID, and nothing is written [R-7-3].
//   A3. A row that is written again, by an attempt whose end was unknown, changes nothing.

import type { Json } from "@framerail/protocol";
import { FramerailError, formatTimestamp } from "@framerail/protocol";
import { INTEGER_MAX, TIME_MS_MAX } from "./checked-value.js";
import { toJsonb } from "./json.js";
import type { Sql } from "./sql.js";
import { isUuid } from "./uuid.js";

export const ACTION_TYPES = [
  "message_received",
  "message_completed",
  "tool_call",
  "checkpoint_created",
  "session_reset",
  "approval_requested",
  "approval_resolved",
  "budget_warning",
  "budget_critical",
  "budget_exhausted",
] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** The one action without a parent: everything else happens because of a message. */
const ROOT = "message_received" satisfies ActionType;
/** Deeper than any agent calls agents. */
export const CHAIN_LINKS_MAX = 64;
/** What one read of a session's actions gives at most. */
export const ACTIONS_MAX = 1_000;

export interface AuditRow {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string | null;
  readonly actionType: ActionType;
  /** The action because of which this one was done; null for `message_received` alone. */
  readonly parentId: string | null;
  readonly detail: { readonly [field: string]: Json };
  readonly durationMs: number | null;
  /** Epoch milliseconds; null is the database's own clock at the write. */
  readonly occurredAt: number | null;
}

export interface ChainLink {
  readonly id: string;
  readonly action_type: string;
}

/** A row as it is read. */
export interface AuditedAction extends AuditRow {
  readonly occurredAt: number;
  readonly chain: readonly ChainLink[];
}

/** The tenant, and what chainedRows gives. */
export const AUDIT_COLUMNS = `org_id, id, session_id, turn_id, action_type, parent_id, provenance_chain, detail,
  duration_ms, occurred_at`;

/**
 * Of the rows of auditValues in `place`, those with a parent in the log, or that need none there, in the order of
 * AUDIT_COLUMNS after the tenant. Any row that is not among them has no chain, and then none may be written (A2).
 * Parents are looked up one by one, by their key: a planner that guesses wrong would read all that the tenant ever did.
 */
export const chainedRows = (place: string) => `
  select g.id, g.session_id, g.turn_id, g.action_type, g.parent_id, coalesce(p.provenance_chain, '[]') || g.links as chain,
    g.detail, g.duration_ms, coalesce(g.occurred_at, now()) as occurred_at
  from jsonb_to_recordset(${place}::jsonb) as g (id uuid, session_id uuid, turn_id uuid, action_type text, parent_id uuid,
    stored_parent_id uuid, links jsonb, detail jsonb, duration_ms integer, occurred_at timestamptz)
  left join lateral (
    select id, session_id, provenance_chain from agent_audit_log
    where org_id = current_org() and id = g.stored_parent_id limit 1
  ) p on p.session_id = g.session_id
  where (p.id is not null or g.stored_parent_id is null)
    and coalesce(jsonb_array_length(p.provenance_chain), 0) + jsonb_array_length(g.links) <= ${CHAIN_LINKS_MAX}`;

const INSERT = `with chained as (${chainedRows("$1")}), written as (
    insert into agent_audit_log (${AUDIT_COLUMNS}) select current_org(), chained.* from chained
      where (select count(*) from chained) = $2
      on conflict (org_id, id) do nothing returning id
  ) select (select count(*) from chained) = $2 as valid, (select count(*) from written) as written`;

/** Writes rows that may be each other's parents, in any order, and gives how many of them are new. Throws PROVENANCE_INVALID. */
export async function insertAuditRows(sql: Sql, rows: readonly AuditRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const [answer] = await sql.query<{ valid: boolean; written: number }>(INSERT, auditValues(rows));
  if (!answer?.valid) throw invalidProvenance();
  return answer.written;
}

/** The rows as JSON, each with the part of its chain that the rows themselves make, and their number. Throws PROVENANCE_INVALID. */
export function auditValues(rows: readonly AuditRow[]): [json: string, count: number] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  if (byId.size < rows.length) throw invalidProvenance();
  return [toJsonb(rows.map((row) => ({ ...columnsOf(row), ...traceUp(row, byId) }))), rows.length];
}

/** Up from a row to the first parent that is not among the rows: that one must be in the log. */
function traceUp(row: AuditRow, byId: ReadonlyMap<string, AuditRow>) {
  const links: ChainLink[] = [];
  for (let at = row; ; ) {
    const { id, actionType, parentId } = at;
    links.unshift({ id, action_type: actionType });
    const isLost = (actionType === ROOT) !== (parentId === null) || (parentId !== null && !isUuid(parentId));
    // Rows in a circle are found by the length too.
    if (isLost || links.length > CHAIN_LINKS_MAX) throw invalidProvenance();
    const parent = parentId === null ? undefined : byId.get(parentId);
    if (parent === undefined) return { stored_parent_id: parentId, links };
    if (parent.sessionId !== row.sessionId) throw invalidProvenance();
    at = parent;
  }
}

function columnsOf(row: AuditRow) {
  return {
    id: row.id,
    session_id: row.sessionId,
    turn_id: row.turnId,
    action_type: row.actionType,
    parent_id: row.parentId,
    detail: row.detail,
    duration_ms: row.durationMs === null ? null : Math.min(row.durationMs, INTEGER_MAX),
    occurred_at: row.occurredAt === null ? null : formatTimestamp(Math.min(row.occurredAt, TIME_MS_MAX)),
  };
}

export function invalidProvenance(): FramerailError {
  return new FramerailError("PROVENANCE_INVALID", "an action must lead back to the message that started it");
}

/** The chain of one action of a session; undefined where the session has no such action. */
export async function readChain(
  sql: Sql,
  sessionId: string,
  actionId: string,
): Promise<readonly ChainLink[] | undefined> {
  const [row] = await sql.query<{ chain: ChainLink[] }>(
    `select provenance_chain as chain from agent_audit_log
     where org_id = current_org() and id = $1 and session_id = $2`,
    [actionId, sessionId],
  );
  return row?.chain;
}

/** The message that a turn began with, as an action; undefined where none was written. */
export async function findRoot(
  sql: Sql,
  turnId: string,
): Promise<{ readonly id: string; readonly sessionId: string } | undefined> {
  const [root] = await sql.query<{ id: string; sessionId: string }>(
    `select a.id, a.session_id as "sessionId"
     from turns t
     join agent_audit_log a on a.org_id = t.org_id and a.session_id = t.session_id and a.turn_id = t.id
     where t.org_id = current_org() and t.id = $1 and a.action_type = '${ROOT}'
     order by a.occurred_at limit 1`,
    [turnId],
  );
  return root;
}

/** The first ACTIONS_MAX actions of a session, in the order they happened, of one type or of all. */
export function readActions(sql: Sql, sessionId: string, actionType?: ActionType): Promise<AuditedAction[]> {
  return sql.query<AuditedAction>(
    `select id, session_id as "sessionId", turn_id as "turnId", action_type as "actionType", parent_id as "parentId",
       provenance_chain as chain, detail, duration_ms as "durationMs", occurred_at as "occurredAt"
     from agent_audit_log
     where org_id = current_org() and session_id = $1 and ($2::text is null or action_type = $2)
     order by occurred_at, jsonb_array_length(provenance_chain), id limit ${ACTIONS_MAX}`,
    [sessionId, actionType ?? null],
  );
}
