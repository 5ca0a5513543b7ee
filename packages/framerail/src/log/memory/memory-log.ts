// The turn log of one process: in memory, and in a journal file where the data must outlive it.
// Owns: which turns there are, and the tick in which all of them are written and released. Does not own: the bytes
// (segment.ts), a turn's readers (turn-buffer.ts), files (journal-file.ts).
//   M1. Frames wait for the next tick, or after a busy one for the next beat; then those of all turns go to the journal in
//       one write, and only then to readers.
//   M2. A write that fails fails the turns in it: none of their frames is released, and none of theirs is taken later.
//   M3. A turn that is sealed and in the store leaves memory after a while, or at once when nobody reads it.
//   M4. Readers of a turn whose writing failed are cut, unless a new owner goes on where it stopped.
//   M5. What an earlier process left in the journal can be read, and be written on by a new owner.
//   M6. Blocks are used again only of turns that had one owner, from their beginning to a good end: whoever else has had a
//       part in one may still read them.

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError, systemClock } from "@framerail/protocol";
import { steadyMs } from "../../clock.js";
import { atEndOfTick, createBeat } from "../../end-of-tick.js";
import { giveBlock } from "../block-pool.js";
import type { LoggedFrame } from "../frame-sink.js";
import { BUSY_MS_APART, FRAMES_OF_BUSY_TICK, SEALED_MS_IN_MEMORY } from "../limits.js";
import { PendingFrames } from "../pending-frames.js";
import { readWhole } from "../read-whole.js";
import type { Segment } from "../segment.js";
import { framesOf } from "../segment.js";
import { splitFrames } from "../split-frames.js";
import { TurnBuffer } from "../turn-buffer.js";
import type { OpenOptions, TurnAppender, TurnLog, TurnRef, TurnView } from "../turn-log.js";
import type { JournalFile, JournalPlace, ReplayedRecord } from "./journal-file.js";
import type { PlacedFrames } from "./journal-places.js";
import { JournalPlaces } from "./journal-places.js";
import type { JournalRecord } from "./journal-record.js";

/** Bytes that may wait for a tick before a writer that asks is told to wait for it. */
const BACKLOG_BYTES_HIGH = 262_144;

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
    const { journal, replayed = [], clock = systemClock, nextTick = atEndOfTick } = options;
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
      view.take(ref.epoch);
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
      const segment = turn.take();
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

class MemoryTurn extends PendingFrames implements TurnAppender {
  readonly view: MemoryView;
  readonly #ref: TurnRef;
  readonly #onFailure: OpenOptions["onFailure"];
  readonly #schedule: (turn: MemoryTurn) => void;
  #terminal = false;
  #failure: FramerailError | undefined;
  #waiting: (() => void)[] | undefined;

  constructor(ref: TurnRef, options: OpenOptions, view: MemoryView, schedule: (turn: MemoryTurn) => void) {
    const { lastSeq = 0 } = options;
    super(lastSeq);
    this.view = view;
    this.#ref = ref;
    this.#onFailure = options.onFailure;
    this.#schedule = schedule;
    if (options.isStored) view.hold(lastSeq);
  }

  get epoch(): number {
    return this.#ref.epoch;
  }

  get failure(): FramerailError | undefined {
    return this.#failure;
  }

  get backlogBytes(): number {
    return this.size;
  }

  seal(terminal: LoggedFrame): Promise<void> {
    this.append(terminal);
    this.#terminal = true;
    return new Promise((resolve, reject) => {
      const settle = () => (this.#failure === undefined ? resolve() : reject(this.#failure));
      if (this.hasPending) this.#wait(settle);
      else settle();
    });
  }

  ready(): Promise<void> {
    if (this.backlogBytes < BACKLOG_BYTES_HIGH) return Promise.resolve();
    return new Promise((resolve) => this.#wait(resolve));
  }

  held(afterSeq: number): readonly Segment[] {
    return this.view.held(afterSeq);
  }

  unreleased(): readonly Segment[] {
    return this.hasPending ? [this.peekPending()] : [];
  }

  stored(seq: number): void {
    this.view.stored(seq);
    this.view.leaveJournal(this.#ref.turnId, seq);
  }

  /** The tick's frames as one segment, which is then to be released; undefined when there is nothing to write. */
  take(): Segment | undefined {
    return this.hasPending ? this.takePending() : undefined;
  }

  record(segment: Segment): JournalRecord {
    const { turnId, orgId, epoch } = this.#ref;
    const kind = this.#terminal ? "seal" : "frames";
    const count = segment.lastSeq - segment.firstSeq + 1;
    return { kind, turnId, orgId, epoch, firstSeq: segment.firstSeq, count, bytes: framesOf(segment) };
  }

  release(segment: Segment, place: JournalPlace | undefined): void {
    this.view.keep(segment, this.#terminal, place);
    this.#settle();
    this.view.wake();
  }

  abandon(): void {
    this.fail(new FramerailError("LOG_UNAVAILABLE", "the turn was given up"));
  }

  fail(error: FramerailError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.dropPending();
    this.#settle();
    this.view.keepBlocks();
    // M4: a new owner has the view already.
    if (error.code !== "STALE_EPOCH") this.view.lose();
    this.#onFailure?.(error);
  }

  /** The turn is in the store, and no longer here. */
  letGo(): void {
    if (!this.#terminal || this.#failure !== undefined || this.hasPending) return;
    if (this.view.letGo()) this.leave();
  }

  protected admit(seq: number): boolean {
    if (this.#failure !== undefined) return false;
    if (!this.#terminal && seq === this.nextSeq) return true;
    const says = this.#terminal ? "a frame came after the terminal" : `frame ${seq} came for ${this.nextSeq}`;
    this.fail(new FramerailError("INVARIANT_VIOLATION", says));
    return false;
  }

  protected onWaiting(isFirst: boolean): void {
    if (isFirst) this.#schedule(this);
  }

  #wait(settle: () => void): void {
    this.#waiting ??= [];
    this.#waiting.push(settle);
  }

  #settle(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    for (const settle of waiting) settle();
  }
}

class MemoryView extends TurnBuffer implements TurnView {
  readonly #journal: JournalFile | undefined;
  readonly #places = new JournalPlaces();
  #lost = false;
  /** M6 */
  #keepsBlocks = false;

  constructor(epoch: number, lastSeq: number, journal: JournalFile | undefined) {
    super(epoch, lastSeq);
    this.#journal = journal;
  }

  get lost(): boolean {
    return this.#lost;
  }

  get lagMsMax(): number {
    return 0;
  }

  /** The first frame that can be read here: those before it are stored. */
  get firstSeq(): number {
    return Math.min(this.#places.firstSeq ?? this.lastSeq + 1, this.keptSeq ?? this.lastSeq + 1);
  }

  take(epoch: number): void {
    this.claim(epoch);
    this.#lost = false;
  }

  /** From now on they are left to the collector (M6). */
  keepBlocks(): void {
    this.#keepsBlocks = true;
  }

  /** False while there are readers, who have it to themselves then. */
  letGo(): boolean {
    if (this.#keepsBlocks || this.watcherCount > 0) return false;
    this.clear();
    return true;
  }

  protected override onFree(block: Buffer): void {
    if (!this.#keepsBlocks) giveBlock(block);
  }

  lose(): void {
    this.#lost = true;
    this.wake();
  }

  /** The journal need not keep what is stored; where it does not, nothing is read from it. */
  leaveJournal(turnId: string, storedSeq: number): void {
    const file = this.#journal?.stored(turnId, storedSeq) ?? 0;
    if (file > 0) this.#places.drop(file);
  }

  /** Frames of an earlier process: where they are is all that is kept of them. */
  recall(frames: PlacedFrames, epoch: number, seals: boolean): void {
    // Those in between were stored, and so were those before them.
    if (frames.firstSeq > this.lastSeq + 1) this.#places.clear();
    this.#places.add(frames);
    this.claim(epoch);
    this.skipTo(frames.lastSeq, seals);
  }

  keep(segment: Segment, seals: boolean, place: JournalPlace | undefined): void {
    this.release(segment, seals);
    if (place === undefined) return;
    const { firstSeq, lastSeq } = segment;
    this.#places.add({ firstSeq, lastSeq, place });
  }

  async readBack(afterSeq: number): Promise<readonly LoggedFrame[]> {
    const found = this.#places.after(afterSeq);
    if (found === undefined || found.firstSeq > afterSeq + 1 || this.#journal === undefined) return [];
    const frames = splitFrames(this.#journal.read(found.place), found.firstSeq);
    return frames.filter(({ seq }) => seq > afterSeq);
  }
}

function stale(turnId: string): FramerailError {
  return new FramerailError("STALE_EPOCH", `turn ${turnId} is not this process's any more`);
}
