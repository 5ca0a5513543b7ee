// Turns from the first claim to the moment they run: who owns one, and what was asked.
// Owns: the rows of turns and idempotency keys until acceptance. Does not own: the end (turn-end.ts), frames
// (turn-frames.ts), who is alive (leases.ts).
//   T1. A session has one open turn; a second claim is told TURN_RUNNING [D-20].
//   T2. Claims of one session run one after the other, so that two requests with one key make one turn.
//   T3. The user's message, the root of its provenance and the acceptance are one commit [D-5, C-8].
//   T4. A claim or an acceptance whose answer was lost is looked for: a turn that nobody knows to be its own would keep
//       its session from every other [D-4].

import type { Json, TurnOutcome, Usage, UserMessage } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { AuditRow } from "./audit.js";
import { insertAuditRows } from "./audit.js";
import { notFound, requireTextOrNull } from "./checked-value.js";
import type { Database } from "./database.js";
import { toJsonb } from "./json.js";
import { IDEMPOTENCY_HOURS, RETENTION_ROWS_MAX } from "./limits.js";
import { insertMessage } from "./messages.js";
import { readBack } from "./read-back.js";
import type { Sql } from "./sql.js";
import { isUuid } from "./uuid.js";

export interface TurnClaim {
  readonly turnId: string;
  readonly sessionId: string;
  /** Whose session it must be; undefined for callers that may speak for anyone of the tenant. */
  readonly userId: string | undefined;
  readonly owner: string;
  readonly onDisconnect: { readonly action: "cancel" | "continue"; readonly grace_ms: number };
  readonly episodeId?: string;
  readonly parentRunId?: string;
  readonly idempotency?: IdempotencyKey;
}

export interface IdempotencyKey {
  readonly principal: string;
  readonly key: string;
  /** Of the request, so that the key cannot stand for another. */
  readonly bodySha256: string;
}

export interface ClaimedTurn {
  readonly conversation_id: string;
  readonly agent_id: string;
  readonly user_id: string;
  readonly locale: string | null;
  readonly metadata: { readonly [key: string]: Json };
}

export type ClaimResult =
  | { readonly kind: "claimed"; readonly turn: ClaimedTurn }
  /** The same request came before: this is its turn. */
  | { readonly kind: "attached"; readonly turnId: string };

/** Throws NOT_FOUND, SESSION_CLOSED, TURN_RUNNING or KEY_REUSED. */
export function claimTurn(database: Database, orgId: string, claim: TurnClaim): Promise<ClaimResult> {
  let result: ClaimResult | undefined;
  return readBack(
    () =>
      database.asTenant(orgId, async (sql) => {
        result = await writeClaim(sql, claim);
        return result;
      }),
    // T4
    () =>
      database.asTenant(orgId, async (sql) => {
        await lockSession(sql, claim);
        return (await findTurn(sql, claim.turnId)) === undefined ? undefined : result;
      }),
  );
}

async function writeClaim(sql: Sql, claim: TurnClaim): Promise<ClaimResult> {
  const session = await lockSession(sql, claim);
  const attached = claim.idempotency && (await findKey(sql, claim.sessionId, claim.idempotency));
  if (attached !== undefined) return { kind: "attached", turnId: attached };
  if (session.status !== "active") {
    throw new FramerailError("SESSION_CLOSED", `the session is ${session.status}`);
  }
  await insertTurn(sql, claim, session);
  if (claim.idempotency) await insertKey(sql, claim, claim.idempotency);
  const { status: _, ...turn } = session;
  return { kind: "claimed", turn };
}

/** Held until the transaction ends. */
async function findTurn(sql: Sql, turnId: string): Promise<{ status: string; epoch: number } | undefined> {
  const [turn] = await sql.query<{ status: string; epoch: number }>(
    "select status, epoch from turns where org_id = current_org() and id = $1 for update",
    [turnId],
  );
  return turn;
}

// T2
async function lockSession(sql: Sql, { sessionId, userId }: TurnClaim): Promise<ClaimedTurn & { status: string }> {
  if (!isUuid(sessionId)) throw notFound("session");
  const [session] = await sql.query<ClaimedTurn & { status: string }>(
    `select status, conversation_id, agent_id, user_id, locale, metadata from agent_sessions
      where org_id = current_org() and id = $1 and ($2::text is null or user_id = $2) for update`,
    [sessionId, userId ?? null],
  );
  if (session === undefined) throw new FramerailError("NOT_FOUND", "no such session");
  return session;
}

async function findKey(sql: Sql, sessionId: string, asked: IdempotencyKey): Promise<string | undefined> {
  const [found] = await sql.query<{ body_sha256: string; turn_id: string }>(
    `select body_sha256, turn_id from idempotency_keys
      where org_id = current_org() and principal = $1 and session_id = $2 and key = $3 and expires_at > now()`,
    [asked.principal, sessionId, asked.key],
  );
  if (found !== undefined && found.body_sha256 !== asked.bodySha256) {
    throw new FramerailError("KEY_REUSED", "the idempotency key belongs to another request");
  }
  return found?.turn_id;
}

async function insertTurn(sql: Sql, claim: TurnClaim, session: ClaimedTurn): Promise<void> {
  const rows = await sql.query(
    `insert into turns (org_id, id, session_id, conversation_id, agent_id, user_id, owner, on_disconnect, episode_id,
        parent_run_id)
      values (current_org(), $1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9)
      on conflict (org_id, session_id) where is_open do nothing
      returning id`,
    [
      claim.turnId,
      claim.sessionId,
      session.conversation_id,
      session.agent_id,
      session.user_id,
      claim.owner,
      toJsonb(claim.onDisconnect),
      requireTextOrNull("episode_id", claim.episodeId),
      claim.parentRunId ?? null,
    ],
  );
  if (rows.length === 0) throw new FramerailError("TURN_RUNNING", "the session has a turn that has not ended");
}

// A key that has expired stands for nothing any more, and makes room.
async function insertKey(sql: Sql, { sessionId, turnId }: TurnClaim, asked: IdempotencyKey): Promise<void> {
  await sql.query(
    `insert into idempotency_keys (org_id, principal, session_id, key, body_sha256, turn_id, expires_at)
      values (current_org(), $1, $2, $3, $4, $5, now() + make_interval(hours => ${IDEMPOTENCY_HOURS}))
      on conflict (org_id, principal, session_id, key) do update
      set body_sha256 = excluded.body_sha256, turn_id = excluded.turn_id, created_at = now(), expires_at = excluded.expires_at`,
    [asked.principal, sessionId, asked.key, asked.bodySha256, turnId],
  );
}

export interface Acceptance {
  readonly turnId: string;
  readonly epoch: number;
  readonly message: UserMessage;
}

/** Makes a claimed turn run, with the message that began it (T3). Throws STALE_EPOCH when it is not ours to accept. */
export async function acceptTurn(database: Database, orgId: string, acceptance: Acceptance): Promise<void> {
  const { turnId, epoch } = acceptance;
  await readBack(
    () => database.asTenant(orgId, (sql) => writeAcceptance(sql, acceptance)),
    // T4
    async () => {
      const turn = await database.asTenant(orgId, (sql) => findTurn(sql, turnId));
      return turn?.status === "running" && turn.epoch === epoch ? true : undefined;
    },
  );
}

async function writeAcceptance(sql: Sql, { turnId, epoch, message }: Acceptance): Promise<true> {
  const [accepted] = await sql.query<{ sessionId: string }>(
    `update turns set status = 'running' where org_id = current_org() and id = $1 and epoch = $2
      and status = 'dispatching' returning session_id as "sessionId"`,
    [turnId, epoch],
  );
  if (accepted === undefined) throw stale(turnId);
  await Promise.all([insertMessage(sql, message), insertAuditRows(sql, [rootOf(turnId, accepted.sessionId, message)])]);
  return true;
}

/** The first link of every chain of the turn. It has the turn's own id, so that whoever knows the turn knows it. */
function rootOf(turnId: string, sessionId: string, { _id }: UserMessage): AuditRow {
  return {
    id: turnId,
    sessionId,
    turnId,
    actionType: "message_received",
    parentId: null,
    detail: { message_id: _id },
    durationMs: null,
    occurredAt: null,
  };
}

/** Ends a claim that never became a turn; its key is free again. */
export async function refuseTurn(database: Database, orgId: string, turnId: string, epoch: number): Promise<void> {
  await database.asTenant(orgId, {
    text: `with refused as (
        update turns set status = 'refused'
          where org_id = current_org() and id = $1 and epoch = $2 and status = 'dispatching' returning id
      ) delete from idempotency_keys k using refused where k.org_id = current_org() and k.turn_id = refused.id`,
    values: [turnId, epoch],
  });
}

/** Takes away keys that stand for nothing any more, in bites. Resolves to how many went. */
export async function dropExpiredKeys(database: Database): Promise<number> {
  for (let dropped = 0; ; ) {
    const [{ count } = { count: 0 }] = await database.asSystem<{ count: number }>({
      text: `with old as (
          select ctid from idempotency_keys where expires_at < now() limit ${RETENTION_ROWS_MAX}
        ), dropped as (delete from idempotency_keys where ctid in (select ctid from old) returning 1)
        select count(*)::int as count from dropped`,
    });
    dropped += count;
    if (count < RETENTION_ROWS_MAX) return dropped;
  }
}

export interface TurnRow {
  readonly turn_id: string;
  readonly session_id: string;
  readonly conversation_id: string;
  readonly agent_id: string;
  readonly user_id: string;
  readonly status: "dispatching" | "refused" | "running" | "ended";
  readonly owner: string;
  readonly epoch: number;
  readonly on_disconnect: TurnClaim["onDisconnect"];
  readonly outcome: TurnOutcome | null;
  readonly usage: Usage | null;
  readonly last_seq: number;
  readonly created_at: number;
  readonly first_frame_at: number | null;
  readonly ended_at: number | null;
}

/** A turn of the tenant, and of the user where one is named; undefined is all that a stranger learns. */
export async function readTurn(
  database: Database,
  orgId: string,
  turnId: string,
  userId?: string,
): Promise<TurnRow | undefined> {
  const [row] = await database.asTenant<TurnRow>(orgId, {
    text: `select id as turn_id, session_id, conversation_id, agent_id, user_id, status, owner, epoch, on_disconnect,
        outcome, usage, last_seq, created_at, first_frame_at, ended_at
      from turns where org_id = current_org() and id = $1 and ($2::text is null or user_id = $2)`,
    values: [turnId, userId ?? null],
  });
  return row;
}

export function stale(turnId: string): FramerailError {
  return new FramerailError("STALE_EPOCH", `turn ${turnId} is not this process's any more`);
}

/** Whether the store still says that the turn is this process's, in this epoch. */
export async function ownsTurn(
  database: Database,
  { orgId, turnId, epoch }: { readonly orgId: string; readonly turnId: string; readonly epoch: number },
  owner: string,
): Promise<boolean> {
  const rows = await database.asSystem({
    text: "select from turns where org_id = $1 and id = $2 and epoch = $3 and owner = $4",
    values: [orgId, turnId, epoch, owner],
  });
  return rows.length === 1;
}
