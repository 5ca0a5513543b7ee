// Checkpoints: an agent's state at the border between two iterations, as bytes that nobody here reads.
// Owns: the rows' SQL. Does not own: what the bytes begin with, what a difference means (ledger/checkpoints.ts).
//   K1. Writes of one session are one after the other: who writes holds the session's row [R-5.2-1].
//   K2. A row is never changed: an iteration that is there stays as it is [R-5.2-4].

import type { Sql } from "./sql.js";

export interface CheckpointRow {
  readonly sessionId: string;
  readonly loopIteration: number;
  readonly key: string;
  readonly bytes: Uint8Array;
  /** Of the bytes, in hexadecimal. */
  readonly sha256: string;
}

/** `hashMatch`: what is stored now is what was given. */
export interface PutResult {
  readonly inserted: boolean;
  readonly hashMatch: boolean;
}

/** Holds the session until the transaction ends (K1); false where the tenant has no such session. */
export async function lockSession(sql: Sql, sessionId: string): Promise<boolean> {
  const rows = await sql.query("select from agent_sessions where org_id = current_org() and id = $1 for update", [
    sessionId,
  ]);
  return rows.length === 1;
}

/** Only under `lockSession`. The session points at its newest checkpoint, also when an older one comes late. */
export async function insertCheckpoint(sql: Sql, row: CheckpointRow): Promise<PutResult> {
  const { sessionId, key, bytes, sha256, loopIteration } = row;
  const [answer] = await sql.query<{ inserted: boolean; stored: string | null }>(
    `with inserted as (
       insert into agent_checkpoints (org_id, session_id, checkpoint_key, bytes, bytes_sha256, loop_iteration)
       values (current_org(), $1, $2, $3, $4, $5)
       on conflict (session_id, loop_iteration) do nothing
       returning session_id
     ), pointed as (
       update agent_sessions s
       set loop_count = greatest(s.loop_count, $5), updated_at = now(),
         checkpoint_key = case when exists (
           select from agent_checkpoints c where c.org_id = s.org_id and c.session_id = s.id and c.loop_iteration > $5
         ) then s.checkpoint_key else $2 end
       from inserted where s.org_id = current_org() and s.id = inserted.session_id
     )
     select exists (select from inserted) as inserted, (
       select bytes_sha256 from agent_checkpoints
       where org_id = current_org() and session_id = $1 and loop_iteration = $5
     ) as stored`,
    [sessionId, key, bytes, sha256, loopIteration],
  );
  const inserted = answer?.inserted ?? false;
  return { inserted, hashMatch: inserted || answer?.stored === sha256 };
}

/** What a resume starts from: the row of the highest iteration. */
export async function readNewestCheckpoint(sql: Sql, sessionId: string): Promise<CheckpointRow | undefined> {
  const [row] = await sql.query<CheckpointRow>(
    `select session_id as "sessionId", loop_iteration as "loopIteration", checkpoint_key as key, bytes,
       bytes_sha256 as sha256
     from agent_checkpoints where org_id = current_org() and session_id = $1
     order by loop_iteration desc limit 1`,
    [sessionId],
  );
  return row;
}
