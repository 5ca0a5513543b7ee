// The turn log of one process: in memory, and in a journal file where the data must outlive it.
// Owns: which turns there are, and the tick in which all of them are written and released. Does not own: the bytes
// (segment.ts), a turn's readers (turn-buffer.ts), files (journal-file.ts).
//   M1. Frames wait for the next tick; then those of all turns go to the journal in one write, and only then to readers.
//   M2. A write that fails fails the turns in it: none of their frames is released, and none of theirs is taken later.
//   M3. A turn that is sealed and in the store leaves memory after a while, or at once when nobody reads it.

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError, systemClock } from "@framerail/protocol";
import { atEndOfTick } from "../end-of-tick.js";
import type { EncodedFrame, LoggedFrame } from "../frame-sink.js";
import { SEALED_MS_IN_MEMORY } from "../limits.js";
import type { Segment } from "../segment.js";
import { createSegment, framesOf } from "../segment.js";
import { splitFrames } from "../split-frames.js";
import { TurnBuffer } from "../turn-buffer.js";
import type { OpenOptions, TurnAppender, TurnLog, TurnRef, TurnView } from "../turn-log.js";
import type { JournalFile, JournalPlace } from "./journal-file.js";
import type { JournalRecord } from "./journal-record.js";

/** Bytes that may wait for a tick before a writer that asks is told to wait for it. */
const BACKLOG_BYTES_HIGH = 262_144;

export interface MemoryLogOptions {
  /** Without one, what is logged is gone with the process: for tests and benches. */
  readonly journal?: JournalFile;
  readonly clock?: Clock;
  /** How the end of a tick is waited for. */
  nextTick?(flush: () => void): void;
}

export function createMemoryLog(options: MemoryLogOptions = {}): TurnLog {
  return new MemoryLog(options);
}

class MemoryLog implements TurnLog {
  readonly #journal: JournalFile | undefined;
  readonly #clock: Clock;
  readonly #nextTick: (flush: () => void) => void;
  readonly #turns = new Map<string, MemoryTurn>();
  #dirty: MemoryTurn[] = [];
  #scheduled = false;

  constructor({ journal, clock = systemClock, nextTick = atEndOfTick }: MemoryLogOptions) {
    this.#journal = journal;
    this.#clock = clock;
    this.#nextTick = nextTick;
  }

  open(ref: TurnRef, options: OpenOptions = {}): TurnAppender {
    const earlier = this.#turns.get(ref.turnId);
    const turn = new MemoryTurn(ref, options, (changed) => this.#schedule(changed), this.#journal);
    if (earlier !== undefined && earlier.epoch >= ref.epoch) turn.fail(stale(ref.turnId));
    else {
      earlier?.fail(stale(ref.turnId));
      this.#turns.set(ref.turnId, turn);
    }
    return turn;
  }

  attach(turnId: string): Promise<TurnView | undefined> {
    return Promise.resolve(this.#turns.get(turnId)?.view);
  }

  detach(): void {
    // A view holds nothing but what its watchers hold.
  }

  forget(turnId: string): void {
    this.#journal?.forget(turnId);
    const turn = this.#turns.get(turnId);
    const drop = () => {
      if (this.#turns.get(turnId) === turn) this.#turns.delete(turnId);
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

  #schedule(turn: MemoryTurn): void {
    this.#dirty.push(turn);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#nextTick(() => this.#flush());
  }

  // M1
  #flush(): void {
    const turns = this.#dirty;
    this.#dirty = [];
    this.#scheduled = false;
    const ready = turns.filter((turn) => turn.prepare());
    if (ready.length === 0) return;
    try {
      const places = this.#journal?.write(ready.map((turn) => turn.record()));
      for (const [index, turn] of ready.entries()) turn.release(places?.[index]);
    } catch (error) {
      if (!isFramerailError(error)) throw error;
      for (const turn of ready) turn.fail(error);
    }
  }
}

class MemoryTurn implements TurnAppender {
  readonly epoch: number;
  readonly view: MemoryView;
  readonly #ref: TurnRef;
  readonly #options: OpenOptions;
  readonly #schedule: (turn: MemoryTurn) => void;
  #pending: EncodedFrame[] = [];
  #nextSeq: number;
  #backlog = 0;
  #terminal = false;
  #segment: Segment | undefined;
  #failure: FramerailError | undefined;
  #waiting: (() => void)[] = [];

  constructor(ref: TurnRef, options: OpenOptions, schedule: (turn: MemoryTurn) => void, journal?: JournalFile) {
    const { lastSeq = 0 } = options;
    this.epoch = ref.epoch;
    this.view = new MemoryView(ref.epoch, lastSeq, journal);
    this.#ref = ref;
    this.#options = options;
    this.#schedule = schedule;
    this.#nextSeq = lastSeq + 1;
  }

  get failure(): FramerailError | undefined {
    return this.#failure;
  }

  get backlogBytes(): number {
    return this.#backlog;
  }

  append(frame: EncodedFrame): void {
    if (this.#failure !== undefined) return;
    if (this.#terminal || frame.seq !== this.#nextSeq) {
      const says = this.#terminal ? "a frame came after the terminal" : `frame ${frame.seq} came for ${this.#nextSeq}`;
      this.fail(new FramerailError("INVARIANT_VIOLATION", says));
      return;
    }
    this.#nextSeq += 1;
    this.#backlog += frame.sse.length;
    this.#pending.push(frame);
    if (this.#pending.length === 1) this.#schedule(this);
  }

  seal(terminal: EncodedFrame): Promise<void> {
    this.append(terminal);
    this.#terminal = true;
    return new Promise((resolve, reject) => {
      const settle = () => (this.#failure === undefined ? resolve() : reject(this.#failure));
      if (this.#pending.length === 0) settle();
      else this.#waiting.push(settle);
    });
  }

  ready(): Promise<void> {
    if (this.#backlog < BACKLOG_BYTES_HIGH) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Makes the tick's frames one segment; false when there is nothing to write. */
  prepare(): boolean {
    if (this.#failure !== undefined || this.#pending.length === 0) return false;
    this.#segment = createSegment(this.#pending);
    return true;
  }

  record(): JournalRecord {
    const segment = this.#segment as Segment;
    const { turnId, orgId, epoch } = this.#ref;
    const kind = this.#terminal ? "seal" : "frames";
    const count = segment.ends.length;
    return { kind, turnId, orgId, epoch, firstSeq: segment.firstSeq, count, bytes: framesOf(segment) };
  }

  release(place: JournalPlace | undefined): void {
    this.view.keep(this.#segment as Segment, this.#terminal, place);
    this.#settle();
    this.view.wake();
  }

  fail(error: FramerailError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#settle();
    this.#options.onFailure?.(error);
  }

  #settle(): void {
    this.#pending = [];
    this.#backlog = 0;
    this.#segment = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const settle of waiting) settle();
  }
}

class MemoryView extends TurnBuffer implements TurnView {
  readonly #journal: JournalFile | undefined;
  readonly #places: { readonly firstSeq: number; readonly lastSeq: number; readonly place: JournalPlace }[] = [];

  constructor(epoch: number, lastSeq: number, journal: JournalFile | undefined) {
    super(epoch, lastSeq);
    this.#journal = journal;
  }

  keep(segment: Segment, seals: boolean, place: JournalPlace | undefined): void {
    this.release(segment, seals);
    const { firstSeq, lastSeq } = segment;
    if (place !== undefined) this.#places.push({ firstSeq, lastSeq, place });
  }

  async readBack(afterSeq: number): Promise<readonly LoggedFrame[]> {
    const found = this.#places[this.#indexAfter(afterSeq)];
    if (found === undefined || this.#journal === undefined) return [];
    const frames = splitFrames(this.#journal.read(found.place), found.firstSeq);
    return frames.filter(({ seq }) => seq > afterSeq);
  }

  /** The first place with a frame after `afterSeq`, by halves: a long turn has many. */
  #indexAfter(afterSeq: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#places[middle]?.lastSeq ?? 0) > afterSeq) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function stale(turnId: string): FramerailError {
  return new FramerailError("STALE_EPOCH", `turn ${turnId} is not this process's any more`);
}
