// The released frames of one turn, in memory: what its readers share. Both drivers fill one for every turn that somebody
// writes or follows in this process.
// Owns: the bound on memory, waking. Does not own: when frames are released, what is no longer here.
//   B1. Segments stand in order without a gap.
//   B2. At most TURN_BYTES_IN_MEMORY_MAX are kept; the oldest go first. The newest always stays, and so does, for the owner
//       that stores a turn, what is not stored.
//   B3. A block of which nothing is kept any more is given back, to be used again: only of turns that had one owner, from their
//       beginning to a good end, because whoever else has had a part in one may still read them.
//   B4. Watchers are woken when there is something new; one that leaves while others are woken disturbs nobody.

import { giveBlock } from "./block-pool.js";
import { TURN_BYTES_IN_MEMORY_MAX } from "./limits.js";
import { Segment } from "./segment.js";
import type { Watcher } from "./turn-log.js";

export class TurnBuffer {
  #epoch: number;
  /** Ticks that stand behind each other are one run. Where the newest run stands is kept here: every tick comes to it. */
  #block: Buffer | undefined;
  #start = 0;
  #end = 0;
  #firstSeq = 0;
  readonly #older: Segment[] = [];
  #bytes = 0;
  /** What comes after it may not go (B2). */
  #storedSeq = Number.POSITIVE_INFINITY;
  /** The oldest that is kept is not stored, and is not looked at again for every frame. */
  #waitsForStore = false;
  /** The last one that came, as it came: what nearly every reader asks for. */
  #latest: Segment | undefined;
  #lastSeq: number;
  #sealed = false;
  /** B3 */
  #keepsBlocks = false;
  /** Most turns have one reader, who is not looked for among others. */
  #watcher: Watcher | undefined;
  #watchers: Set<Watcher> | undefined;

  /** `lastSeq`: the frames up to here are elsewhere. */
  constructor(epoch: number, lastSeq = 0) {
    this.#epoch = epoch;
    this.#lastSeq = lastSeq;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** The turn has a new owner, who goes on where the last one stopped. */
  raiseEpoch(epoch: number): void {
    this.#epoch = Math.max(this.#epoch, epoch);
  }

  /** The oldest frame that is here; undefined when none is. */
  get keptSeq(): number | undefined {
    return this.#older[0]?.firstSeq ?? (this.#block && this.#firstSeq);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get sealed(): boolean {
    return this.#sealed;
  }

  get watcherCount(): number {
    return (this.#watchers?.size ?? 0) + (this.#watcher === undefined ? 0 : 1);
  }

  /** Takes the next segment; `seals`: its last frame is the terminal. Watchers hear of it with `wake`. */
  release(segment: Segment, seals: boolean): void {
    if (segment.block !== this.#block || segment.start !== this.#end) this.#beginRun(segment);
    this.#end = segment.end;
    this.#latest = segment;
    this.#bytes += segment.size;
    this.#lastSeq = segment.lastSeq;
    this.#sealed = seals;
    if (this.#bytes > TURN_BYTES_IN_MEMORY_MAX && !this.#waitsForStore) this.#letGo();
  }

  /** Keeps what comes after `seq` until it is stored. */
  hold(seq: number): void {
    this.#storedSeq = seq;
    this.#waitsForStore = false;
  }

  stored(seq: number): void {
    this.#storedSeq = seq;
    this.#letGo();
  }

  /** The frames after `afterSeq`, in order, for whoever stores them: the first may be a little before it. */
  held(afterSeq: number): Segment[] {
    const found = this.#kept().filter(({ lastSeq }) => lastSeq > afterSeq);
    const [first, ...others] = found;
    return first === undefined ? [] : [first.tail(afterSeq), ...others];
  }

  /** From now on its blocks are left to the collector (B3). */
  keepBlocks(): void {
    this.#keepsBlocks = true;
  }

  /** Keeps nothing any more: the frames are elsewhere. False while there are readers, who have it to themselves then. */
  letGo(): boolean {
    if (this.#keepsBlocks || this.watcherCount > 0) return false;
    for (const { block } of this.#older.splice(0)) if (block !== this.#block) this.onFree(block);
    const block = this.#block;
    [this.#block, this.#latest, this.#bytes] = [undefined, undefined, 0];
    if (block !== undefined) this.onFree(block);
    return true;
  }

  /** Nothing of this block is here any more (B3). */
  protected onFree(block: Buffer): void {
    if (!this.#keepsBlocks) giveBlock(block);
  }

  /** The frames up to `lastSeq` are elsewhere, and none is here yet. */
  skipTo(lastSeq: number, sealed: boolean): void {
    this.#lastSeq = lastSeq;
    this.#sealed = sealed;
  }

  wake(): void {
    this.#watcher?.wake();
    if (this.#watchers !== undefined) for (const watcher of this.#watchers) watcher.wake();
  }

  watch(watcher: Watcher): () => void {
    if (this.#watcher === undefined) this.#watcher = watcher;
    else {
      this.#watchers ??= new Set();
      this.#watchers.add(watcher);
    }
    return () => {
      if (this.#watcher === watcher) this.#watcher = undefined;
      else this.#watchers?.delete(watcher);
    };
  }

  /** Frames from the one after `afterSeq` on, or from a little before it; undefined when it is not in memory. */
  after(afterSeq: number): Segment | undefined {
    if (this.#latest?.firstSeq === afterSeq + 1) return this.#latest;
    const found = this.#kept().find(({ lastSeq }) => lastSeq > afterSeq);
    return found !== undefined && found.firstSeq <= afterSeq + 1 ? found.tail(afterSeq) : undefined;
  }

  #kept(): Segment[] {
    return [...this.#older, ...this.#newest()];
  }

  #newest(): Segment[] {
    const [block, start, end] = [this.#block, this.#start, this.#end];
    if (block === undefined) return [];
    return [new Segment({ firstSeq: this.#firstSeq, lastSeq: this.#lastSeq, block, start, end })];
  }

  #beginRun({ firstSeq, block, start }: Segment): void {
    this.#older.push(...this.#newest());
    [this.#firstSeq, this.#block, this.#start] = [firstSeq, block, start];
  }

  // B2
  #letGo(): void {
    for (let oldest = this.#older[0]; oldest !== undefined; oldest = this.#older[0]) {
      this.#waitsForStore = oldest.lastSeq > this.#storedSeq;
      if (this.#waitsForStore || this.#bytes <= TURN_BYTES_IN_MEMORY_MAX) return;
      this.#older.shift();
      this.#bytes -= oldest.size;
      const next = this.#older[0]?.block ?? this.#block;
      if (next !== oldest.block) this.onFree(oldest.block);
    }
  }
}
