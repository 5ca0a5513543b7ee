// Who counts what a turn does: events as they were written, decisions about them, frames as they go out, its end.

import type { TurnOutcome } from "@framerail/protocol";
import type { EncodedFrame, FrameSink } from "../log/frame-sink.js";
import type { PublishReport, PublishTurnOptions } from "../publish/publish-turn.js";

export interface TurnObserver {
  decided: NonNullable<PublishTurnOptions["decided"]>;
  frame(frame: EncodedFrame): void;
  report(report: PublishReport): void;
  /** Around one write of the step; `started` is what the first gave. */
  startWrite(): number;
  endWrite(started: number): void;
  /** Does the final commit, and counts how long it takes. */
  commit<T>(work: () => Promise<T>): Promise<T>;
  ended(outcome: TurnOutcome | undefined): void;
}

/** The sink, with every frame that it is given counted. */
export class ObservedSink implements FrameSink {
  readonly #sink: FrameSink;
  readonly #observer: TurnObserver;

  constructor(sink: FrameSink, observer: TurnObserver) {
    this.#sink = sink;
    this.#observer = observer;
  }

  get backlogBytes(): number {
    return this.#sink.backlogBytes;
  }

  append(frame: EncodedFrame): void {
    this.#sink.append(frame);
    this.#observer.frame(frame);
  }

  seal(terminal: EncodedFrame): Promise<void> {
    this.#observer.frame(terminal);
    return this.#sink.seal(terminal);
  }

  ready(): Promise<void> {
    return this.#sink.ready();
  }
}
