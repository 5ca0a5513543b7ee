// One turn as its owner writes it to the log in memory.
// Owns: what waits for the next tick, the first failure. Does not own: when a tick is (memory-log.ts), what readers get
// (memory-view.ts).
//   T1. A turn that has failed takes nothing more, and tells its owner once.
//   T2. A frame out of order, or after the terminal, fails the turn [D-1].

import { FramerailError } from "@framerail/protocol";
import type { LoggedFrame } from "../frame-sink.js";
import { BACKLOG_BYTES_HIGH } from "../limits.js";
import { PendingFrames } from "../pending-frames.js";
import type { Segment } from "../segment.js";
import { framesOf } from "../segment.js";
import type { OpenOptions, TurnAppender, TurnRef } from "../turn-log.js";
import type { JournalPlace } from "./journal-file.js";
import type { JournalRecord } from "./journal-record.js";
import type { MemoryView } from "./memory-view.js";

export class MemoryTurn extends PendingFrames implements TurnAppender {
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
  cutTick(): Segment | undefined {
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

  // T1
  fail(error: FramerailError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.dropPending();
    this.#settle();
    this.view.keepBlocks();
    // A new owner has the view already.
    if (error.code !== "STALE_EPOCH") this.view.lose();
    this.#onFailure?.(error);
  }

  /** The turn is in the store, and no longer here. */
  letGo(): void {
    if (!this.#terminal || this.#failure !== undefined || this.hasPending) return;
    if (this.view.letGo()) this.leave();
  }

  // T2
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
