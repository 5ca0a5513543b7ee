// Who counts what a turn does: events as they were written, decisions about them, frames as they go out, its end.

import type { TurnOutcome } from "@framerail/protocol";
import type { PublishObserver, PublishReport } from "../publish/publish-turn.js";

export interface TurnObserver {
  readonly events: PublishObserver;
  /** The first frame is at the log. */
  opened(): void;
  report(report: PublishReport): void;
  /** Does the final commit, and counts how long it takes. */
  commit<T>(work: () => Promise<T>): Promise<T>;
  ended(outcome: TurnOutcome | undefined): void;
}
