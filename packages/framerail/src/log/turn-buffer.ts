// The released frames of one turn, in memory: what its readers share. Both drivers fill one for every turn that somebody
// writes or follows in this process.
// Owns: the bound on memory, waking. Does not own: when frames are released, what is no longer here.
//   B1. Segments stand in order without a gap.
//   B2. At most TURN_BYTES_IN_MEMORY_MAX are kept; the oldest go first, the newest always stays.
//   B3. Watchers are woken when there is something new; one that leaves while others are woken disturbs nobody.

import { TURN_BYTES_IN_MEMORY_MAX } from "./limits.js";
import type { Segment } from "./segment.js";
import { keepSegment } from "./segment.js";

export class TurnBuffer {
  #epoch: number;
  /** Of our own: ticks that stand behind each other are one. */
  readonly #segments: Segment[] = [];
  #bytes = 0;
  /** The last one that came, as it came: what nearly every reader asks for. */
  #latest: Segment | undefined;
  #lastSeq: number;
  #sealed = false;
  /** Most turns have one reader, who is not looked for among others. */
  #watcher: (() => void) | undefined;
  readonly #watchers = new Set<() => void>();

  /** `lastSeq`: the frames up to here are elsewhere. */
  constructor(epoch: number, lastSeq = 0) {
    this.#epoch = epoch;
    this.#lastSeq = lastSeq;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** The turn has a new owner, who goes on where the last one stopped. */
  claim(epoch: number): void {
    this.#epoch = Math.max(this.#epoch, epoch);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get sealed(): boolean {
    return this.#sealed;
  }

  get watcherCount(): number {
    return this.#watchers.size + (this.#watcher === undefined ? 0 : 1);
  }

  /** Takes the next segment; `seals`: its last frame is the terminal. Watchers hear of it with `wake`. */
  release(segment: Segment, seals: boolean): void {
    keepSegment(this.#segments, segment);
    this.#latest = segment;
    this.#bytes += segment.size;
    this.#lastSeq = segment.lastSeq;
    this.#sealed = seals;
    while (this.#bytes > TURN_BYTES_IN_MEMORY_MAX && this.#segments.length > 1) {
      this.#bytes -= (this.#segments.shift() as Segment).size;
    }
  }

  /** The frames up to `lastSeq` are elsewhere, and none after them is here yet. */
  skipTo(lastSeq: number, sealed: boolean): void {
    this.#lastSeq = lastSeq;
    this.#sealed = sealed;
  }

  wake(): void {
    this.#watcher?.();
    if (this.#watchers.size > 0) for (const wake of this.#watchers) wake();
  }

  watch(wake: () => void): () => void {
    if (this.#watcher === undefined) this.#watcher = wake;
    else this.#watchers.add(wake);
    return () => {
      if (this.#watcher === wake) this.#watcher = undefined;
      else this.#watchers.delete(wake);
    };
  }

  /** Frames from the one after `afterSeq` on, or from a little before it; undefined when it is not in memory. */
  after(afterSeq: number): Segment | undefined {
    if (this.#latest?.firstSeq === afterSeq + 1) return this.#latest;
    const found = this.#segments.find(({ lastSeq }) => lastSeq > afterSeq);
    return found !== undefined && found.firstSeq <= afterSeq + 1 ? found.tail(afterSeq) : undefined;
  }
}
