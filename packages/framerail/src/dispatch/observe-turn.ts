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
export function observeFrames(sink: FrameSink, observer: TurnObserver): FrameSink {
  return {
    append(frame) {
      sink.append(frame);
      observer.frame(frame);
    },
    seal(terminal) {
      observer.frame(terminal);
      return sink.seal(terminal);
    },
    ready: () => sink.ready(),
    get backlogBytes() {
      return sink.backlogBytes;
    },
  };
}
