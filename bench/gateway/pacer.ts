// Decides in a server's process when each of its streams gets its next frame, for every variant in the same way.
// Owns: the two paces, the bound on what is under way. Does not own: what a frame is and how it is sent (servers/).
//   P1. Paced: every stream gets FRAMES_PER_SECOND, one at a time, the streams evenly spread. A pacer that is late leaves
//       frames out and never sends two at once, so that a process that cannot keep up does not get cheaper by it.
//   P2. Saturated: BURST frames for each of some streams in every turn of the event loop, round and round, while fewer than
//       the credit are on their way. What the reader has is told by `acknowledge`; so it is the reader who sets the pace, in
//       every variant.

import { CHUNK, stampedChunk } from "./chunk.js";

export type Pace = "paced" | "saturated";
export type Push = (chunk: string) => void;

export const FRAMES_PER_SECOND = 30;
const BURST = 8;
const STREAMS_PER_ROUND = 64;
/** For one stream less than our gateway lets wait for a reader; for many so little that the slowest variant is soon done. */
const CREDIT_PER_STREAM = 3 * BURST;
const [CREDIT_MIN, CREDIT_MAX] = [512, 2_048];

export class Pacer {
  readonly #streams: Push[] = [];
  #pace: Pace | undefined;
  #chunk: () => string = () => CHUNK;
  #next = 0;
  #pushed = 0;
  #acknowledged = 0;
  #startedAt = 0;
  /** How many frames were due since the start, those that were left out among them. */
  #due = 0;
  #waits = false;

  get streams(): number {
    return this.#streams.length;
  }

  /** A stream is open; the returned function says that it is not any more. */
  add(push: Push): () => void {
    this.#streams.push(push);
    return () => {
      const index = this.#streams.indexOf(push);
      if (index >= 0) this.#streams.splice(index, 1);
    };
  }

  /** The streams that are open get nothing more. */
  forget(): void {
    this.#streams.length = 0;
    this.#next = 0;
  }

  start(pace: Pace, stamped: boolean): void {
    this.#pace = pace;
    this.#chunk = stamped ? stampedChunk : () => CHUNK;
    [this.#pushed, this.#acknowledged, this.#due, this.#waits] = [0, 0, 0, false];
    this.#startedAt = performance.now();
    if (pace === "paced") this.#tick();
    else this.#round();
  }

  /** Gives how many frames went since the start. */
  stop(): number {
    this.#pace = undefined;
    return this.#pushed;
  }

  acknowledge(received: number): void {
    this.#acknowledged = received;
    if (!this.#waits) return;
    this.#waits = false;
    this.#round();
  }

  // P1
  #tick(): void {
    if (this.#pace !== "paced") return;
    const count = this.#streams.length;
    const perMs = (count * FRAMES_PER_SECOND) / 1_000;
    const due = Math.floor((performance.now() - this.#startedAt) * perMs);
    for (let left = Math.min(due - this.#due, count); left > 0; left -= 1) this.#push();
    this.#due = due;
    const nextAt = this.#startedAt + (due + 1) / perMs;
    setTimeout(() => this.#tick(), Math.max(1, Math.ceil(nextAt - performance.now())));
  }

  #push(): void {
    this.#next = (this.#next + 1) % this.#streams.length;
    this.#pushed += 1;
    this.#streams[this.#next]?.(this.#chunk());
  }

  // P2
  #round(): void {
    if (this.#pace !== "saturated") return;
    const count = this.#streams.length;
    const credit = Math.min(Math.max(CREDIT_MIN, CREDIT_PER_STREAM * count), CREDIT_MAX);
    if (this.#pushed - this.#acknowledged >= credit) {
      this.#waits = true;
      return;
    }
    for (let left = Math.min(count, STREAMS_PER_ROUND); left > 0; left -= 1) {
      this.#next = (this.#next + 1) % count;
      for (let frame = 0; frame < BURST; frame += 1) this.#streams[this.#next]?.(this.#chunk());
      this.#pushed += BURST;
    }
    setImmediate(() => this.#round());
  }
}
