// A turn that has ended, for tests of what refers to one.

import { randomUUID } from "node:crypto";
import type { Database } from "../database.js";

export interface TurnIds {
  readonly sessionId: string;
  readonly conversationId: string;
}

export async function insertTurn(database: Database, orgId: string, ids: TurnIds): Promise<string> {
  const turnId = randomUUID();
  await database.asTenant(orgId, {
    text: `insert into turns (org_id, id, session_id, conversation_id, agent_id, user_id, owner, status, outcome, terminal)
      values (current_org(), $1, $2, $3, 'assistant', 'user_1', $1, 'ended', '{"kind":"completed"}', '\\x00')`,
    values: [turnId, ids.sessionId, ids.conversationId],
  });
  return turnId;
}
