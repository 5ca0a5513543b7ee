// The frames of a turn that wait for its log: what the owners of both drivers have in common.
// Owns: their bytes and numbers. Does not own: which frames are taken, when they are written (the driver's turn).
//   P1. Frames wait in the order of their numbers, without a gap; a driver refuses what does not fit before it is here.
//   P2. It extends the writer of its segments instead of holding one: one object less to fetch for every frame of a turn that
//       is in no cache.

import type { LoggedFrame } from "./frame-sink.js";
import type { Segment } from "./segment.js";
import { SegmentWriter } from "./segment.js";

export abstract class PendingFrames extends SegmentWriter {
  #nextSeq: number;
  /** The last frame that does not wait any more. */
  #takenSeq: number;

  /** `lastSeq`: the last frame that the turn already has. */
  constructor(lastSeq: number) {
    super();
    this.#takenSeq = lastSeq;
    this.#nextSeq = lastSeq + 1;
  }

  append(frame: LoggedFrame): void {
    if (!this.admit(frame.seq)) return;
    this.write(frame.sse);
    this.#advance();
  }

  commit(seq: number, size: number): void {
    if (!this.admit(seq)) return;
    this.advance(size);
    this.#advance();
  }

  /** Whether the frame is taken; one that does not fit fails the turn. */
  protected abstract admit(seq: number): boolean;

  /** One frame more waits; `isFirst`: none did before it. */
  protected abstract onWaiting(isFirst: boolean): void;

  protected get nextSeq(): number {
    return this.#nextSeq;
  }

  protected get hasPending(): boolean {
    return this.#takenSeq < this.#nextSeq - 1;
  }

  /** What waits, which then waits no more. */
  protected takePending(): Segment {
    const segment = this.cut(this.#takenSeq + 1, this.#nextSeq - 1);
    this.#takenSeq = this.#nextSeq - 1;
    return segment;
  }

  /** A copy of what waits. */
  protected peekPending(): Segment {
    return this.peek(this.#takenSeq + 1, this.#nextSeq - 1);
  }

  protected dropPending(): void {
    this.drop();
    this.#takenSeq = this.#nextSeq - 1;
  }

  #advance(): void {
    const isFirst = !this.hasPending;
    this.#nextSeq += 1;
    this.onWaiting(isFirst);
  }
}
