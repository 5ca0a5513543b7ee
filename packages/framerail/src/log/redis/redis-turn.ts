// A turn that this process writes.
// Owns: its frames from `append` until Redis has acknowledged them, what becomes of each answer. Does not own: the call
// (append-pump.ts), readers (redis-view.ts).
//   T1. One set of frames is under way at a time, and is sent unchanged until there is an answer.
//   T2. Frames are released when they are acknowledged, never before.
//   T3. Frames wait for a log that is away for AWAY_MS_MAX and up to WAITING_BYTES_MAX; then the turn fails.
//   T4. A turn that Redis has lost is restored from what is kept, once it is certain that it is still this process's. A store
//       that cannot tell now is asked again: what readers saw is nowhere but here, and must not be given up for that.
//   T5. Its blocks are used again when it has let go of them, unless anything went wrong: a call whose answer did not come may
//       still be on its way with them.

import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { LoggedFrame } from "../frame-sink.js";
import { PendingFrames } from "../pending-frames.js";
import type { Segment } from "../segment.js";
import type { OpenOptions, TurnAppender, TurnRef } from "../turn-log.js";
import type { AppendAnswer, AppendItem } from "./append-script.js";
import { unavailable } from "./connection.js";
import type { KeptFrames } from "./kept-frames.js";
import { AWAY_MS_MAX, CONFIRM_AGAIN_MS, WAITING_BYTES_HIGH, WAITING_BYTES_MAX } from "./limits.js";
import type { RedisView } from "./redis-view.js";

export interface RedisTurnOptions extends OpenOptions {
  readonly ref: TurnRef;
  readonly view: RedisView;
  readonly kept: KeptFrames;
  readonly clock: Clock;
  /** There is something to send. */
  schedule(turn: RedisTurn): void;
  confirmOwner(ref: TurnRef): Promise<boolean>;
  onEnd(turn: RedisTurn): void;
}

export class RedisTurn extends PendingFrames implements TurnAppender {
  readonly ref: TurnRef;
  readonly view: RedisView;
  readonly kept: KeptFrames;
  readonly #options: RedisTurnOptions;
  readonly #base: number;
  #sending: Segment[] = [];
  #sendingBytes = 0;
  #ackedSeq: number;
  #terminalSeq = Number.POSITIVE_INFINITY;
  /** Redis has answered once that the turn is ours. */
  #claimed = false;
  /** Ask even without frames: to claim the turn, or because Redis may have lost it. */
  #asks = true;
  #confirming = false;
  #failure: FramerailError | undefined;
  #stopWaiting: (() => void) | undefined;
  #readyWaiters: (() => void)[] = [];
  #sealWaiters: (() => void)[] = [];

  constructor(options: RedisTurnOptions) {
    const { ref, view, kept, lastSeq = 0 } = options;
    super(lastSeq);
    [this.ref, this.view, this.kept, this.#options] = [ref, view, kept, options];
    this.#base = lastSeq;
    this.#ackedSeq = lastSeq;
    if (options.isStored) view.hold(lastSeq);
  }

  get failure(): FramerailError | undefined {
    return this.#failure;
  }

  get ackedSeq(): number {
    return this.#ackedSeq;
  }

  get backlogBytes(): number {
    return this.size + this.#sendingBytes;
  }

  seal(terminal: LoggedFrame): Promise<void> {
    this.append(terminal);
    this.#terminalSeq = Math.min(this.#terminalSeq, terminal.seq);
    return new Promise((resolve, reject) => {
      const settle = () => (this.#failure === undefined ? resolve() : reject(this.#failure));
      if (this.#failure !== undefined || this.#ackedSeq >= this.#terminalSeq) settle();
      else this.#sealWaiters.push(settle);
    });
  }

  ready(): Promise<void> {
    if (this.#failure !== undefined || this.backlogBytes < WAITING_BYTES_HIGH) return Promise.resolve();
    return new Promise((resolve) => void this.#readyWaiters.push(resolve));
  }

  unreleased(): readonly Segment[] {
    const sending = this.#sending.filter(({ lastSeq }) => lastSeq > this.#ackedSeq);
    return this.hasPending ? [...sending, this.peekPending()] : sending;
  }

  held(afterSeq: number): readonly Segment[] {
    return this.view.held(afterSeq);
  }

  stored(seq: number): void {
    this.view.stored(seq);
  }

  /** Redis was away and is back. */
  ask(): void {
    this.#asks = true;
    this.#options.schedule(this);
  }

  /** What the next call has of this turn; undefined when there is nothing. */
  nextItem(): AppendItem | undefined {
    if (this.#failure !== undefined || this.#confirming) return undefined;
    if (this.#sending.length === 0 && this.hasPending) {
      this.#sendingBytes = this.size;
      this.#sending = [this.takePending()];
    }
    if (this.#sending.length === 0 && !this.#asks) return undefined;
    this.#asks = false;
    const segments = this.#sending;
    const seals = (segments.at(-1)?.lastSeq ?? 0) >= this.#terminalSeq;
    const next = segments[0]?.firstSeq ?? this.#ackedSeq + 1;
    return { keys: this.view.keys, epoch: this.ref.epoch, base: this.#base, next, segments, seals };
  }

  /** True when the next call should have this turn again. */
  hear({ status, lastSeq, says }: AppendAnswer): boolean {
    if (this.#failure !== undefined) return false;
    switch (status) {
      case "ok":
        this.#release();
        return this.hasPending;
      case "stale":
        this.fail(stale(this.ref.turnId));
        return false;
      case "sealed":
        this.fail(new FramerailError("INVARIANT_VIOLATION", `turn ${this.ref.turnId} is sealed`));
        return false;
      case "gap":
        return this.#restore(lastSeq);
      case "missing":
        this.#confirm();
        return false;
      case "failed":
        this.postpone(new Error(says));
        return true;
    }
  }

  /** T3: the call failed, and is repeated. */
  postpone(cause?: unknown): void {
    // T5
    this.view.keepBlocks();
    this.#asks = true;
    this.#stopWaiting ??= this.#options.clock.schedule(AWAY_MS_MAX, () =>
      this.fail(unavailable(`the log was away for ${AWAY_MS_MAX} ms`, cause)),
    );
  }

  /** The turn is in the store, and no longer here (T5). */
  letGo(): void {
    const isOver = this.#failure === undefined && this.#ackedSeq >= this.#terminalSeq;
    if (isOver && this.view.letGo()) this.leave();
  }

  abandon(): void {
    this.fail(unavailable("the turn was given up"));
    this.view.lose();
  }

  fail(error: FramerailError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.dropPending();
    [this.#sending, this.#sendingBytes] = [[], 0];
    this.view.keepBlocks();
    this.kept.drop();
    this.#settle();
    this.#options.onEnd(this);
    this.#options.onFailure?.(error);
  }

  protected admit(seq: number): boolean {
    if (this.#failure !== undefined) return false;
    if (seq === this.nextSeq && seq <= this.#terminalSeq) return true;
    const says = seq > this.#terminalSeq ? "came after the terminal" : `came for ${this.nextSeq}`;
    this.fail(new FramerailError("INVARIANT_VIOLATION", `frame ${seq} ${says}`));
    return false;
  }

  protected onWaiting(isFirst: boolean): void {
    if (this.backlogBytes > WAITING_BYTES_MAX) this.fail(unavailable("too much waits for the log"));
    else if (isFirst && this.#sending.length === 0) this.#options.schedule(this);
  }

  // T2
  #release(): void {
    this.#claimed = true;
    const { epoch } = this.ref;
    this.view.raiseEpoch(epoch);
    for (const segment of this.#sending) {
      if (segment.lastSeq <= this.#ackedSeq) continue;
      this.kept.add(segment);
      this.view.feed({ epoch, segment, seals: segment.lastSeq >= this.#terminalSeq });
      this.#ackedSeq = segment.lastSeq;
    }
    const released = this.#sending.length > 0;
    [this.#sending, this.#sendingBytes] = [[], 0];
    this.#settle();
    if (released) this.view.wake();
  }

  // T4: everything behind `lastSeq` again, and what is under way after it.
  #restore(lastSeq: number): boolean {
    if (!this.#claimed) {
      this.fail(new FramerailError("INVARIANT_VIOLATION", `the turn is at frame ${lastSeq}, not at ${this.#base}`));
      return false;
    }
    const kept = lastSeq >= this.#base ? this.kept.after(lastSeq) : undefined;
    if (kept === undefined) {
      this.fail(unavailable("the log has lost more of the turn than is kept here"));
      return false;
    }
    this.#sending = [...kept, ...this.#sending.filter((segment) => segment.lastSeq > this.#ackedSeq)];
    this.postpone();
    return true;
  }

  // T4: an owner that was away for long must not bring back a turn that another has, and Redis cannot tell any more.
  #confirm(): void {
    this.#confirming = true;
    this.postpone();
    this.#options.confirmOwner(this.ref).then(
      (isOwner) => {
        this.#confirming = false;
        if (this.#failure !== undefined) return;
        if (!isOwner) this.fail(stale(this.ref.turnId));
        else if (this.#restore(this.#base)) this.#options.schedule(this);
      },
      () =>
        void this.#options.clock.schedule(CONFIRM_AGAIN_MS, () => {
          if (this.#failure === undefined) this.#confirm();
        }),
    );
  }

  #settle(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    if (this.#failure !== undefined || this.backlogBytes < WAITING_BYTES_HIGH) {
      const waiters = this.#readyWaiters;
      this.#readyWaiters = [];
      for (const settle of waiters) settle();
    }
    if (this.#failure === undefined && this.#ackedSeq < this.#terminalSeq) return;
    for (const settle of this.#sealWaiters.splice(0)) settle();
  }
}

export function stale(turnId: string): FramerailError {
  return new FramerailError("STALE_EPOCH", `turn ${turnId} is not this process's any more`);
}
