// The tables `conversations` and `agent_sessions`.
// Owns: which status may follow which, and who may see a session. Does not own: when a status changes (dispatch and
// ledger decide), checkpoints.
//   S1. A session of another tenant or of another user does not exist for the caller [D-12]. A caller who speaks for the
//       tenant itself says `userId: undefined`; it is never left out by accident.
//   S2. A status changes only along TRANSITIONS. The end of a turn changes none [C-25].
//   S3. `loop_count` never goes down, and the snapshot never changes: the database itself refuses that [R-5.1-4].

import type { Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { notFound, requireCount, requireText, requireTextOrNull, requireUuid, toExactJson } from "./checked-value.js";
import type { Sql } from "./sql.js";
import { isUuid } from "./uuid.js";

export type SessionStatus = "initializing" | "active" | "suspended" | "error" | "terminated";

export const TRANSITIONS: Readonly<Record<SessionStatus, readonly SessionStatus[]>> = {
  initializing: ["active", "error"],
  active: ["suspended", "initializing", "terminated", "error"],
  suspended: ["active", "terminated"],
  error: ["terminated"],
  terminated: [],
};

type JsonObject = { readonly [key: string]: Json };

export interface Session {
  readonly id: string;
  readonly conversationId: string;
  readonly agentId: string;
  readonly userId: string;
  readonly status: SessionStatus;
  readonly locale: string | null;
  readonly metadata: JsonObject;
  readonly snapshot: JsonObject;
  readonly checkpointKey: string | null;
  readonly loopCount: number;
  readonly lastHeartbeat: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewSession {
  readonly id: string;
  /** A new one begins with the session; another must be there, and the same user's. */
  readonly conversation: { readonly id: string; readonly isNew: boolean };
  readonly agentId: string;
  readonly userId: string;
  readonly status?: "initializing" | "active";
  readonly locale?: string;
  readonly metadata?: JsonObject;
  readonly snapshot?: JsonObject;
}

export interface SessionOf {
  readonly sessionId: string;
  /** Undefined: a caller who speaks for the tenant (S1). */
  readonly userId: string | undefined;
}

const COLUMNS = `id, conversation_id as "conversationId", agent_id as "agentId", user_id as "userId", status, locale,
  metadata, snapshot_data as snapshot, checkpoint_key as "checkpointKey", loop_count as "loopCount",
  last_heartbeat as "lastHeartbeat", created_at as "createdAt", updated_at as "updatedAt"`;

/** Throws NOT_FOUND for a conversation that is not this user's. */
export async function createSession(sql: Sql, session: NewSession): Promise<Session> {
  const { id, conversation, agentId, userId, status = "active", locale, metadata = {}, snapshot = {} } = session;
  if (!isUuid(conversation.id)) throw notFound("conversation");
  const [created] = await sql.query<Session>(
    `with made as (
      insert into conversations (org_id, id, user_id) select current_org(), $2, $5 where $3::boolean returning id
    ), found as (
      select id from conversations where org_id = current_org() and id = $2 and user_id = $5 and not $3::boolean
    )
    insert into agent_sessions (org_id, id, conversation_id, agent_id, user_id, status, locale, metadata, snapshot_data)
    select current_org(), $1, conversation.id, $4, $5, $6, $7, $8::jsonb, $9::jsonb
    from (select id from made union all select id from found) as conversation
    returning ${COLUMNS}`,
    [
      requireUuid("session id", id),
      conversation.id,
      conversation.isNew,
      requireText("agent id", agentId),
      requireText("user id", userId),
      status,
      requireTextOrNull("locale", locale),
      toExactJson("metadata", metadata),
      toExactJson("snapshot", snapshot),
    ],
  );
  if (created === undefined) throw notFound("conversation");
  return created;
}

/** Throws NOT_FOUND (S1). */
export function readSession(sql: Sql, session: SessionOf): Promise<Session> {
  return selectSession(sql, session, "");
}

/** Throws NOT_FOUND, SESSION_CLOSED after the end, INVALID_ARGUMENT for a step that is not in TRANSITIONS (S2). */
export async function setSessionStatus(sql: Sql, session: SessionOf, status: SessionStatus): Promise<Session> {
  const current = await selectSession(sql, session, "for update");
  if (!TRANSITIONS[current.status].includes(status)) throw wrongStep(current.status, status);
  return writeStatus(sql, current.id, status);
}

/** Suspends a session that is active. One that is not, because another call was faster, stays as it is. */
export async function suspendSession(sql: Sql, session: SessionOf): Promise<Session> {
  const current = await selectSession(sql, session, "for update");
  return current.status === "active" ? writeStatus(sql, current.id, "suspended") : current;
}

/** Ends the session for good. Ending it again changes nothing. */
export async function terminateSession(sql: Sql, session: SessionOf): Promise<Session> {
  const current = await selectSession(sql, session, "for update");
  if (current.status === "terminated") return current;
  if (!TRANSITIONS[current.status].includes("terminated")) throw wrongStep(current.status, "terminated");
  return writeStatus(sql, current.id, "terminated");
}

/**
 * Notes a sign of life for every session that a worker holds, and gives those that are still its to hold: a worker lets
 * go of the others.
 */
export async function heartbeatSessions(sql: Sql, sessionIds: readonly string[]): Promise<readonly string[]> {
  const rows = await sql.query<{ id: string }>(
    `update agent_sessions set last_heartbeat = greatest(last_heartbeat, clock_timestamp())
    where org_id = current_org() and id = any($1::uuid[]) and status <> 'terminated' returning id`,
    [sessionIds.map((id) => requireUuid("session id", id))],
  );
  return rows.map(({ id }) => id);
}

/** Notes how many iterations the session's loop has done, and gives the highest count there was (S3). */
export async function advanceLoop(sql: Sql, sessionId: string, loopCount: number): Promise<number> {
  if (!isUuid(sessionId)) throw notFound("session");
  const [row] = await sql.query<{ loopCount: number }>(
    `update agent_sessions set loop_count = greatest(loop_count, $2), updated_at = now()
    where org_id = current_org() and id = $1 returning loop_count as "loopCount"`,
    [sessionId, requireCount("loop count", loopCount)],
  );
  if (row === undefined) throw notFound("session");
  return row.loopCount;
}

/** Throws NOT_FOUND for a conversation that is not there or not this user's (S1). */
export async function requireConversation(
  sql: Sql,
  { conversationId, userId }: { readonly conversationId: string; readonly userId: string | undefined },
): Promise<void> {
  if (!isUuid(conversationId)) throw notFound("conversation");
  const rows = await sql.query(
    "select from conversations where org_id = current_org() and id = $1 and ($2::text is null or user_id = $2)",
    [conversationId, requireTextOrNull("user id", userId)],
  );
  if (rows.length === 0) throw notFound("conversation");
}

async function selectSession(sql: Sql, { sessionId, userId }: SessionOf, lock: "" | "for update"): Promise<Session> {
  if (!isUuid(sessionId)) throw notFound("session");
  const [session] = await sql.query<Session>(
    `select ${COLUMNS} from agent_sessions
    where org_id = current_org() and id = $1 and ($2::text is null or user_id = $2) ${lock}`,
    [sessionId, requireTextOrNull("user id", userId)],
  );
  if (session === undefined) throw notFound("session");
  return session;
}

async function writeStatus(sql: Sql, id: string, status: SessionStatus): Promise<Session> {
  const [session] = await sql.query<Session>(
    `update agent_sessions set status = $2, updated_at = now() where org_id = current_org() and id = $1
    returning ${COLUMNS}`,
    [id, status],
  );
  return session as Session;
}

function wrongStep(from: SessionStatus, to: SessionStatus): FramerailError {
  return from === "terminated"
    ? new FramerailError("SESSION_CLOSED", "the session has ended")
    : new FramerailError("INVALID_ARGUMENT", `a session that is ${from} cannot become ${to}`);
}
