// What a turn said and did, as one flat list in the order in which it happened [P-19, P-67]. There are no blocks inside
// blocks: a new kind of content is a new kind of item.
// Owns: the kinds of item. Does not own: how events become items (accumulator.ts), the document around them
// (assistant-message.ts).
//   I1. Every item has a `sequence`, its place in its message, and one `timestamp`, the time when it began. How long it
//       took is derived, never stored [P-66] (display-items.ts).
//   I2. Counts, durations and times are whole, not negative and safe in JSON [P-61].

import { externalId, ownName } from "../frame/define-frame.js";
import type { Infer } from "../schema/schema.js";
import { array, boolean, choice, count, json, literal, object, optional, string } from "../schema/schema.js";

const sequence = count({ says: "The item's place in its message, from 0 without gaps." });
const timestamp = count({ says: "When the item began, in milliseconds since the Unix epoch." });

const content = string({ says: "The text." });
const toolCallId = externalId("Pairs a tool_call with its tool_result.");

const reasoningItemSchema = object(
  { type: literal("reasoning"), sequence, content, timestamp },
  { says: "A stretch of the model's reasoning." },
);

export const messageItemSchema = object(
  { type: literal("message"), sequence, content, timestamp },
  { says: "A stretch of the answer, or what the user said." },
);

const toolCallItemSchema = object(
  {
    type: literal("tool_call"),
    sequence,
    tool_call_id: toolCallId,
    tool_name: ownName("The tool's name."),
    arguments: json({ says: "What the model passed." }),
    timestamp,
  },
  { says: "A tool was called." },
);

const toolResultItemSchema = object(
  {
    type: literal("tool_result"),
    sequence,
    tool_call_id: toolCallId,
    result: json({ says: 'What the tool gave back; where it failed, something like {"error":"Service unavailable"}.' }),
    is_error: boolean({ says: "Whether the tool failed." }),
    duration_ms: count({ says: "How long the tool ran." }),
    timestamp,
  },
  { says: "A tool ended. Results of tools that ran side by side come in any order." },
);

const componentItemSchema = object(
  {
    type: literal("component"),
    sequence,
    data_id: externalId("The component's own id."),
    data_type: ownName("The kind of component, or the domain type of its data."),
    items: optional(array(json(), { says: "The data of a component that shows a collection." })),
    chunk: optional(json({ says: "A single component, rendered." })),
    tool_call_id: optional(toolCallId),
    timestamp,
  },
  {
    says: "Data or a component that was shown; a later item of the same `data_id` replaced it on the screen.",
    rule: {
      path: "items",
      says: "must be present where chunk is absent, and absent where chunk is present",
      holds: (item: { readonly items?: unknown; readonly chunk?: unknown }) =>
        (item.items === undefined) !== (item.chunk === undefined),
    },
  },
);

export const contentItemSchema = choice("type", {
  reasoning: reasoningItemSchema,
  message: messageItemSchema,
  tool_call: toolCallItemSchema,
  tool_result: toolResultItemSchema,
  component: componentItemSchema,
});
export type ContentItem = Infer<typeof contentItemSchema>;
export type ContentItemType = ContentItem["type"];
export type ContentItemOf<T extends ContentItemType> = Extract<ContentItem, { readonly type: T }>;

export function sequenceOf(item: ContentItem): number {
  return item.sequence;
}

export function timestampOf(item: ContentItem): number {
  return item.timestamp;
}
