// The stored frames of turns: pieces of long turns while they run, everything after they have ended, until they are too
// old [W-ES-1 … W-ES-4].
// Owns: reading by seq, retention. Does not own: what is in a segment (frame-segment.ts), storing pieces (store-pieces.ts), the
// final commit (turn-end.ts).
//   R1. A reader gets frames in order from its cursor; the terminal is the last, once it is committed.

import type { Database } from "./database.js";
import type { StoredFrame } from "./frame-segment.js";
import { unpackBytes, unpackFrames } from "./frame-segment.js";
import { READ_SEGMENTS_MAX, RETENTION_ROWS_MAX } from "./limits.js";

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
