// A page of a conversation as people read it: the newest messages, in the order in which they were said [I-20, P-42].
// Owns: pages, their bounds, what is hidden. Does not own: rows (store/messages.ts), the form of a cursor (cursor.ts).
//   R1. Pages neither overlap nor leave a gap, however many messages share a millisecond, and whatever is added meanwhile.
//   R2. `prev` is there exactly when there are older messages.
//   R3. Reasoning is shown to whoever asks for it; without it, items are numbered from 0 without gaps all the same.

import { FramerailError } from "@framerail/protocol";
import type { Message } from "../store/messages.js";
import { readMessages } from "../store/messages.js";
import { requireConversation } from "../store/sessions.js";
import type { Sql } from "../store/sql.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { HISTORY_LIMIT_DEFAULT, HISTORY_LIMIT_MAX } from "./limits.js";

export interface HistoryRequest {
  readonly conversationId: string;
  /** Whose conversation it must be; undefined for a caller who speaks for the tenant. */
  readonly userId: string | undefined;
  readonly limit?: number | undefined;
  /** The `prev` of a newer page. */
  readonly before?: string | undefined;
  readonly reasoning?: boolean;
}

export interface HistoryPage {
  /** Oldest first. */
  readonly messages: readonly Message[];
  readonly prev: string | undefined;
}

/** Throws NOT_FOUND for a conversation that is not this caller's, INVALID_ARGUMENT for a limit or a cursor that is none. */
export async function readHistory(sql: Sql, request: HistoryRequest): Promise<HistoryPage> {
  const { conversationId, userId, limit = HISTORY_LIMIT_DEFAULT, reasoning = false } = request;
  if (!Number.isInteger(limit) || limit < 1 || limit > HISTORY_LIMIT_MAX) {
    throw new FramerailError("INVALID_ARGUMENT", `limit must be a whole number from 1 to ${HISTORY_LIMIT_MAX}`);
  }
  const before = request.before === undefined ? undefined : decodeCursor(request.before);
  await requireConversation(sql, { conversationId, userId });
  // One more than is shown: it tells whether there are older ones (R2).
  const found = await readMessages(sql, { conversationId, before, limit: limit + 1 });
  const shown = found.slice(0, limit).reverse();
  const [oldest] = shown;
  const hasMore = found.length > limit && oldest !== undefined;
  return {
    messages: reasoning ? shown : shown.map(hideReasoning),
    prev: hasMore ? encodeCursor(oldest) : undefined,
  };
}

// R3
export function hideReasoning(message: Message): Message {
  if (message.role === "user") return message;
  const shown = message.content_items.filter(({ type }) => type !== "reasoning");
  return { ...message, content_items: shown.map((item, sequence) => ({ ...item, sequence })) };
}
