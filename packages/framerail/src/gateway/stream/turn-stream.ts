// One reader on one turn: replays what it has not seen, then follows, until the turn has ended, the reader is gone, or it
// is too slow.
// Owns: the reader's place. Does not own: the frames (log/, store/), the socket (stream-output.ts), their look
// (wire-format.ts), who may read.
//   T1. Every frame after the cursor, once, in order; no gap between what is replayed and what is followed [G3].
//   T2. A reader that does not take what it is sent gets no more; past DRAIN_MS_MAX it is cut. Nobody waits for it [G8].
//   T3. After the terminal the stream ends; without one it is only ever cut [G1].
//   T4. Between frames, after HEARTBEAT_MS without one, a sign of life.
//   T5. A frame that is not found is not stepped over: the reader is cut in front of it. Once the turn has ended, and all
//       of it must be stored, that is a drop [W-NFR-5].

import type { Clock } from "@framerail/protocol";
import { markOf, msSince } from "../../clock.js";
import type { LoggedFrame } from "../../log/frame-sink.js";
import type { Segment } from "../../log/segment.js";
import { framesAfter, framesOf } from "../../log/segment.js";
import type { TurnView, Watcher } from "../../log/turn-log.js";
import { BACK_LENGTH, DRAIN_MS_MAX, HEARTBEAT_MS, READER_BYTES_MAX } from "../limits.js";
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
  onEnd(how: TurnStreamEnd): void;
}

/** `lost`: the turn cannot be read on here for now. `dropped`: a frame of it is gone for good. */
export type TurnStreamEnd = "ended" | "slow" | "lost" | "dropped";

export class TurnStream implements Watcher {
  readonly #options: TurnStreamOptions;
  readonly #view: TurnView;
  readonly #output: StreamOutput;
  readonly #format: WireFormat;
  readonly #clock: Clock;
  readonly #unwatch: () => void;
  #seq: number;
  #waitsFor: "frames" | "drain" | "back" = "frames";
  #cancelDrain: (() => void) | undefined;
  #cancelHeartbeat: () => void;
  /** When the last bytes went. */
  #sentMark: number;
  #over = false;

  constructor(options: TurnStreamOptions) {
    const { view, afterSeq, output, format, clock } = options;
    this.#options = options;
    [this.#view, this.#output, this.#format, this.#clock] = [view, output, format, clock];
    this.#seq = afterSeq;
    this.#sentMark = markOf(clock.now());
    output.text(format.opening);
    this.#cancelHeartbeat = clock.schedule(HEARTBEAT_MS, () => this.#beat());
    this.#unwatch = view.watch(this);
    this.#pump();
  }

  /** There is something new. */
  wake(): void {
    if (this.#waitsFor === "frames") this.#pump();
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
    const view = this.#view;
    if (!hasRoom(this.#output)) this.#waitForDrain();
    else if (this.#seq < view.lastSeq) {
      const segment = view.after(this.#seq);
      if (segment === undefined) this.#goBack();
      else {
        this.#send(segment);
        return true;
      }
    } else if (view.sealed) this.#finish();
    else if (view.lost) this.#cut("lost");
    return false;
  }

  #send(segment: Segment): void {
    const [output, format] = [this.#output, this.#format];
    const isWhole = segment.firstSeq === this.#seq + 1;
    if (isWhole && format.project === undefined) {
      output.segment(segment);
      this.#sentMark = markOf(this.#clock.now());
    } else this.#sendText(isWhole ? framesOf(segment) : framesAfter(segment, this.#seq));
    this.#seq = segment.lastSeq;
  }

  /** Frames as this reader gets them. Where it gets nothing of them, nothing went (T4). */
  #sendText(frames: Buffer): void {
    const [output, format] = [this.#output, this.#format];
    const text = format.project === undefined ? frames : format.project(frames);
    output.text(text);
    if (text.length > 0) this.#sentMark = markOf(this.#clock.now());
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
    const { view, readBack } = this.#options;
    this.#waitsFor = "back";
    readBack(this.#seq).then(
      (frames) => {
        if (this.#over) return;
        this.#waitsFor = "frames";
        // T5
        if (frames[0]?.seq !== this.#seq + 1) this.#cut(view.sealed ? "dropped" : "lost");
        else {
          this.#sendBack(frames);
          this.#pump();
        }
      },
      () => this.#cut("lost"),
    );
  }

  /** Of many frames at once as much as the reader takes; the rest is read again when it has taken that (T2, T5). */
  #sendBack(frames: readonly LoggedFrame[]): void {
    const { output } = this.#options;
    for (let next = 0; next < frames.length && hasRoom(output); ) {
      let text = "";
      for (let frame = frames[next]; frame?.seq === this.#seq + 1 && text.length < BACK_LENGTH; frame = frames[next]) {
        text += frame.sse;
        this.#seq = frame.seq;
        next += 1;
      }
      if (text === "") break;
      // Bytes of this reader's own, and no more of them than there are: a segment would take from what all readers share.
      this.#sendText(Buffer.from(text));
    }
  }

  // T3
  #finish(): void {
    const { output, format, onEnd, clock } = this.#options;
    this.close();
    output.text(format.closing);
    // T2: the last bytes are waited for no longer than any others.
    const cancelWait = clock.schedule(DRAIN_MS_MAX, () => output.cut());
    output.end(cancelWait);
    onEnd("ended");
  }

  #cut(how: Exclude<TurnStreamEnd, "ended">): void {
    if (this.#over) return;
    this.close();
    this.#options.output.cut();
    this.#options.onEnd(how);
  }

  // T4. One timer per heartbeat, not per frame: it looks when the last frame went, and waits for the rest.
  #beat(): void {
    const { output, format, clock } = this.#options;
    const now = clock.now();
    const silentMs = msSince(this.#sentMark, now);
    // A clock that was set back tells nothing of how long it was.
    const isDue = silentMs >= HEARTBEAT_MS || silentMs < 0;
    if (isDue) {
      // One who waits for something else is not sent any, and not looked at sooner than the others.
      if (this.#waitsFor === "frames") output.text(format.heartbeat);
      this.#sentMark = markOf(now);
    }
    this.#cancelHeartbeat = clock.schedule(isDue ? HEARTBEAT_MS : HEARTBEAT_MS - silentMs, () => this.#beat());
  }
}

// T2
function hasRoom({ waitingBytes }: StreamOutput): boolean {
  return waitingBytes < READER_BYTES_MAX;
}
