// The stored frames of turns: pieces of long turns while they run, everything after they have ended, until they are too
// old [W-ES-1 … W-ES-4].
// Owns: reading by seq, storing pieces, retention. Does not own: what is in a segment (frame-segment.ts), the final commit
// (turn-end.ts).
//   R1. A piece follows the one before it without a gap, and an earlier epoch's is refused.
//   R2. A reader gets frames in order from its cursor; the terminal is the last, once it is committed.

import { FramerailError } from "@framerail/protocol";
import type { Database } from "./database.js";
import type { FrameSegment, StoredFrame } from "./frame-segment.js";
import { unpackBytes, unpackFrames } from "./frame-segment.js";
import { READ_SEGMENTS_MAX, RETENTION_ROWS_MAX } from "./limits.js";
import { stale } from "./turns.js";

/** Stores a piece of a running turn; a piece that is already there is left alone. Throws STALE_EPOCH. */
export async function storeSegment(
  database: Database,
  { orgId, turnId, epoch }: { readonly orgId: string; readonly turnId: string; readonly epoch: number },
  { firstSeq, lastSeq, bytes }: FrameSegment,
): Promise<void> {
  const [found] = await database.asSystem<{ ours: boolean; before: number; stored: boolean }>({
    text: `with ours as (
        select org_id, id from turns where org_id = $1 and id = $2 and epoch = $3 and status = 'running' for share
      ), before as (
        select coalesce(max(last_seq), 0) as last from turn_frames where org_id = $1 and turn_id = $2
      ), stored as (
        insert into turn_frames (org_id, turn_id, epoch, first_seq, last_seq, bytes)
          select org_id, id, $3, $4, $5, $6 from ours, before where before.last = $4 - 1 returning first_seq
      ) select exists (select from ours) as ours, (select last from before) as before,
          exists (select from stored) as stored`,
    values: [orgId, turnId, epoch, firstSeq, lastSeq, bytes],
  });
  if (found?.ours !== true) throw stale(turnId);
  if (!found.stored && found.before < lastSeq) {
    throw new FramerailError("INVARIANT_VIOLATION", `a piece of frames begins at ${firstSeq} after ${found.before}`);
  }
}

export interface FramePage {
  readonly frames: readonly StoredFrame[];
  /** There are further pages after the last frame of this one. */
  readonly more: boolean;
}

/** The stored frames after `afterSeq`, at most some segments at once. A turn of which nothing is stored gives none. */
export async function readFrames(
  database: Database,
  orgId: string,
  turnId: string,
  afterSeq: number,
): Promise<FramePage> {
  // One more than a page has: so it is seen whether there are more.
  const rows = await readRows(database, { orgId, turnId, afterSeq, limit: READ_SEGMENTS_MAX + 1 });
  const page = rows.slice(0, READ_SEGMENTS_MAX);
  const frames: StoredFrame[] = [];
  for (const { first_seq: firstSeq, last_seq: lastSeq, bytes, terminal } of page) {
    if (terminal) frames.push({ seq: lastSeq, sse: Buffer.from(bytes).toString("utf8") });
    else frames.push(...(await unpackFrames({ firstSeq, lastSeq, bytes })));
  }
  return { frames: frames.filter(({ seq }) => seq > afterSeq), more: rows.length > page.length };
}

/** Stored frames as bytes, one after the other. */
export interface StoredPiece {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: Buffer;
}

/**
 * The stored piece that has the frame after `afterSeq`, for the owner of a turn that runs: one at a time, because many turns
 * may be read at the same time.
 */
export async function readPiece(
  database: Database,
  orgId: string,
  turnId: string,
  afterSeq: number,
): Promise<StoredPiece | undefined> {
  const [row] = await readRows(database, { orgId, turnId, afterSeq, limit: 1 });
  if (row === undefined || row.terminal) return undefined;
  return { firstSeq: row.first_seq, lastSeq: row.last_seq, bytes: await unpackBytes(row.bytes) };
}

interface FrameRow {
  readonly first_seq: number;
  readonly last_seq: number;
  readonly bytes: Uint8Array;
  readonly terminal: boolean;
}

interface RowsAfter {
  readonly orgId: string;
  readonly turnId: string;
  readonly afterSeq: number;
  readonly limit: number;
}

function readRows(database: Database, { orgId, turnId, afterSeq, limit }: RowsAfter): Promise<FrameRow[]> {
  return database.asTenant<FrameRow>(orgId, {
    text: `select first_seq, last_seq, bytes, false as terminal from turn_frames
        where org_id = current_org() and turn_id = $1 and last_seq > $2
      union all select last_seq, last_seq, terminal, true from turns
        where org_id = current_org() and id = $1 and status = 'ended' and last_seq > $2
      order by first_seq limit ${limit}`,
    values: [turnId, afterSeq],
  });
}

/** Deletes what is older than the age: frames and journal of ended turns, in bites. Resolves to how many rows went. */
export async function dropOldFrames(database: Database, ageHours: number): Promise<number> {
  let dropped = 0;
  for (const table of ["turn_frames", "turn_events"]) {
    for (;;) {
      const [{ count } = { count: 0 }] = await database.asSystem<{ count: number }>({
        text: `with old as (
            select f.ctid from ${table} f join turns t on t.org_id = f.org_id and t.id = f.turn_id
              where t.status = 'ended' and t.ended_at < now() - make_interval(hours => $1) limit ${RETENTION_ROWS_MAX}
          ), dropped as (delete from ${table} where ctid in (select ctid from old) returning 1)
          select count(*)::int as count from dropped`,
        values: [ageHours],
      });
      dropped += count;
      if (count < RETENTION_ROWS_MAX) break;
    }
  }
  return dropped;
}
