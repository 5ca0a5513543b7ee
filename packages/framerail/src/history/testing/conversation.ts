// A conversation on a real store, to which a test adds exchanges.

import { randomUUID } from "node:crypto";
import type { AssistantMessage, ContentItem } from "@framerail/protocol";
import type { Message } from "../../store/messages.js";
import { insertMessage } from "../../store/messages.js";
import { createSession } from "../../store/sessions.js";
import { insertTurn } from "../../store/testing/insert-turn.js";
import type { TestStore } from "../../store/testing/open-store.js";
import { createUserMessage } from "../user-message.js";

export const T0 = 1_699_999_999_000;

export interface Conversation {
  readonly conversationId: string;
  /** A turn with its question and its answer, and what was stored of it. */
  exchange(options?: ExchangeOptions): Promise<Message[]>;
}

export interface ExchangeOptions {
  readonly question?: string | undefined;
  readonly answer?: string | undefined;
  readonly items?: readonly ContentItem[];
  readonly at?: number;
  readonly incomplete?: boolean;
}

/** Exchanges are a second apart unless they say when they were. */
export async function openConversation(store: TestStore, orgId: string): Promise<Conversation> {
  const [sessionId, conversationId] = [randomUUID(), randomUUID()];
  const conversation = { id: conversationId, isNew: true };
  await store.database.asTenant(orgId, (sql) =>
    createSession(sql, { id: sessionId, conversation, agentId: "assistant", userId: "user_1" }),
  );
  let seconds = 0;
  return {
    conversationId,
    async exchange(options = {}) {
      const runId = await insertTurn(store.database, orgId, { sessionId, conversationId });
      seconds += 1;
      const messages = exchangeOf({ runId, conversationId }, { at: T0 + seconds * 1_000, ...options });
      await store.database.asTenant(orgId, async (sql) => {
        for (const message of messages) await insertMessage(sql, message);
      });
      return messages;
    },
  };
}

/** The documents of one turn. Without a question or an answer there is none. */
export function exchangeOf(
  { runId, conversationId }: { readonly runId: string; readonly conversationId: string },
  options: ExchangeOptions = {},
): Message[] {
  const { question = "question", answer = "answer", at = T0, incomplete = false } = { ...options };
  const messages: Message[] = [];
  if (!("question" in options) || options.question !== undefined) {
    messages.push(createUserMessage({ messageId: `msg_${randomUUID()}`, conversationId, runId, text: question, at }));
  }
  if (!("answer" in options) || options.answer !== undefined) {
    messages.push({
      _id: `msg_${randomUUID()}`,
      conversation_id: conversationId,
      run_id: runId,
      role: "assistant",
      content_items: options.items ?? [{ type: "message", sequence: 0, content: answer, timestamp: at }],
      created_at: at,
      completed_at: at + 700,
      duration_ms: 700,
      incomplete,
    } satisfies AssistantMessage);
  }
  return messages;
}
