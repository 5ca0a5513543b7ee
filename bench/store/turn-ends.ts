// Turns that run, and their ends: the rows that every contender of this bench writes.
// One turn: 60 frames of 200 bytes, an answer of three items, two model calls, two tools.

import { randomUUID } from "node:crypto";
import { createMessageAccumulator } from "@framerail/protocol";
import { packFrames } from "../../packages/framerail/dist/store/frame-segment.js";
import type { TurnEnd } from "../../packages/framerail/dist/store/turn-end.js";
import type { UsageRow } from "../../packages/framerail/dist/store/usage.js";

export const FRAMES_PER_TURN = 60;
export const FRAME_BYTES = 200;
const TENANTS = 20;
const AT = Date.UTC(2026, 4, 15, 18);

const WORDS =
  "the offer near your place has three rooms and costs less than what you asked for so it may be right".split(" ");
/** Text that repeats itself about as much as an answer does. */
const textOf = (seed: number, words: number) =>
  Array.from({ length: words }, (_, index) => WORDS[(seed * 7 + index * (1 + (seed % 5))) % WORDS.length]).join(" ");

export interface RunningTurn {
  readonly orgId: string;
  readonly turnId: string;
  readonly sessionId: string;
  readonly conversationId: string;
}

const tenants = Array.from({ length: TENANTS }, () => randomUUID());

export const createTurns = (count: number): RunningTurn[] =>
  Array.from({ length: count }, (_, index) => ({
    orgId: tenants[index % TENANTS] as string,
    turnId: randomUUID(),
    sessionId: randomUUID(),
    conversationId: randomUUID(),
  }));

/** Puts turns into the database as they are while they run; $1 is RunningTurn[] as JSON. Not measured. */
export const SEED = `with turn as (
    select * from jsonb_to_recordset($1::jsonb) as t ("orgId" uuid, "turnId" uuid, "sessionId" uuid, "conversationId" uuid)
  ), org as (
    insert into organizations (id) select distinct "orgId" from turn on conflict do nothing
  ), conversation as (
    insert into conversations (org_id, id, user_id) select "orgId", "conversationId", 'user_1' from turn
  ), session as (
    insert into agent_sessions (org_id, id, conversation_id, agent_id, user_id)
      select "orgId", "sessionId", "conversationId", 'assistant', 'user_1' from turn
  ), root as (
    insert into agent_audit_log (org_id, id, session_id, turn_id, action_type, provenance_chain)
      select "orgId", "turnId", "sessionId", "turnId", 'message_received',
        jsonb_build_array(jsonb_build_object('id', "turnId", 'action_type', 'message_received')) from turn
  ) insert into turns (org_id, id, session_id, conversation_id, agent_id, user_id, status, owner)
      select "orgId", "turnId", "sessionId", "conversationId", 'assistant', 'user_1', 'running', "turnId" from turn`;

export async function createEnd({ turnId, sessionId, conversationId }: RunningTurn, seed: number): Promise<TurnEnd> {
  const action = { sessionId, turnId, parentId: turnId };
  return {
    turnId,
    epoch: 1,
    outcome: { kind: "completed" },
    usage: { input_tokens: 1800, output_tokens: 420, total_tokens: 2220, reasoning_tokens: 0, cached_tokens: 900 },
    message: messageOf(turnId, conversationId, seed),
    calls: [callOf(turnId, 1), callOf(turnId, 2)],
    audit: [
      ...[1, 2].map((call) => ({
        ...action,
        id: randomUUID(),
        actionType: "tool_call" as const,
        detail: {
          tool_name: "search_offers",
          tool_call_id: `call_${call}`,
          params_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          output_summary: { status: "succeeded", type: "array", bytes: 5120 },
        },
        durationMs: 180,
        occurredAt: AT + call * 200,
      })),
      {
        ...action,
        id: randomUUID(),
        actionType: "message_completed",
        detail: { outcome: { kind: "completed" }, final_response: textOf(seed, 90) },
        durationMs: 2_400,
        occurredAt: AT + 2_400,
      },
    ],
    segments: [await packFrames(Array.from({ length: FRAMES_PER_TURN }, (_, index) => frameOf(turnId, index + 1)))],
    terminal: frameOf(turnId, FRAMES_PER_TURN + 1),
    firstFrameAt: AT + 5,
    endedAt: AT + 2_400,
  };
}

function messageOf(turnId: string, conversationId: string, seed: number) {
  const history = createMessageAccumulator({ runId: turnId, conversationId, startedAt: AT });
  history.add({ type: "text", content: textOf(seed, 40) }, AT + 10);
  history.add(
    {
      type: "tool_call",
      tool_call_id: "call_1",
      tool_name: "search_offers",
      arguments: { query: textOf(seed, 6) },
      timestamp: AT,
    },
    AT + 200,
  );
  history.add({ type: "text", content: textOf(seed + 1, 90) }, AT + 900);
  return history.finalize({ messageId: `msg_${randomUUID()}`, endedAt: AT + 2_400, incomplete: false });
}

const callOf = (turnId: string, call: number): UsageRow => ({
  turnId,
  call,
  model: "gpt-5.2",
  inputTokens: 900,
  outputTokens: 210,
  reasoningTokens: 0,
  cachedTokens: 450,
  costUsd: "0.004512500",
  ttftMs: 240,
  totalMs: 1_150,
  estimated: false,
  occurredAt: AT + call * 1_200,
});

function frameOf(turnId: string, seq: number) {
  const head = `event: text\nid: ${turnId}.1.${seq}\ndata: {"seq":${seq},"chunk":"`;
  const chunk = textOf(seq, 60).slice(0, FRAME_BYTES - head.length - '"}\n\n'.length);
  return { seq, sse: `${head}${chunk}"}\n\n` };
}
