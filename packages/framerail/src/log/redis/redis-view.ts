// A turn as the readers of this process see it, whoever writes it: its owner here, or another process by Redis.
// Owns: joining what comes without a gap. Does not own: who feeds it.
//   V1. A frame is released once, in order, however often and from however many sides it comes.
//   V2. Frames before those that are in memory are read back from Redis, and only such as were released here.
//   V3. Blocks are used again only of a turn that is written here, and not while its owner may have to restore it from them.

import type { LoggedFrame } from "../frame-sink.js";
import { TurnBuffer } from "../turn-buffer.js";
import type { TurnView } from "../turn-log.js";
import type { RedisConnection } from "./connection.js";
import type { KeptFrames } from "./kept-frames.js";
import { FOLLOW_LAG_MS_MAX, READ_BACK_ENTRIES_MAX, READ_MS_MAX } from "./limits.js";
import type { RawEntry, StreamEntry } from "./stream-entry.js";
import { cutSegment, listFrames, readEntry } from "./stream-entry.js";
import type { TurnKeys } from "./turn-keys.js";

export interface RedisViewOptions {
  readonly keys: TurnKeys;
  readonly epoch: number;
  /** The frames up to here are in Redis or in the store. */
  readonly lastSeq: number;
  readonly sealed: boolean;
  readonly redis: RedisConnection;
}

export class RedisView extends TurnBuffer implements TurnView {
  readonly keys: TurnKeys;
  readonly #redis: RedisConnection;
  #lost = false;
  /** V3 */
  #kept: KeptFrames | undefined;

  constructor({ keys, epoch, lastSeq, sealed, redis }: RedisViewOptions) {
    super(epoch);
    this.keys = keys;
    this.#redis = redis;
    this.skipTo(lastSeq, sealed);
  }

  get lagMsMax(): number {
    return FOLLOW_LAG_MS_MAX;
  }

  /** Nothing more comes here, though the turn is not sealed: Redis has lost it. The store has what there is. */
  get lost(): boolean {
    return this.#lost;
  }

  async readBack(afterSeq: number): Promise<readonly LoggedFrame[]> {
    const args = [this.keys.stream, `${afterSeq + 1}-0`, "+", "COUNT", READ_BACK_ENTRIES_MAX];
    const answer = await this.#redis.call({ name: "XRANGE", args, msMax: READ_MS_MAX });
    const frames: LoggedFrame[] = [];
    for (const raw of answer as readonly RawEntry[]) {
      const entry = readEntry(raw);
      if (entry === undefined) break;
      for (const frame of listFrames(entry.segment)) {
        // V2; and a stream without its beginning has nothing to offer after this cursor.
        if (frame.seq === afterSeq + 1 + frames.length && frame.seq <= this.lastSeq) frames.push(frame);
      }
    }
    return frames;
  }

  /** The turn is written here, from its beginning, and this is what its owner keeps of it (V3). */
  writeHere(kept: KeptFrames): void {
    this.#kept = kept;
  }

  protected override onFree(block: Buffer): void {
    if (this.#kept?.isDropped) super.onFree(block);
  }

  /** Takes what is new of it; false when something before it is missing. Readers hear of it with `wake`. */
  feed({ epoch, seals, segment }: StreamEntry): boolean {
    this.raiseEpoch(epoch);
    if (segment.lastSeq <= this.lastSeq) return true;
    if (segment.firstSeq > this.lastSeq + 1) return false;
    this.release(cutSegment(segment, this.lastSeq), seals);
    return true;
  }

  lose(): void {
    this.#lost = true;
    this.wake();
  }
}
