// The same rows as plain statements, one per table, for a driver without our store: no tenant, no role, no row security
// (it is the superuser's connection), no check of who owns the turn or whose parent an action has.

import type { JournalRow } from "../../packages/framerail/dist/store/journal.js";
import type { Statement } from "../../packages/framerail/dist/store/sql.js";
import type { TurnEnd } from "../../packages/framerail/dist/store/turn-end.js";
import type { RunningTurn } from "./turn-ends.js";

const time = (epochMs: number | null | undefined) => (epochMs == null ? null : new Date(epochMs));

export function endStatements({ orgId, sessionId }: RunningTurn, end: TurnEnd): Statement[] {
  const { turnId, message, segments, terminal } = end;
  return [
    {
      text: `update turns set status = 'ended', outcome = $3, usage = $4, last_seq = $5, terminal = $6, first_frame_at = $7,
        ended_at = $8 where org_id = $1 and id = $2`,
      values: [
        orgId,
        turnId,
        JSON.stringify(end.outcome),
        JSON.stringify(end.usage),
        terminal.seq,
        Buffer.from(terminal.sse),
        time(end.firstFrameAt),
        time(end.endedAt),
      ],
    },
    insert(
      "turn_frames",
      ["org_id", "turn_id", "epoch", "first_seq", "last_seq", "bytes"],
      segments.map(({ firstSeq, lastSeq, bytes }) => [orgId, turnId, end.epoch, firstSeq, lastSeq, bytes]),
    ),
    insert("messages", MESSAGE_COLUMNS, [
      [
        orgId,
        message._id,
        message.conversation_id,
        message.run_id,
        message.role,
        JSON.stringify(message.content_items),
        time(message.created_at),
        time(message.completed_at),
        message.duration_ms,
        message.tokens_used === undefined ? null : JSON.stringify(message.tokens_used),
        message.incomplete,
      ],
    ]),
    insert(
      "llm_usage_events",
      USAGE_COLUMNS,
      end.calls.map((call) => [
        orgId,
        turnId,
        call.call,
        sessionId,
        "assistant",
        call.model,
        call.inputTokens,
        call.outputTokens,
        call.reasoningTokens,
        call.cachedTokens,
        call.costUsd,
        call.ttftMs,
        call.totalMs,
        call.estimated,
        time(call.occurredAt),
      ]),
    ),
    insert(
      "agent_audit_log",
      AUDIT_COLUMNS,
      end.audit.map(({ id, actionType, parentId, detail, durationMs, occurredAt }) => [
        orgId,
        id,
        sessionId,
        turnId,
        actionType,
        parentId,
        JSON.stringify([
          { id: parentId, action_type: "message_received" },
          { id, action_type: actionType },
        ]),
        JSON.stringify(detail),
        durationMs,
        time(occurredAt),
      ]),
    ),
  ];
}

export const journalStatement = (rows: readonly JournalRow[]): Statement =>
  insert(
    "turn_events",
    ["org_id", "turn_id", "epoch", "position", "after_seq", "type", "emitter", "event"],
    rows.map((row) => [
      row.org_id,
      row.turn_id,
      row.epoch,
      row.position,
      row.after_seq,
      row.event.type,
      row.emitter,
      JSON.stringify(row.event),
    ]),
  );

const MESSAGE_COLUMNS = [
  "org_id",
  "id",
  "conversation_id",
  "run_id",
  "role",
  "content_items",
  "created_at",
  "completed_at",
  "duration_ms",
  "tokens_used",
  "incomplete",
];
const USAGE_COLUMNS = [
  "org_id",
  "turn_id",
  "call",
  "session_id",
  "agent_id",
  "model",
  "input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cached_tokens",
  "cost_usd",
  "ttft_ms",
  "total_ms",
  "estimated",
  "occurred_at",
];
const AUDIT_COLUMNS = [
  "org_id",
  "id",
  "session_id",
  "turn_id",
  "action_type",
  "parent_id",
  "provenance_chain",
  "detail",
  "duration_ms",
  "occurred_at",
];

const texts = new Map<string, string>();

/** One insert of all rows, whose text is the same for the same number of them. */
function insert(table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Statement {
  const key = `${table} ${rows.length}`;
  let text = texts.get(key);
  if (text === undefined) {
    const places = rows.map((_, row) => `(${columns.map((__, column) => `$${row * columns.length + column + 1}`)})`);
    text = `insert into ${table} (${columns.join(", ")}) values ${places.join(", ")}`;
    texts.set(key, text);
  }
  return { text, values: rows.flat() as NonNullable<Statement["values"]> };
}
