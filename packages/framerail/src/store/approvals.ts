// The table `approvals`: what a tool may do only once a person said yes [G10].
// Owns: the life of an approval. Does not own: who waits for it, and what a denial means for the turn.
//   P1. It is resolved once: whoever comes second is told the first answer and changes nothing.
//   P2. It stands for one digest of one tool with its arguments in one session, and is used at most once.
//   P3. After its expiry, on the database's clock, it can be neither resolved nor used.
//   P4. A turn that is cancelled takes back what was not used, also what was approved: its tool must not run later.

import type { Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { notFound, requireCount, requireSize, requireText, requireTextOrNull, requireUuid } from "./checked-value.js";
import { toJsonb } from "./json.js";
import type { Sql } from "./sql.js";
import { isUuid } from "./uuid.js";

/** The oldest that a list shows. */
export const APPROVALS_LISTED_MAX = 1_000;

export type ApprovalStatus = "pending" | "approved" | "denied" | "expired" | "withdrawn" | "used";

export interface Approval {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly digest: string;
  readonly summary: Json;
  readonly status: ApprovalStatus;
  readonly note: string | null;
  readonly resolvedBy: string | null;
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly resolvedAt: number | null;
}

export interface ApprovalRequest {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly digest: string;
  /** What the person who decides is shown. */
  readonly summary: Json;
  readonly expiresInMs: number;
}

export interface ApprovalAnswer {
  readonly approvalId: string;
  /** Whose session it must be; undefined for a caller who speaks for the tenant. */
  readonly userId: string | undefined;
  readonly approved: boolean;
  readonly by: string;
  readonly note?: string;
}

const COLUMNS = `id, session_id as "sessionId", turn_id as "turnId", tool_call_id as "toolCallId",
  tool_name as "toolName", digest, summary, status, note, resolved_by as "resolvedBy",
  requested_at as "requestedAt", expires_at as "expiresAt", resolved_at as "resolvedAt"`;

/** Asks, once per tool call: the same call gets the approval it already has. */
export async function requestApproval(sql: Sql, request: ApprovalRequest): Promise<Approval> {
  const turnId = requireUuid("turn id", request.turnId);
  const toolCallId = requireText("tool call id", request.toolCallId);
  const [made] = await sql.query<Approval>(
    `insert into approvals
      (org_id, id, session_id, turn_id, tool_call_id, tool_name, digest, summary, requested_at, expires_at)
    select current_org(), $1, session_id, id, $4, $5, $6, $7::jsonb, now(), now() + $8::integer * interval '1 millisecond'
    from turns where org_id = current_org() and id = $2 and session_id = $3
    on conflict (org_id, turn_id, tool_call_id) do nothing returning ${COLUMNS}`,
    [
      requireUuid("approval id", request.id),
      turnId,
      requireUuid("session id", request.sessionId),
      toolCallId,
      requireText("tool name", request.toolName),
      requireText("digest", request.digest),
      requireSize("summary", toJsonb(request.summary)),
      requireCount("expires_in_ms", request.expiresInMs),
    ],
  );
  if (made !== undefined) return made;
  const [there] = await sql.query<Approval>(
    `select ${COLUMNS} from approvals
    where org_id = current_org() and turn_id = $1 and tool_call_id = $2 and session_id = $3`,
    [turnId, toolCallId, request.sessionId],
  );
  if (there === undefined) throw notFound("turn of this session");
  if (there.digest !== request.digest) {
    throw new FramerailError("INVARIANT_VIOLATION", "a tool call cannot ask for two different approvals");
  }
  return there;
}

/** What still waits for an answer in a session, oldest first. */
export async function listPendingApprovals(sql: Sql, sessionId: string): Promise<Approval[]> {
  if (!isUuid(sessionId)) return [];
  return sql.query<Approval>(
    `select ${COLUMNS} from approvals
    where org_id = current_org() and session_id = $1 and status = 'pending' and expires_at > now()
    order by requested_at, id limit $2`,
    [sessionId, APPROVALS_LISTED_MAX],
  );
}

/** `first` is false for whoever came too late; the approval then says what was decided, or that it expired (P1, P3). */
export async function resolveApproval(
  sql: Sql,
  { approvalId, userId, approved, by, note }: ApprovalAnswer,
): Promise<{ readonly first: boolean; readonly approval: Approval }> {
  if (!isUuid(approvalId)) throw notFound("approval");
  const owner = requireTextOrNull("user id", userId);
  const [resolved] = await sql.query<Approval>(
    `update approvals set status = $3, resolved_by = $4, note = $5, resolved_at = now()
    where org_id = current_org() and id = $1 and status = 'pending' and expires_at > now() and ${SESSION_IS_OF_USER}
    returning ${COLUMNS}`,
    [approvalId, owner, approved ? "approved" : "denied", requireText("resolver", by), requireTextOrNull("note", note)],
  );
  if (resolved !== undefined) return { first: true, approval: resolved };
  // A new statement sees what the one we waited for has committed.
  const [there] = await sql.query<Approval>(
    `select ${COLUMNS} from approvals where org_id = current_org() and id = $1 and ${SESSION_IS_OF_USER}`,
    [approvalId, owner],
  );
  if (there === undefined) throw notFound("approval");
  return { first: false, approval: there.status === "pending" ? { ...there, status: "expired" } : there };
}

const SESSION_IS_OF_USER = `($2::text is null or exists (select from agent_sessions as session
  where session.org_id = current_org() and session.id = approvals.session_id and session.user_id = $2))`;

/** Takes the oldest approval of this very call, for good; undefined when there is none to take (P2, P3). */
export async function useApproval(
  sql: Sql,
  { sessionId, digest }: { readonly sessionId: string; readonly digest: string },
): Promise<Approval | undefined> {
  // One that somebody else is taking at this moment is passed over, not waited for.
  const [used] = await sql.query<Approval>(
    `update approvals set status = 'used' where org_id = current_org() and id = (
      select id from approvals
      where org_id = current_org() and session_id = $1 and digest = $2 and status = 'approved' and expires_at > now()
      order by requested_at, id limit 1 for update skip locked
    ) returning ${COLUMNS}`,
    [requireUuid("session id", sessionId), requireText("digest", digest)],
  );
  return used;
}

/** Marks what nobody answered in time, for the whole tenant, and gives it. */
export function expireApprovals(sql: Sql): Promise<Approval[]> {
  return sql.query<Approval>(
    `update approvals set status = 'expired', resolved_at = expires_at
    where org_id = current_org() and status = 'pending' and expires_at <= now() returning ${COLUMNS}`,
  );
}

/** Takes back what a turn asked for and has not used (P4). */
export function withdrawApprovals(sql: Sql, turnId: string): Promise<Approval[]> {
  return sql.query<Approval>(
    `update approvals set status = 'withdrawn', resolved_at = coalesce(resolved_at, now())
    where org_id = current_org() and turn_id = $1 and status in ('pending', 'approved') returning ${COLUMNS}`,
    [requireUuid("turn id", turnId)],
  );
}
