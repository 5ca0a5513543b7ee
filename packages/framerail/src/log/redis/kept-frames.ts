// What the owner of a turn keeps of it until the store has it, for a Redis that comes back without it [D-1].
//   K1. The frames of this owner stand without a gap from its first one, or nothing is kept at all.
//   K2. At most KEPT_TURN_BYTES_MAX of a turn and KEPT_BYTES_MAX of all: a turn that goes over it gives up what it has.

import type { Segment } from "../segment.js";
import { keepSegment } from "../segment.js";
import { KEPT_BYTES_MAX, KEPT_TURN_BYTES_MAX } from "./limits.js";
import { cutSegment } from "./stream-entry.js";

/** What all turns of a process keep together. */
export interface KeptTotal {
  bytes: number;
}

export class KeptFrames {
  readonly #total: KeptTotal;
  #segments: Segment[] | undefined = [];
  #bytes = 0;

  constructor(total: KeptTotal) {
    this.#total = total;
  }

  /** It keeps nothing, and never will again. */
  get isDropped(): boolean {
    return this.#segments === undefined;
  }

  add(segment: Segment): void {
    const { size } = segment;
    if (this.#segments === undefined) return;
    if (this.#bytes + size > KEPT_TURN_BYTES_MAX || this.#total.bytes + size > KEPT_BYTES_MAX) {
      this.drop();
      return;
    }
    keepSegment(this.#segments, segment);
    this.#bytes += size;
    this.#total.bytes += size;
  }

  /** All that comes after `afterSeq`; undefined when not all of it is here. */
  after(afterSeq: number): Segment[] | undefined {
    const [first, ...others] = this.#segments?.filter(({ lastSeq }) => lastSeq > afterSeq) ?? [];
    if (first === undefined) return this.#segments && [];
    return first.firstSeq <= afterSeq + 1
      ? [cutSegment(first.copy(), afterSeq), ...others.map((other) => other.copy())]
      : undefined;
  }

  drop(): void {
    this.#total.bytes -= this.#bytes;
    this.#bytes = 0;
    this.#segments = undefined;
  }
}
