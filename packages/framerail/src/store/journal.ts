// The journal: inner events that the wire does not carry whole, kept for sealing, audit and the inspector [D-5].
// Owns: the group commit and its queue. Does not own: which events are journaled (dispatch/).
//   J1. Rows of all turns go into one commit, in the order they came. It begins at the end of the tick of its first row;
//       what comes while it runs goes together into the next, which begins when it is done.
//   J2. A row is fenced like a frame: a turn that belongs to a later epoch, or has ended, takes none.
//   J3. A commit whose answer was lost is repeated; the key of a row makes that harmless.
//   J4. At most JOURNAL_ROWS_MAX rows, JOURNAL_LENGTH_MAX characters together, wait. Past that, `append` refuses, and the turn that
//       asked fails.
//   J5. A row that the database refuses costs no other row its place: its commit is halved until it is alone.
//   J6. Of a refused row `onRefused` hears before `settled` resolves, so that its turn can be stopped before its tool runs.

import type { AgentEvent, Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError, systemClock } from "@framerail/protocol";
import { atEndOfTick } from "../end-of-tick.js";
import type { Database } from "./database.js";
import { toJsonb } from "./json.js";
import {
  JOURNAL_BATCH_LENGTH_MAX,
  JOURNAL_BATCH_MAX,
  JOURNAL_CLOSE_TRIES_MAX,
  JOURNAL_LENGTH_MAX,
  JOURNAL_RETRY_MS,
  JOURNAL_ROWS_MAX,
} from "./limits.js";

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
  /** Resolves when all that was appended so far is committed or refused; rejects as `close` does. */
  settled(): Promise<void>;
  /** Commits what waits, and ends. Throws STORE_UNAVAILABLE when the database stayed away too long for that. */
  close(): Promise<void>;
}

export interface JournalOptions {
  readonly database: Database;
  readonly clock?: Clock;
  /** Hears of rows that their turn did not take (J2), or the database (J5). */
  onRefused?(rows: readonly JournalRow[]): void;
  /** Hears of a commit that failed and is tried again. */
  report?(error: unknown): void;
}

const GIVEN = `jsonb_to_recordset($1::jsonb) as g (org_id uuid, turn_id uuid, epoch int, position int, after_seq int,
  emitter text, event jsonb)`;

// Turns are looked up one by one: a planner that guesses wrong would read them all.
const INSERT = `with taken as (
    insert into turn_events (org_id, turn_id, epoch, position, after_seq, type, emitter, event)
      select g.org_id, g.turn_id, g.epoch, g.position, g.after_seq, g.event ->> 'type', g.emitter, g.event
        from ${GIVEN} join lateral (
          select epoch, is_open from turns where org_id = g.org_id and id = g.turn_id limit 1 for share
        ) t on t.epoch = g.epoch and t.is_open
      on conflict do nothing returning 1
  ) select count(*)::int as count from taken`;

/** The rows that are there, whether the last commit put them there or an earlier one whose answer was lost (J3). */
const FIND = `select e.turn_id, e.epoch, e.position from ${GIVEN} join turn_events e using (org_id, turn_id, epoch, position)`;

/** A row, and the JSON of it that is sent. */
interface Waiting {
  readonly row: JournalRow;
  readonly json: string;
}

export function createJournal(options: JournalOptions): Journal {
  return new GroupJournal(options);
}

class GroupJournal implements Journal {
  readonly #options: JournalOptions;
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  /** Waiting or being committed. */
  #rows = 0;
  #length = 0;
  #appended = 0;
  #running: Promise<void> | undefined;
  #closed = false;
  #settling: { readonly upTo: number; resolve(): void; reject(error: unknown): void }[] = [];

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  append(row: JournalRow): void {
    if (this.#closed) throw unavailable("the journal is closed");
    const json = toJsonb(row);
    if (this.#rows >= JOURNAL_ROWS_MAX || this.#length + json.length > JOURNAL_LENGTH_MAX)
      throw unavailable("too many rows wait for the journal");
    this.#waiting.push({ row, json });
    this.#rows += 1;
    this.#length += json.length;
    this.#appended += 1;
    this.#running ??= this.#run();
  }

  settled(): Promise<void> {
    if (this.#rows === 0) return Promise.resolve();
    const upTo = this.#appended;
    return new Promise((resolve, reject) => void this.#settling.push({ upTo, resolve, reject }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  // J1
  async #run(): Promise<void> {
    await new Promise<void>(atEndOfTick);
    for (let batch = this.#takeBatch(); batch.length > 0; batch = this.#takeBatch()) {
      try {
        await this.#commit(batch);
      } catch (error) {
        for (const { reject } of this.#settling.splice(0)) reject(error);
        throw error;
      }
      this.#rows -= batch.length;
      for (const { json } of batch) this.#length -= json.length;
      const committed = this.#appended - this.#rows;
      for (const { upTo, resolve } of this.#settling) if (upTo <= committed) resolve();
      this.#settling = this.#settling.filter(({ upTo }) => upTo > committed);
    }
    this.#running = undefined;
  }

  #takeBatch(): readonly Waiting[] {
    let length = 0;
    const cut = this.#waiting.findIndex(({ json }, index) => {
      length += json.length;
      return index >= JOURNAL_BATCH_MAX || (index > 0 && length > JOURNAL_BATCH_LENGTH_MAX);
    });
    return this.#waiting.splice(0, cut === -1 ? this.#waiting.length : cut);
  }

  // J3. Until the journal is closed there is no bound on the repeats, because there is one on the queue: a database that
  // stays away fills it.
  async #commit(batch: readonly Waiting[]): Promise<void> {
    for (let triesLeft = JOURNAL_CLOSE_TRIES_MAX; ; ) {
      try {
        return await this.#write(batch);
      } catch (error) {
        this.#options.report?.(error);
        if (!isFramerailError(error)) return this.#halve(batch);
        if (this.#closed && --triesLeft < 0) throw error;
      }
      await new Promise<void>((resolve) => void this.#clock.schedule(JOURNAL_RETRY_MS, resolve));
    }
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { database, onRefused } = this.#options;
    const values = [`[${batch.map(({ json }) => json).join(",")}]`];
    const [taken] = await database.asSystem<{ count: number }>({ text: INSERT, values });
    if (taken?.count === batch.length) return;
    const there = new Set((await database.asSystem<RowKey>({ text: FIND, values })).map(keyOf));
    const refused = batch.map(({ row }) => row).filter((row) => !there.has(keyOf(row)));
    if (refused.length > 0) onRefused?.(refused);
  }

  // J5
  async #halve(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 1) return this.#options.onRefused?.(batch.map(({ row }) => row));
    const half = Math.ceil(batch.length / 2);
    await this.#commit(batch.slice(0, half));
    await this.#commit(batch.slice(half));
  }
}

function unavailable(why: string): FramerailError {
  return new FramerailError("STORE_UNAVAILABLE", why);
}

type RowKey = Pick<JournalRow, "turn_id" | "epoch" | "position">;

const keyOf = ({ turn_id, epoch, position }: RowKey) => `${turn_id}.${epoch}.${position}`;

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
