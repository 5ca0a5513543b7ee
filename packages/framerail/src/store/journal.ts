// The journal: inner events that the wire does not carry whole, kept for sealing, audit and the inspector [D-5].
// Owns: the group commit and its queue. Does not own: which events are journaled (dispatch/).
//   J1. Rows of all turns that wait go into one commit, in the order they came; the next starts when it is done.
//   J2. A row is fenced like a frame: a turn that belongs to a later epoch, or has ended, takes none.
//   J3. A commit whose answer was lost is repeated; the key of a row makes that harmless.
//   J4. At most JOURNAL_ROWS_MAX rows wait. Past that, `append` refuses, and the turn that asked fails.

import type { AgentEvent, Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError, systemClock } from "@framerail/protocol";
import type { Database } from "./database.js";
import { toJsonb } from "./json.js";
import { JOURNAL_BATCH_MAX, JOURNAL_RETRY_MS, JOURNAL_ROWS_MAX } from "./limits.js";

export interface JournalRow {
  readonly org_id: string;
  readonly turn_id: string;
  readonly epoch: number;
  /** From 1, within the epoch. */
  readonly position: number;
  /** The last frame that was out when it was written. */
  readonly after_seq: number;
  readonly emitter: string;
  readonly event: AgentEvent;
}

export interface Journal {
  /** Queues a row; throws STORE_UNAVAILABLE when too many wait (J4). */
  append(row: JournalRow): void;
  /** Resolves when all that was appended so far is committed; rejects when the journal was closed before. */
  settled(): Promise<void>;
  /** Commits what waits, and ends. */
  close(): Promise<void>;
}

export interface JournalOptions {
  readonly database: Database;
  readonly clock?: Clock;
  /** Hears of rows that their turn did not take (J2). */
  onRefused?(rows: readonly JournalRow[]): void;
  /** Hears of a commit that failed and is tried again. */
  report?(error: unknown): void;
}

const GIVEN = `jsonb_to_recordset($1::jsonb) as g (org_id uuid, turn_id uuid, epoch int, position int, after_seq int,
  emitter text, event jsonb)`;

const INSERT = `with taken as (
    insert into turn_events (org_id, turn_id, epoch, position, after_seq, type, emitter, event)
      select g.org_id, g.turn_id, g.epoch, g.position, g.after_seq, g.event ->> 'type', g.emitter, g.event
        from ${GIVEN} join turns t on t.org_id = g.org_id and t.id = g.turn_id and t.epoch = g.epoch
          and t.status in ('dispatching', 'running')
      on conflict do nothing returning 1
  ) select count(*)::int as count from taken`;

/** The rows that are there, whether the last commit put them there or an earlier one whose answer was lost (J3). */
const FIND = `select e.turn_id, e.epoch, e.position from ${GIVEN} join turn_events e using (org_id, turn_id, epoch, position)`;

export function createJournal({ database, clock = systemClock, onRefused, report }: JournalOptions): Journal {
  let waiting: JournalRow[] = [];
  let inFlight = 0;
  let appended = 0;
  let committed = 0;
  let running: Promise<void> | undefined;
  let closed = false;
  let settling: { readonly upTo: number; resolve(): void }[] = [];

  const run = async () => {
    // One turn of the event loop, so that what is written together is committed together.
    await new Promise<void>((resolve) => void clock.schedule(0, resolve));
    while (waiting.length > 0) {
      const batch = waiting.slice(0, JOURNAL_BATCH_MAX);
      waiting = waiting.slice(JOURNAL_BATCH_MAX);
      inFlight = batch.length;
      await commit(batch);
      inFlight = 0;
      committed += batch.length;
      for (const { upTo, resolve } of settling) if (upTo <= committed) resolve();
      settling = settling.filter(({ upTo }) => upTo > committed);
    }
    running = undefined;
  };

  // J3. There is no bound on the repeats, because there is one on the queue: a database that stays away fills it.
  const commit = async (batch: readonly JournalRow[]) => {
    const statement = { text: INSERT, values: [toJsonb(batch)] };
    for (;;) {
      try {
        const [taken] = await database.asSystem<{ count: number }>(statement);
        if (taken?.count === batch.length) return;
        const refused = without(batch, await database.asSystem<RowKey>({ ...statement, text: FIND }));
        if (refused.length > 0) onRefused?.(refused);
        return;
      } catch (error) {
        report?.(error);
        if (!isFramerailError(error)) return onRefused?.(batch);
        await new Promise<void>((resolve) => void clock.schedule(JOURNAL_RETRY_MS, resolve));
      }
    }
  };

  return {
    append(row) {
      if (closed || waiting.length + inFlight >= JOURNAL_ROWS_MAX) {
        throw new FramerailError(
          "STORE_UNAVAILABLE",
          closed ? "the journal is closed" : "too many rows wait for the journal",
        );
      }
      waiting.push(row);
      appended += 1;
      running ??= run();
    },
    settled() {
      if (committed === appended) return Promise.resolve();
      return new Promise((resolve) => void settling.push({ upTo: appended, resolve }));
    },
    async close() {
      closed = true;
      await running;
    },
  };
}

type RowKey = Pick<JournalRow, "turn_id" | "epoch" | "position">;

const keyOf = ({ turn_id, epoch, position }: RowKey) => `${turn_id}.${epoch}.${position}`;

function without(batch: readonly JournalRow[], there: readonly RowKey[]): JournalRow[] {
  const keys = new Set(there.map(keyOf));
  return batch.filter((row) => !keys.has(keyOf(row)));
}

/** The journaled events of a turn, of all its epochs, in order. */
export async function readJournal(
  database: Database,
  orgId: string,
  turnId: string,
): Promise<Omit<JournalRow, "org_id" | "turn_id">[]> {
  return database.asTenant(orgId, {
    text: `select epoch, position, after_seq, emitter, event from turn_events
      where org_id = current_org() and turn_id = $1 order by epoch, position`,
    values: [turnId],
  });
}
