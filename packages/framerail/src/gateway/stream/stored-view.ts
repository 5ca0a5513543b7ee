// A turn that has ended and is read from the store, in the shape in which readers know turns. Nothing in it ever changes.

import type { LoggedFrame } from "../../log/frame-sink.js";
import type { TurnView } from "../../log/turn-log.js";

export interface StoredViewOptions {
  readonly epoch: number;
  readonly lastSeq: number;
  frames(afterSeq: number): Promise<readonly LoggedFrame[]>;
}

export class StoredView implements TurnView {
  readonly epoch: number;
  readonly lastSeq: number;
  readonly sealed = true;
  readonly lost = false;
  readonly lagMsMax = 0;
  readonly #frames: StoredViewOptions["frames"];

  constructor({ epoch, lastSeq, frames }: StoredViewOptions) {
    this.epoch = epoch;
    this.lastSeq = lastSeq;
    this.#frames = frames;
  }

  /** All of it is behind memory. */
  after(): undefined {
    return undefined;
  }

  watch(): () => void {
    return () => undefined;
  }

  readBack(afterSeq: number): Promise<readonly LoggedFrame[]> {
    return this.#frames(afterSeq);
  }
}
