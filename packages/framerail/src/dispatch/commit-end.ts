// Commits a turn's end, and does not give up while the database is away [D-4].
//   C1. A commit whose answer was lost is asked for again: it finds itself done, or does it now.
//   C2. After COMMIT_MS_MAX it rejects. No terminal has gone out, so that whoever seals the turn later tells the truth.

import type { Clock } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";
import type { Database } from "../store/database.js";
import type { TurnEnd } from "../store/turn-end.js";
import { commitTurnEnd } from "../store/turn-end.js";
import { COMMIT_MS_MAX, COMMIT_RETRY_MS } from "./limits.js";

/** What the database says while it is away, or has gone away. */
export const WORTH_ASKING_AGAIN: ReadonlySet<string> = new Set(["COMMIT_UNKNOWN", "STORE_UNAVAILABLE"]);

export async function commitEnd(database: Database, orgId: string, end: TurnEnd, clock: Clock): Promise<void> {
  const until = clock.now() + COMMIT_MS_MAX;
  for (;;) {
    try {
      await commitTurnEnd(database, orgId, end);
      return;
    } catch (error) {
      const again = isFramerailError(error) && WORTH_ASKING_AGAIN.has(error.code) && clock.now() < until;
      if (!again) throw error;
    }
    await new Promise<void>((resolve) => void clock.schedule(COMMIT_RETRY_MS, resolve));
  }
}
