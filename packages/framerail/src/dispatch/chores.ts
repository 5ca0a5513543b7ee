// What has to be done from time to time, by every process that has the store: taking away what is too old [D-19].
//   H1. A chore that fails is told and tried again the next time.

import type { Clock } from "@framerail/protocol";
import type { Database } from "../store/database.js";
import { dropOldLeases } from "../store/leases.js";
import { dropOldFrames } from "../store/turn-frames.js";
import { dropExpiredKeys } from "../store/turns.js";
import { CHORES_MS, RETENTION_HOURS } from "./limits.js";

export interface ChoresOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly retentionHours?: number;
  report?(error: unknown): void;
}

/** Returns the function that ends them; it resolves when none is under way any more. */
export function startChores(options: ChoresOptions): () => Promise<void> {
  const { database, clock, retentionHours = RETENTION_HOURS, report } = options;
  let running: Promise<void> = Promise.resolve();
  let cancel = () => {};
  let ended = false;
  const round = async () => {
    try {
      await dropOldFrames(database, retentionHours);
      await dropExpiredKeys(database);
      await dropOldLeases(database, RETENTION_HOURS);
    } catch (error) {
      report?.(error);
    }
    if (!ended) wait();
  };
  const wait = () => {
    cancel = clock.schedule(CHORES_MS, () => {
      running = round();
    });
  };
  wait();
  return async () => {
    ended = true;
    cancel();
    await running;
  };
}
