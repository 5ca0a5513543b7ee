// Sessions and turns for tests of what happens to them.

import { randomUUID } from "node:crypto";
import type { UserMessage } from "@framerail/protocol";
import { createMessageAccumulator } from "@framerail/protocol";
import type { Database } from "../database.js";
import { packFrames } from "../frame-segment.js";
import type { TurnEnd } from "../turn-end.js";
import type { TurnClaim } from "../turns.js";
import { acceptTurn, claimTurn } from "../turns.js";

export const AT = Date.UTC(2026, 4, 15, 18);

/** A session of the tenant that takes messages. */
export async function createSession(database: Database, orgId: string, userId = "user_1") {
  const [sessionId, conversationId] = [randomUUID(), randomUUID()];
  await database.asTenant(orgId, {
    text: `with c as (insert into conversations (org_id, id, user_id) values (current_org(), $1, $3))
      insert into agent_sessions (org_id, id, conversation_id, agent_id, user_id)
        values (current_org(), $2, $1, 'assistant', $3)`,
    values: [conversationId, sessionId, userId],
  });
  return { sessionId, conversationId };
}

export function claimOf(sessionId: string, fields: Partial<TurnClaim> = {}): TurnClaim {
  return {
    turnId: randomUUID(),
    sessionId,
    userId: undefined,
    owner: randomUUID(),
    onDisconnect: { action: "cancel", grace_ms: 10_000 },
    ...fields,
  };
}

export function userMessage(turnId: string, conversationId: string, content = "hello"): UserMessage {
  return {
    _id: `msg_${randomUUID()}`,
    conversation_id: conversationId,
    run_id: turnId,
    role: "user",
    content_items: [{ type: "message", sequence: 0, content, timestamp: AT }],
    created_at: AT,
    incomplete: false,
  };
}

/** A turn that runs, in a session of its own. */
export async function startTurn(database: Database, orgId: string, fields: Partial<TurnClaim> = {}) {
  const { sessionId, conversationId } = await createSession(database, orgId);
  const claim = claimOf(sessionId, fields);
  await claimTurn(database, orgId, claim);
  await acceptTurn(database, orgId, {
    turnId: claim.turnId,
    epoch: 1,
    message: userMessage(claim.turnId, conversationId),
  });
  return { turnId: claim.turnId, sessionId, conversationId, owner: claim.owner };
}

export const sseOf = (turnId: string, seq: number, event = "text", data: object = { chunk: `piece ${seq}` }) =>
  `event: ${event}\nid: ${turnId}.1.${seq}\ndata: ${JSON.stringify(data)}\n\n`;

export const framesOf = (turnId: string, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => ({ seq: first + index, sse: sseOf(turnId, first + index) }));

/** The end of a turn with frames 1 to 3 and the terminal as its fourth. */
export async function endOf(
  { turnId, conversationId }: { readonly turnId: string; readonly conversationId: string },
  fields: Partial<TurnEnd> = {},
): Promise<TurnEnd> {
  const history = createMessageAccumulator({ runId: turnId, conversationId, startedAt: AT });
  history.add({ type: "text", content: "the answer" }, AT + 10);
  return {
    turnId,
    epoch: 1,
    outcome: { kind: "completed" },
    usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8, reasoning_tokens: 0, cached_tokens: 0 },
    message: history.finalize({ messageId: `msg_${randomUUID()}`, endedAt: AT + 700, incomplete: false }),
    calls: [],
    audit: [],
    segments: [await packFrames(framesOf(turnId, 1, 3))],
    terminal: { seq: 4, sse: sseOf(turnId, 4, "completed", {}) },
    firstFrameAt: AT + 5,
    endedAt: AT + 700,
    ...fields,
  };
}
