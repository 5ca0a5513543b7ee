// A turn with all that its rows in the ledger refer to: conversation, session, and the message it began with.

import { randomUUID } from "node:crypto";
import { insertAuditRows } from "../../store/audit.js";
import type { Database } from "../../store/database.js";
import { messageReceivedRow } from "../turn-audit.js";

export interface TestTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly rootId: string;
}

export async function openSession(database: Database, orgId: string, agentId = "assistant"): Promise<string> {
  const sessionId = randomUUID();
  await database.asTenant(orgId, {
    text: `with conversation as (
        insert into conversations (org_id, id, user_id) values (current_org(), $1, 'ada') returning id)
      insert into agent_sessions (org_id, id, conversation_id, agent_id, user_id, snapshot_data)
      select current_org(), $1, id, $2, 'ada', '{"began":"with this"}' from conversation`,
    values: [sessionId, agentId],
  });
  return sessionId;
}

/** Ended, so that a session may have many. */
export async function openTurn(
  database: Database,
  orgId: string,
  options: { readonly sessionId?: string; readonly agentId?: string } = {},
): Promise<TestTurn> {
  const { agentId = "assistant" } = options;
  const sessionId = options.sessionId ?? (await openSession(database, orgId, agentId));
  const turn = { sessionId, turnId: randomUUID(), rootId: randomUUID() };
  await database.asTenant(orgId, async (sql) => {
    await sql.query(
      `insert into turns (org_id, id, session_id, conversation_id, agent_id, user_id, owner, status, outcome, terminal)
       values (current_org(), $1, $2, $2, $3, 'ada', $1, 'ended', '{}', '')`,
      [turn.turnId, sessionId, agentId],
    );
    const root = { ...turn, receivedAt: Date.UTC(2026, 4, 15, 18), newId: randomUUID };
    await insertAuditRows(sql, [messageReceivedRow(root)]);
  });
  return turn;
}
