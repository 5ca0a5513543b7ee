// One reader on one turn: replays what it has not seen, then follows, until the turn has ended, the reader is gone, or it
// is too slow.
// Owns: the reader's place. Does not own: the frames (log/, store/), the socket (stream-output.ts), their look
// (wire-format.ts), who may read.
//   T1. Every frame after the cursor, once, in order; no gap between what is replayed and what is followed [G3].
//   T2. A reader that does not take what it is sent gets no more; past DRAIN_MS_MAX it is cut. Nobody waits for it [G8].
//   T3. After the terminal the stream ends; without one it is only ever cut [G1].
//   T4. Between frames, after HEARTBEAT_MS without one, a sign of life.

import type { Clock } from "@framerail/protocol";
import type { LoggedFrame } from "../../log/frame-sink.js";
import type { Segment } from "../../log/segment.js";
import { createSegment, framesAfter, framesOf } from "../../log/segment.js";
import type { TurnView } from "../../log/turn-log.js";
import { DRAIN_MS_MAX, HEARTBEAT_MS } from "../limits.js";
import type { StreamOutput } from "./stream-output.js";
import type { WireFormat } from "./wire-format.js";

export interface TurnStreamOptions {
  readonly view: TurnView;
  readonly afterSeq: number;
  readonly output: StreamOutput;
  readonly format: WireFormat;
  readonly clock: Clock;
  /** Frames that are no longer in memory, some at a time: from behind the log, or from the store. */
  readBack(afterSeq: number): Promise<readonly LoggedFrame[]>;
  /** The stream is over: after the terminal, or cut. */
  onEnd(how: "ended" | "slow" | "lost"): void;
}

export class TurnStream {
  readonly #options: TurnStreamOptions;
  readonly #unwatch: () => void;
  #seq: number;
  #position: number | undefined;
  #waitsFor: "frames" | "drain" | "back" = "frames";
  #cancelDrain: (() => void) | undefined;
  #cancelHeartbeat: () => void;
  #lastSentAt: number;
  #over = false;

  constructor(options: TurnStreamOptions) {
    const { view, afterSeq, output, format, clock } = options;
    this.#options = options;
    this.#seq = afterSeq;
    this.#position = view.seek(afterSeq);
    this.#lastSentAt = clock.now();
    output.text(format.opening);
    this.#cancelHeartbeat = clock.schedule(HEARTBEAT_MS, () => this.#beat());
    this.#unwatch = view.watch(() => {
      if (this.#waitsFor === "frames") this.#pump();
    });
    this.#pump();
  }

  /** The last frame that was sent. */
  get seq(): number {
    return this.#seq;
  }

  /** Leaves, for whatever reason: the reader went, or the server closes. Says nothing to it. */
  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#unwatch();
    this.#cancelHeartbeat();
    this.#cancelDrain?.();
  }

  #pump(): void {
    let goesOn = true;
    while (goesOn && !this.#over) goesOn = this.#step();
  }

  /** Sends the next segment, or begins to wait for what it takes; false when there is nothing to do now. */
  #step(): boolean {
    const { view, output } = this.#options;
    if (!output.hasRoom) this.#waitForDrain();
    else if (this.#position === undefined) this.#goBack();
    else {
      const segment = view.segmentAt(this.#position);
      if (segment !== undefined) this.#send(segment);
      else if (this.#seq < view.lastSeq) this.#position = view.seek(this.#seq);
      else if (view.sealed) this.#finish();
      else if (view.lost) this.#cut("lost");
      else return false;
      return true;
    }
    return false;
  }

  #send(segment: Segment): void {
    const { output, format, clock } = this.#options;
    const isWhole = segment.firstSeq === this.#seq + 1;
    if (format.project !== undefined) {
      output.text(format.project(isWhole ? framesOf(segment) : framesAfter(segment, this.#seq)));
    } else if (isWhole) output.segment(segment);
    else output.text(framesAfter(segment, this.#seq));
    this.#seq = segment.lastSeq;
    if (this.#position !== undefined) this.#position += 1;
    this.#lastSentAt = clock.now();
  }

  // T2
  #waitForDrain(): void {
    if (this.#waitsFor === "drain") return;
    const { output, clock } = this.#options;
    this.#waitsFor = "drain";
    this.#cancelDrain = clock.schedule(DRAIN_MS_MAX, () => this.#cut("slow"));
    output.onDrain(() => {
      this.#cancelDrain?.();
      this.#waitsFor = "frames";
      this.#pump();
    });
  }

  /** What memory has let go comes from behind it; then the reader is back among the others. */
  #goBack(): void {
    if (this.#waitsFor === "back") return;
    this.#waitsFor = "back";
    this.#options.readBack(this.#seq).then(
      (frames) => {
        if (this.#over) return;
        this.#waitsFor = "frames";
        if (frames.length === 0) this.#cut("lost");
        else {
          this.#send(createSegment(frames));
          this.#position = this.#options.view.seek(this.#seq);
          this.#pump();
        }
      },
      () => this.#cut("lost"),
    );
  }

  // T3
  #finish(): void {
    const { output, format, onEnd } = this.#options;
    this.close();
    output.text(format.closing);
    output.end();
    onEnd("ended");
  }

  #cut(how: "slow" | "lost"): void {
    if (this.#over) return;
    this.close();
    this.#options.output.cut();
    this.#options.onEnd(how);
  }

  // T4. One timer per heartbeat, not per frame: it looks when the last frame went, and waits for the rest.
  #beat(): void {
    const { output, format, clock } = this.#options;
    const silentMs = clock.now() - this.#lastSentAt;
    if (silentMs >= HEARTBEAT_MS && this.#waitsFor === "frames") {
      output.text(format.heartbeat);
      this.#lastSentAt = clock.now();
    }
    const nextMs = Math.max(1, HEARTBEAT_MS - (clock.now() - this.#lastSentAt));
    this.#cancelHeartbeat = clock.schedule(nextMs, () => this.#beat());
  }
}
