// The documents of a conversation's history: what the user said, and what one turn answered [P-41, P-64].
// Owns: their shapes. Does not own: how an answer is gathered (accumulator.ts), or where documents are kept.
//   D1. `content_items` is numbered from 0 without gaps, in order [P-28].
//   D2. `incomplete` is false for a turn that succeeded, and true for every other: cancelled, failed, paused at a limit
//       or rebuilt after a crash [C-34, P-63].

import type { Issue } from "../error.js";
import { refuse } from "../error.js";
import type { TokensUsed } from "../event/vocabulary.js";
import { tokensUsedSchema } from "../event/vocabulary.js";
import { externalId } from "../frame/define-frame.js";
import type { Usage } from "../frame/usage.js";
import { usageSchema } from "../frame/usage.js";
import { compileCheck } from "../schema/check.js";
import type { Infer } from "../schema/schema.js";
import { array, boolean, count, literal, object, optional, string } from "../schema/schema.js";
import type { ContentItem } from "./content-item.js";
import { contentItemSchema, messageItemSchema } from "./content-item.js";

/** `msg_` and a UUID of version 4 [I-21]. */
export const messageIdSchema = string({
  pattern: /^msg_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  says: "The message: msg_ and a UUID of version 4.",
});

export const conversationIdSchema = externalId("The conversation.");
export const runIdSchema = externalId("The turn.");

const identity = {
  _id: messageIdSchema,
  conversation_id: conversationIdSchema,
  run_id: runIdSchema,
};

export const assistantMessageSchema = object(
  {
    ...identity,
    role: literal("assistant"),
    content_items: array(contentItemSchema, { says: "What the turn said and did, in order." }),
    created_at: count({ says: "When the turn began, in milliseconds since the Unix epoch." }),
    completed_at: optional(count({ says: "When it ended." })),
    duration_ms: count({ says: "From created_at to completed_at." }),
    tokens_used: optional(tokensUsedSchema),
    incomplete: boolean({ says: "False exactly when the turn succeeded." }),
  },
  {
    says: "What one turn answered.",
    rule: {
      path: "content_items",
      says: "must be numbered from 0 without gaps, in order",
      holds: ({ content_items }: { readonly content_items: readonly ContentItem[] }) =>
        content_items.every((item, index) => item.sequence === index),
    },
  },
);
export type AssistantMessage = Infer<typeof assistantMessageSchema>;

export const userMessageSchema = object(
  {
    ...identity,
    role: literal("user"),
    content_items: array(messageItemSchema, { says: "What the user said, as one item." }),
    created_at: count({ says: "When it was received, in milliseconds since the Unix epoch." }),
    incomplete: literal(false),
  },
  {
    says: "What the user said, which began a turn. It is saved before the turn runs.",
    rule: {
      path: "content_items",
      says: "must be exactly one item with sequence 0",
      holds: ({ content_items }: { readonly content_items: readonly ContentItem[] }) =>
        content_items.length === 1 && content_items[0]?.sequence === 0,
    },
  },
);
export type UserMessage = Infer<typeof userMessageSchema>;

const CHECKS = { assistant: compileCheck(assistantMessageSchema), user: compileCheck(userMessageSchema) };

/** The first rule that a message breaks. */
export function checkMessage(message: AssistantMessage | UserMessage): Issue | undefined {
  return CHECKS[message.role](message);
}

const checkUsage = compileCheck(usageSchema);

/** The five counters as history keeps them: cached and total are parts of the others, or their sum [C-14]. */
export function tokensUsed(usage: Usage): TokensUsed {
  const issue = checkUsage(usage);
  if (issue) throw refuse("INVALID_ARGUMENT", "not a usage", issue);
  return {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    reasoning_tokens: usage.reasoning_tokens,
  };
}
