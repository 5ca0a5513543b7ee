// The server's documents, as far as this client reads them, and the outcome it makes of one.

import type { AssistantMessage, CancelCode, Json, UserMessage } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";

export interface SessionDocument {
  readonly session_id: string;
  readonly conversation_id: string;
  readonly agent_id: string;
  readonly status: "initializing" | "active" | "suspended" | "error" | "terminated";
}

export interface TurnDocument {
  readonly turn_id: string;
  readonly session_id: string;
  readonly conversation_id: string;
  readonly agent_id: string;
  readonly status: "running" | "ended";
  readonly outcome: {
    readonly kind: "completed" | "paused" | "failed" | "cancelled";
    readonly code?: string;
    readonly has_more: boolean;
  } | null;
  readonly last_seq: number;
  readonly cursor: string;
  /** The answer as history keeps it, once the turn has ended. */
  readonly message: AssistantMessage | null;
}

export interface AgentDocument {
  readonly agent_id: string;
  readonly emitters: readonly { readonly id: string; readonly emits: readonly string[] }[];
}

export type HistoryMessage = AssistantMessage | UserMessage;

/** A document that has at least the named fields, as strings. Throws MALFORMED_JSON. */
function requireFields<T>(value: Json, ...names: readonly (keyof T & string)[]): T {
  const fields = Object(value) as { readonly [name: string]: unknown };
  for (const name of names) {
    if (typeof fields[name] !== "string") throw new FramerailError("MALFORMED_JSON", `the answer has no ${name}`);
  }
  return value as unknown as T;
}

export function readSessionDocument(value: Json): SessionDocument {
  return requireFields<SessionDocument>(value, "session_id", "conversation_id");
}

export function turnPath(turnId: string): string {
  return `/v1/turns/${encodeURIComponent(turnId)}`;
}

export function readTurnDocument(value: Json): TurnDocument {
  return requireFields<TurnDocument>(value, "turn_id", "status");
}

/** How a turn ended: three kinds [W-CAN-4]; one that stopped at a limit or an approval is completed and paused [C-30]. */
export type TurnEnd =
  | { readonly kind: "completed"; readonly paused: boolean }
  | { readonly kind: "failed"; readonly error?: { readonly code: string } }
  | { readonly kind: "cancelled"; readonly code: CancelCode };

/** The end that a document must tell by now. Throws STREAM_TRUNCATED, which another attempt may heal. */
export function requireEnd(document: TurnDocument): TurnEnd {
  const end = endOfDocument(document);
  if (end === undefined) throw new FramerailError("STREAM_TRUNCATED", "the turn's end is not known yet");
  return end;
}

/** The end a document tells; undefined while the turn runs. */
export function endOfDocument({ status, outcome }: TurnDocument): TurnEnd | undefined {
  if (status !== "ended" || !outcome) return undefined;
  switch (outcome.kind) {
    case "completed":
    case "paused":
      return { kind: "completed", paused: outcome.kind === "paused" };
    case "cancelled":
      return { kind: "cancelled", code: outcome.code as CancelCode };
    default:
      return { kind: "failed", ...(outcome.code !== undefined && { error: { code: outcome.code } }) };
  }
}
