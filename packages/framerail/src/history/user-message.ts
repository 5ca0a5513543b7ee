// What a user said, as the document that history keeps of it: saved before its turn runs [P-64].

import type { UserMessage } from "@framerail/protocol";

export interface SaidByUser {
  /** `msg_` and a UUID of version 4 [I-21]. */
  readonly messageId: string;
  readonly conversationId: string;
  readonly runId: string;
  readonly text: string;
  /** When it was received. */
  readonly at: number;
}

export function createUserMessage({ messageId, conversationId, runId, text, at }: SaidByUser): UserMessage {
  return {
    _id: messageId,
    conversation_id: conversationId,
    run_id: runId,
    role: "user",
    content_items: [{ type: "message", sequence: 0, content: text, timestamp: at }],
    created_at: at,
    incomplete: false,
  };
}
