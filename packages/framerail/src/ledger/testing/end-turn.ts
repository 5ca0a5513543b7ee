// A turn that the program's own final commit has ended, with the model calls that it made.

import type { Database } from "../../store/database.js";
import { claimOf, endOf, userMessage } from "../../store/testing/turn-fixtures.js";
import type { TurnEnd } from "../../store/turn-end.js";
import { commitTurnEnd } from "../../store/turn-end.js";
import { acceptTurn, claimTurn } from "../../store/turns.js";
import type { UsageRow } from "../../store/usage.js";
import { openSession } from "./open-turn.js";

export interface EndedTurn {
  readonly turnId: string;
  readonly sessionId: string;
  readonly end: TurnEnd;
}

export async function endTurn(
  database: Database,
  orgId: string,
  { agentId, calls }: { readonly agentId?: string; readonly calls: readonly Omit<UsageRow, "turnId">[] },
): Promise<EndedTurn> {
  const sessionId = await openSession(database, orgId, agentId);
  const claim = claimOf(sessionId);
  const { turnId } = claim;
  await claimTurn(database, orgId, claim);
  await acceptTurn(database, orgId, { turnId, epoch: 1, message: userMessage(turnId, sessionId) });
  const end = await endOf({ turnId, conversationId: sessionId }, { calls: calls.map((call) => ({ ...call, turnId })) });
  await commitTurnEnd(database, orgId, end);
  return { turnId, sessionId, end };
}
