// Commits a turn's end, and does not give up while the database is away [D-4].
//   C1. A commit whose answer was lost is asked for again: it finds itself done, or does it now.
//   C2. After COMMIT_MS_MAX it rejects. No terminal has gone out, so that whoever seals the turn later tells the truth.

import type { Clock } from "@framerail/protocol";
import type { Database } from "../store/database.js";
import type { TurnEnd } from "../store/turn-end.js";
import { commitTurnEnd } from "../store/turn-end.js";
import { whileAway } from "./while-away.js";

export function commitEnd(database: Database, orgId: string, end: TurnEnd, clock: Clock): Promise<void> {
  return whileAway(() => commitTurnEnd(database, orgId, end), clock);
}
