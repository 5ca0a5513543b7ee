// The audit rows of a turn, made from its events: the message, each tool that was called, the end.
// Owns: what the rows say. Does not own: writing them (the turn's final commit does), the rows of approvals and budgets.
//   T1. Arguments and results stay out: a hash for the one, shape and size for the other [C-15].
//   T2. Every tool that was called has a row, also one that never came back: its status is then `unknown`.
//   T3. Of the answer, at most FINAL_RESPONSE_BYTES_MAX is kept [R-3.2-10]. It is given at the end: who runs a turn has it
//       already, for its message.

import { createHash } from "node:crypto";
import type { AgentEvent, EventOf, Json, TurnOutcome } from "@framerail/protocol";
import { truncateMessage } from "@framerail/protocol";
import type { AuditRow } from "../store/audit.js";
import { FINAL_RESPONSE_BYTES_MAX } from "./limits.js";

export interface AuditedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** The id of the turn's `message_received`, the parent of all its other rows. */
  readonly rootId: string;
  /** Of the user's message, where it is kept. */
  readonly messageId?: string;
  readonly receivedAt: number;
  newId(): string;
}

export interface TurnEnd {
  readonly outcome: TurnOutcome;
  /** The text of the message. */
  readonly answer: string;
  readonly endedAt: number;
}

/** Sees the events of a turn as they come, and keeps of them what the rows need. */
export interface TurnAudit {
  take(event: AgentEvent): void;
  rows(end: TurnEnd): AuditRow[];
}

/** The rows of a turn whose events are all at hand. The first is the root. */
export function auditRowsOfTurn(turn: AuditedTurn, events: Iterable<AgentEvent>, end: TurnEnd): AuditRow[] {
  const audit = createTurnAudit(turn);
  for (const event of events) audit.take(event);
  return audit.rows(end);
}

/** Written when a turn is accepted: what comes later needs it as its parent. */
export function messageReceivedRow({ sessionId, turnId, rootId, messageId, receivedAt }: AuditedTurn): AuditRow {
  return {
    id: rootId,
    sessionId,
    turnId,
    actionType: "message_received",
    parentId: null,
    detail: messageId === undefined ? {} : { message_id: messageId },
    durationMs: null,
    occurredAt: receivedAt,
  };
}

interface ToolRun {
  readonly id: string;
  readonly call: EventOf<"tool_call">;
  readonly paramsHash: string;
  result?: { readonly type: string; readonly bytes: number; readonly failed: boolean; readonly durationMs: number };
  status?: "cancelled" | "unknown";
  ended?: boolean;
}

export function createTurnAudit(turn: AuditedTurn): TurnAudit {
  return new Audit(turn);
}

class Audit implements TurnAudit {
  readonly #turn: AuditedTurn;
  /** By their ids; made for the first. */
  #tools: Map<string, ToolRun> | undefined;

  constructor(turn: AuditedTurn) {
    this.#turn = turn;
  }

  take(event: AgentEvent): void {
    switch (event.type) {
      case "tool_call":
        this.#tools ??= new Map();
        this.#tools.set(event.tool_call_id, {
          id: this.#turn.newId(),
          call: withoutArguments(event),
          paramsHash: hashJson(event.arguments),
        });
        break;
      case "tool_result": {
        const tool = this.#tools?.get(event.tool_call_id);
        if (tool) tool.result = { ...sizeOf(event.result), failed: event.is_error, durationMs: event.duration_ms };
        break;
      }
      case "tool_call_end": {
        const tool = this.#tools?.get(event.tool_call_id);
        if (tool) Object.assign(tool, { ended: true, status: event.status });
        break;
      }
      default:
    }
  }

  rows(end: TurnEnd): AuditRow[] {
    const turn = this.#turn;
    const tools = [...(this.#tools?.values() ?? [])];
    return [messageReceivedRow(turn), ...tools.map((tool) => toolRow(turn, tool)), completedRow(turn, end)];
  }
}

/** What a running turn holds on to must not be a tool's input. */
function withoutArguments(event: EventOf<"tool_call">): EventOf<"tool_call"> {
  return { ...event, arguments: null };
}

function toolRow({ sessionId, turnId, rootId }: AuditedTurn, tool: ToolRun): AuditRow {
  const { id, call, paramsHash, result } = tool;
  return {
    id,
    sessionId,
    turnId,
    actionType: "tool_call",
    parentId: rootId,
    detail: {
      tool_name: call.tool_name,
      tool_call_id: call.tool_call_id,
      params_hash: paramsHash,
      output_summary: { status: statusOf(tool), ...(result && { type: result.type, bytes: result.bytes }) },
    },
    durationMs: result?.durationMs ?? null,
    occurredAt: call.timestamp,
  };
}

// T2
function statusOf({ result, status, ended }: ToolRun): string {
  if (status !== undefined) return status;
  if (result !== undefined) return result.failed ? "failed" : "succeeded";
  return ended ? "ended" : "unknown";
}

function completedRow(turn: AuditedTurn, { outcome, answer, endedAt }: TurnEnd): AuditRow {
  const { sessionId, turnId, rootId, receivedAt, newId } = turn;
  return {
    id: newId(),
    sessionId,
    turnId,
    actionType: "message_completed",
    parentId: rootId,
    detail: { outcome: describeOutcome(outcome), final_response: truncateMessage(answer, FINAL_RESPONSE_BYTES_MAX) },
    durationMs: Math.max(0, endedAt - receivedAt),
    occurredAt: endedAt,
  };
}

function describeOutcome(outcome: TurnOutcome): { readonly [field: string]: Json } {
  switch (outcome.kind) {
    case "failed":
      return { kind: outcome.kind, code: outcome.error.code, cause: outcome.cause };
    case "cancelled":
      return { kind: outcome.kind, code: outcome.code };
    case "paused":
      return { kind: outcome.kind, limit: outcome.limit };
    case "completed":
      return { kind: outcome.kind };
  }
}

function sizeOf(value: Json): { readonly type: string; readonly bytes: number } {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return { type, bytes: Buffer.byteLength(JSON.stringify(value)) };
}

/** Of the JSON with its keys in order, so that the same arguments have the same hash however they were written. */
export function hashJson(value: Json): string {
  return createHash("sha256").update(writeInOrder(value)).digest("hex");
}

// Written by hand: an object made anew would sort keys that look like numbers its own way.
function writeInOrder(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeInOrder).join(",")}]`;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, one]) => `${JSON.stringify(key)}:${writeInOrder(one as Json)}`).join(",")}}`;
}
