// One row for every table that holds tenants' rows, in the order in which they can be inserted.
// A table that is added needs a row here: the test of row security compares the names with the database's own list.

import { randomUUID } from "node:crypto";

export interface RowIds {
  /** For every key that a tenant's row has and that is an id. */
  readonly row: string;
  /** For the keys that belong to nobody in particular, and so cannot be shared by two tenants. */
  readonly unshared: string;
}

export const randomIds = (): RowIds => ({ row: randomUUID(), unshared: randomUUID() });

type Columns = Readonly<Record<string, string | number>>;

/** Columns by table, but for the tenant's. */
export function tenantRows({ row, unshared }: RowIds): Readonly<Record<string, Columns>> {
  const session = { session_id: row };
  const turn = { turn_id: row };
  const at = "2026-05-15T18:00:00Z";
  const person = { agent_id: "assistant", user_id: "user_1" };
  return {
    conversations: { id: row, user_id: "user_1" },
    agent_sessions: { id: row, conversation_id: row, ...person },
    agent_checkpoints: {
      id: unshared,
      ...session,
      checkpoint_key: "c",
      bytes: "\\x00",
      bytes_sha256: "s",
      // One tenant's session has the number that no other's has: the key is without the tenant [R-5.1-2].
      loop_iteration: Number.parseInt(unshared.slice(0, 7), 16),
    },
    turns: { id: row, ...session, conversation_id: row, ...person, owner: row, status: "running" },
    turn_frames: { ...turn, epoch: 1, first_seq: 1, last_seq: 1, bytes: "\\x00" },
    turn_events: { ...turn, epoch: 1, position: 1, after_seq: 0, type: "text", emitter: "assistant", event: "{}" },
    messages: {
      id: `msg_${row}`,
      conversation_id: row,
      run_id: row,
      role: "user",
      content_items: "[]",
      created_at: at,
    },
    llm_usage_events: {
      ...turn,
      call: 1,
      ...session,
      agent_id: "assistant",
      model: "m",
      input_tokens: 1,
      output_tokens: 1,
      occurred_at: at,
    },
    open_calls: { ...turn, call: 1, model: "m", input_tokens: 1, told: 0, begun_at: at },
    agent_audit_log: { id: row, ...session, action_type: "message_received", provenance_chain: "[1]" },
    approvals: {
      id: row,
      ...session,
      ...turn,
      tool_call_id: "call_1",
      tool_name: "pay",
      digest: "d",
      expires_at: at,
    },
    budgets: { id: row, token_limit: 1 },
    budget_periods: { budget_id: row, period_start: at },
    budget_reservations: { id: row, budget_id: row, period_start: at, ...turn, tokens: 1 },
    idempotency_keys: { principal: "user_1", ...session, key: "k", body_sha256: "s", ...turn, expires_at: at },
    pipeline_states: { pipeline_id: row, stream: "s", state: "{}" },
    api_keys: { id: row, name: "k", key_hash: `\\x${unshared.replaceAll("-", "")}`, kind: "service" },
  };
}

/** The statement that puts one of these rows under a tenant. */
export function insertOf(table: string, orgId: string, ids: RowIds): string {
  const columns = { org_id: orgId, ...tenantRows(ids)[table] };
  const values = Object.values(columns).map((value) => `'${value}'`);
  return `insert into ${table} (${Object.keys(columns).join(", ")}) values (${values.join(", ")})`;
}
