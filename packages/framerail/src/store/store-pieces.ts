// Stores pieces of turns that run: frames that may leave memory then.
// Owns: what may be stored where, and the group commit. Does not own: what is in a segment (frame-segment.ts), when a piece is
// cut and tried again (dispatch/unstored-frames.ts).
//   P1. A piece follows the one before it without a gap, and an earlier epoch's is refused. One that is there is left alone.
//   P2. One statement runs at a time, PIECES_MS_APART after the last one began, and stores what has come until then, at most
//       PIECES_STORED_AT_ONCE_MAX: a transaction costs more than a piece in it. How many wait is bounded by the turns, which
//       have one each. A turn of the last statement that is there again already is so fast that it waits for nothing: it
//       would be held back by its own pieces.
//   P3. What the database refuses costs no other turn its piece: they are then stored one by one.

import { FramerailError, isFramerailError } from "@framerail/protocol";
import { createBeat } from "../end-of-tick.js";
import type { Database } from "./database.js";
import type { FrameSegment } from "./frame-segment.js";
import { PIECES_MS_APART, PIECES_STORED_AT_ONCE_MAX } from "./limits.js";
import { stale } from "./turns.js";

export interface PieceOwner {
  readonly orgId: string;
  readonly turnId: string;
  readonly epoch: number;
}

interface Waiting {
  readonly owner: PieceOwner;
  readonly piece: FrameSegment;
  resolve(): void;
  reject(error: unknown): void;
}

interface Line {
  readonly waiting: Waiting[];
  readonly nextBeat: (store: () => void) => void;
  /** Whose pieces the last statement stored. */
  last: ReadonlySet<string>;
  isRunning: boolean;
}

/** What waits for each database: there is one to a process, but in tests. */
const lines = new WeakMap<Database, Line>();

/** Throws STALE_EPOCH; COMMIT_UNKNOWN and STORE_UNAVAILABLE where it is worth asking again. */
export function storeSegment(database: Database, owner: PieceOwner, piece: FrameSegment): Promise<void> {
  const line = lines.get(database) ?? openLine();
  lines.set(database, line);
  return new Promise((resolve, reject) => {
    line.waiting.push({ owner, piece, resolve, reject });
    if (!line.isRunning) void storeLine(database, line);
  });
}

function openLine(): Line {
  return { waiting: [], nextBeat: createBeat(PIECES_MS_APART), last: new Set(), isRunning: false };
}

/** Never rejects: every failure is told to whoever waits for the piece. */
async function storeLine(database: Database, line: Line): Promise<void> {
  const { waiting, nextBeat } = line;
  line.isRunning = true;
  while (waiting.length > 0) {
    const isAgain = waiting.some(({ owner }) => line.last.has(owner.turnId));
    if (waiting.length < PIECES_STORED_AT_ONCE_MAX && !isAgain) await new Promise<void>(nextBeat);
    const group = waiting.splice(0, PIECES_STORED_AT_ONCE_MAX);
    line.last = new Set(group.map(({ owner }) => owner.turnId));
    await storeGroup(database, group);
  }
  line.isRunning = false;
}

async function storeGroup(database: Database, group: readonly Waiting[]): Promise<void> {
  try {
    const found = await database.asSystem<Found>({ text: STORE, values: valuesOf(group) });
    for (const [index, waiting] of group.entries()) settle(waiting, found[index]);
  } catch (error) {
    // P3
    if (!isFramerailError(error) && group.length > 1)
      for (const waiting of group) await storeGroup(database, [waiting]);
    else for (const { reject } of group) reject(error);
  }
}

/** What became of a piece; they come in the order in which they were given. */
interface Found {
  readonly ours: boolean;
  /** The last frame that was there before. */
  readonly before: number;
  readonly stored: boolean;
}

// Turns are looked up one by one: a planner that guesses wrong would read them all.
const STORE = `with given as materialized (
    select *, substring($6::bytea from begins for weight) as bytes
      from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[], $5::int[], $7::int[], $8::int[])
        with ordinality as g (org_id, turn_id, epoch, first_seq, last_seq, begins, weight, place)
  ), ours as materialized (
    select g.place from given g join lateral (
      select epoch, status from turns where org_id = g.org_id and id = g.turn_id limit 1 for share
    ) t on t.epoch = g.epoch and t.status = 'running'
  ), before as materialized (
    select g.place, coalesce((select f.last_seq from turn_frames f
      where f.org_id = g.org_id and f.turn_id = g.turn_id order by f.first_seq desc limit 1), 0) as last from given g
  ), stored as (
    insert into turn_frames (org_id, turn_id, epoch, first_seq, last_seq, bytes)
      select g.org_id, g.turn_id, g.epoch, g.first_seq, g.last_seq, g.bytes
        from given g join ours using (place) join before using (place) where before.last = g.first_seq - 1
      returning org_id, turn_id, first_seq
  ) select ours.place is not null as ours, before.last as before, stored.turn_id is not null as stored
      from given g join before using (place) left join ours using (place)
        left join stored using (org_id, turn_id, first_seq)
      order by place`;

function valuesOf(group: readonly Waiting[]) {
  const pieces = group.map(({ piece }) => piece);
  return [
    group.map(({ owner }) => owner.orgId),
    group.map(({ owner }) => owner.turnId),
    group.map(({ owner }) => owner.epoch),
    pieces.map(({ firstSeq }) => firstSeq),
    pieces.map(({ lastSeq }) => lastSeq),
    // One after the other in one value: an array of bytes would go over the wire, and be read, as a text of digits.
    Buffer.concat(pieces.map(({ bytes }) => bytes)),
    pieces.map((_, index) => pieces.slice(0, index).reduce((sum, { bytes }) => sum + bytes.length, 1)),
    pieces.map(({ bytes }) => bytes.length),
  ];
}

function settle({ owner, piece, resolve, reject }: Waiting, found: Found | undefined): void {
  const { firstSeq, lastSeq } = piece;
  if (found?.ours !== true) reject(stale(owner.turnId));
  else if (found.stored || found.before >= lastSeq) resolve();
  else {
    const says = `a piece of frames begins at ${firstSeq} after ${found.before}`;
    reject(new FramerailError("INVARIANT_VIOLATION", says));
  }
}
