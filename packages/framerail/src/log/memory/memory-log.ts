// The turn log of one process: in memory, and in a journal file where the data must outlive it.
// Owns: which turns there are, and the tick in which all of them are written and released. Does not own: what waits of one
// (memory-turn.ts), what its readers get (memory-view.ts), files (journal-file.ts).
//   M1. Frames wait for the next tick, or after a busy one for the next beat; then those of all turns go to the journal in
//       one write, and only then to readers. Without a journal there is no write to share, and a tick is a single event's.
//   M2. A write that fails fails the turns in it: none of their frames is released, and none of theirs is taken later.
//   M3. A turn that is sealed and in the store leaves memory after a while, or at once when nobody reads it.
//   M4. Readers of a turn whose writing failed are cut, unless a new owner goes on where it stopped.
//   M5. What an earlier process left in the journal can be read, and be written on by a new owner.

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError, systemClock } from "@framerail/protocol";
import { steadyMs } from "../../clock.js";
import { atEndOfEvent, atEndOfTick, createBeat } from "../../end-of-tick.js";
import type { LoggedFrame } from "../frame-sink.js";
import { BUSY_MS_APART, FRAMES_OF_BUSY_TICK, SEALED_MS_IN_MEMORY } from "../limits.js";
import { readWhole } from "../read-whole.js";
import type { Segment } from "../segment.js";
import type { OpenOptions, TurnAppender, TurnLog, TurnRef, TurnView } from "../turn-log.js";
import type { JournalFile, ReplayedRecord } from "./journal-file.js";
import { MemoryTurn } from "./memory-turn.js";
import { MemoryView } from "./memory-view.js";

export interface MemoryLogOptions {
  /** Without one, what is logged is gone with the process: for tests and benches. */
  readonly journal?: JournalFile;
  /** What the journal had when it was opened, in order (M5). */
  readonly replayed?: Iterable<ReplayedRecord>;
  readonly clock?: Clock;
  /** Hears how long each write took. */
  onFlush?(ms: number): void;
  /** How the end of a tick is waited for. */
  nextTick?(flush: () => void): void;
}

export interface RecoveredLog extends TurnLog {
  /** The turns that the log has. */
  readonly turnIds: readonly string[];
}

export function createMemoryLog(options: MemoryLogOptions = {}): RecoveredLog {
  return new MemoryLog(options);
}

class MemoryLog implements RecoveredLog {
  readonly #journal: JournalFile | undefined;
  readonly #clock: Clock;
  readonly #nextTick: (flush: () => void) => void;
  readonly #onFlush: MemoryLogOptions["onFlush"];
  readonly #turns = new Map<string, MemoryTurn>();
  readonly #nextBeat = createBeat(BUSY_MS_APART);
  readonly #flushNow = () => this.#flush();
  readonly #scheduleTurn = (turn: MemoryTurn) => this.#schedule(turn);
  #dirty: MemoryTurn[] = [];
  #scheduled = false;
  #isBusy = false;

  constructor(options: MemoryLogOptions) {
    const { journal, replayed = [], clock = systemClock } = options;
    // M1
    const { nextTick = journal === undefined ? atEndOfEvent : atEndOfTick } = options;
    this.#onFlush = options.onFlush;
    this.#journal = journal;
    this.#clock = clock;
    this.#nextTick = nextTick;
    for (const record of replayed) this.#replay(record);
  }

  get turnIds(): readonly string[] {
    return [...this.#turns.keys()];
  }

  open(ref: TurnRef, options: OpenOptions = {}): TurnAppender {
    const { lastSeq = 0 } = options;
    const earlier = this.#turns.get(ref.turnId);
    const isStale = earlier !== undefined && earlier.epoch >= ref.epoch;
    // M4: whoever reads it already goes on.
    const joins = !isStale && earlier?.view.lastSeq === lastSeq && !earlier.view.sealed;
    const view = joins ? earlier.view : new MemoryView(ref.epoch, lastSeq, this.#journal);
    const turn = new MemoryTurn(ref, options, view, this.#scheduleTurn);
    if (isStale) turn.fail(stale(ref.turnId));
    else {
      earlier?.fail(stale(ref.turnId));
      if (!joins) earlier?.view.lose();
      view.reopen(ref.epoch);
      this.#turns.set(ref.turnId, turn);
    }
    return turn;
  }

  async takeOver({ turnId, epoch }: TurnRef): Promise<readonly LoggedFrame[]> {
    const turn = this.#turns.get(turnId);
    if (turn === undefined) return [];
    if (turn.epoch > epoch) throw stale(turnId);
    if (turn.epoch < epoch) turn.fail(stale(turnId));
    return readWhole(turn.view, turn.view.firstSeq - 1);
  }

  attach(turnId: string): Promise<TurnView | undefined> {
    return Promise.resolve(this.#turns.get(turnId)?.view);
  }

  detach(): void {
    // A view holds nothing but what its watchers hold.
  }

  forget(turnId: string): void {
    this.#journal?.stored(turnId, Number.POSITIVE_INFINITY);
    const turn = this.#turns.get(turnId);
    turn?.view.stored(turn.view.lastSeq);
    const drop = () => {
      if (this.#turns.get(turnId) === turn) this.#turns.delete(turnId);
      turn?.letGo();
    };
    // M3
    if (turn?.view.watcherCount === 0) drop();
    else this.#clock.schedule(SEALED_MS_IN_MEMORY, drop);
  }

  close(): Promise<void> {
    this.#flush();
    this.#journal?.close();
    return Promise.resolve();
  }

  // M5
  #replay({ kind, turnId, orgId, epoch, firstSeq, count, file, offset, bytes }: ReplayedRecord): void {
    const lastSeq = firstSeq + count - 1;
    const known = this.#turns.get(turnId)?.view;
    const view = known ?? new MemoryView(epoch, 0, this.#journal);
    view.recall({ firstSeq, lastSeq, place: { file, offset, length: bytes.length } }, epoch, kind === "seal");
    if (known === undefined) {
      const options = { lastSeq };
      this.#turns.set(turnId, new MemoryTurn({ orgId, turnId, epoch }, options, view, () => undefined));
    }
  }

  #schedule(turn: MemoryTurn): void {
    this.#dirty.push(turn);
    if (this.#scheduled) return;
    this.#scheduled = true;
    const wait = this.#isBusy ? this.#nextBeat : this.#nextTick;
    wait(this.#flushNow);
  }

  // M1
  #flush(): void {
    const turns = this.#dirty;
    this.#dirty = [];
    this.#scheduled = false;
    const ready: MemoryTurn[] = [];
    const segments: Segment[] = [];
    let frames = 0;
    for (const turn of turns) {
      const segment = turn.cutTick();
      if (segment === undefined) continue;
      ready.push(turn);
      segments.push(segment);
      frames += segment.lastSeq - segment.firstSeq + 1;
    }
    this.#isBusy = frames >= FRAMES_OF_BUSY_TICK;
    if (ready.length === 0) return;
    const startedAt = this.#onFlush && steadyMs();
    try {
      const recordOf = (turn: MemoryTurn, index: number) => turn.record(segments[index] as Segment);
      const places = this.#journal?.write(ready.map(recordOf));
      let index = 0;
      for (const turn of ready) {
        turn.release(segments[index] as Segment, places?.[index]);
        index += 1;
      }
    } catch (error) {
      if (!isFramerailError(error)) throw error;
      for (const turn of ready) turn.fail(error);
    }
    if (startedAt !== undefined) this.#onFlush?.(steadyMs() - startedAt);
  }
}

function stale(turnId: string): FramerailError {
  return new FramerailError("STALE_EPOCH", `turn ${turnId} is not this process's any more`);
}
