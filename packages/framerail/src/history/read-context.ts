// Reads as much of a conversation as a turn is told, and no more.
//   N1. Pages are read until the policy is covered or the conversation ends, at most CONTEXT_MESSAGES_MAX messages.

import type { Message, Position } from "../store/messages.js";
import { readMessages } from "../store/messages.js";
import type { Sql } from "../store/sql.js";
import type { ContextMessage, ContextPolicy, EstimateTokens } from "./choose-context.js";
import { chooseContext, contentOf, readPolicy } from "./choose-context.js";
import { CONTEXT_MESSAGES_MAX, CONTEXT_PAGE_MAX } from "./limits.js";

export interface ContextRequest {
  readonly conversationId: string;
  /** The turn that is about to run: its message is handed to it apart. */
  readonly exceptRunId?: string;
  readonly policy: ContextPolicy;
  readonly estimateTokens: EstimateTokens;
}

export async function readContext(sql: Sql, request: ContextRequest): Promise<ContextMessage[]> {
  const { conversationId, exceptRunId, policy, estimateTokens } = request;
  const { messagesMax, tokensMax } = readPolicy(policy);
  // The turn's own message, and one more to see that there is more.
  const limit = Math.min(CONTEXT_PAGE_MAX, messagesMax + 2);
  const newestFirst: Message[] = [];
  let tokens = 0;
  let hasQuestion = false;
  let before: Position | undefined;
  const isCovered = () => hasQuestion && (newestFirst.length > messagesMax || tokens > tokensMax);
  while (newestFirst.length <= CONTEXT_MESSAGES_MAX && !isCovered()) {
    const page = await readMessages(sql, { conversationId, before, limit });
    for (const message of page) {
      if (message.run_id === exceptRunId) continue;
      newestFirst.push(message);
      tokens += estimateTokens(contentOf(message, policy));
      hasQuestion ||= message.role === "user";
    }
    const oldest = page.at(-1);
    if (page.length < limit || oldest === undefined) break;
    before = oldest;
  }
  return chooseContext(newestFirst.reverse(), policy, estimateTokens);
}
