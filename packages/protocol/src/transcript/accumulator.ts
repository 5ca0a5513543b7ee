// Gathers the events of one turn into the content items of one message: for the server's history, and for a client
// that shows the turn while it runs.
// Owns: which events join, when text becomes an item, and numbering. Does not own: when a turn ends, saving, clocks and
// ids, which are arguments.
//   A1. Text of one kind with nothing between joins into one item, with the time of its first chunk [P-29, P-32].
//   A2. Whatever is not text stands alone, and pending text is closed before it, so that order is the order of arrival,
//       also between results of tools that run side by side [P-33, P-34, I-19].
//   A3. Items are numbered from 0 without gaps; text without a character takes no number [P-27, P-28].
//   A4. A refused event changes nothing.
//   A5. A chunk costs the same however long the text already is (growing-text.ts).

import { FramerailError, refuse, unreachable } from "../error.js";
import { checkEvent } from "../event/read-event.js";
import { tokensUsedSchema } from "../event/vocabulary.js";
import { compileCheck } from "../schema/check.js";
import type { Infer, Json } from "../schema/schema.js";
import { boolean, count, object, optional, string } from "../schema/schema.js";
import type { AssistantMessage } from "./assistant-message.js";
import { conversationIdSchema, messageIdSchema, runIdSchema } from "./assistant-message.js";
import type { ContentItem, ContentItemOf } from "./content-item.js";
import { GrowingText } from "./growing-text.js";
import type { TranscriptEvent } from "./transcript-event.js";
import { isTranscriptEventType } from "./transcript-event.js";

const accumulatorOptionsSchema = object({
  runId: runIdSchema,
  conversationId: conversationIdSchema,
  startedAt: count(),
});
export type MessageAccumulatorOptions = Infer<typeof accumulatorOptionsSchema>;

const finalizeOptionsSchema = object({
  messageId: messageIdSchema,
  endedAt: count(),
  tokensUsed: optional(tokensUsedSchema),
  incomplete: boolean(),
});
export type FinalizeOptions = Infer<typeof finalizeOptionsSchema>;

export interface MessageAccumulator {
  /** Takes the next event, at the time `now`. Types that become no content are ignored [P-35]. */
  add(event: TranscriptEvent | { readonly type: string }, now: number): void;
  /** The items so far, with the text that is still growing as the last one. */
  items(): readonly ContentItem[];
  /** The answer so far: the text of all message items, joined [C-36]. */
  text(): string;
  /** Closes the message. Afterwards nothing can be added, and it cannot be closed again. */
  finalize(options: FinalizeOptions): AssistantMessage;
}

/** The text that is growing, of one kind and from its first chunk on. */
class PendingText extends GrowingText {
  readonly type: "reasoning" | "message";
  readonly timestamp: number;

  constructor(type: PendingText["type"], first: string, timestamp: number) {
    super(first);
    this.type = type;
    this.timestamp = timestamp;
  }
}

const checkOptions = compileCheck(accumulatorOptionsSchema);
const checkFinalizeOptions = compileCheck(finalizeOptionsSchema);
const checkArrival = compileCheck(object({ event: object({ type: string() }), now: count() }));

export function createMessageAccumulator(options: MessageAccumulatorOptions): MessageAccumulator {
  const issue = checkOptions(options);
  if (issue) throw refuse("INVALID_ARGUMENT", "an accumulator needs its turn", issue);
  return new Accumulator(options);
}

class Accumulator implements MessageAccumulator {
  readonly #options: MessageAccumulatorOptions;
  readonly #closed: ContentItem[] = [];
  #pending: PendingText | undefined;
  #finalized = false;

  constructor(options: MessageAccumulatorOptions) {
    this.#options = options;
  }

  add(event: TranscriptEvent | { readonly type: string }, now: number): void {
    this.#requireOpen();
    if (!admit(event, now)) return;
    if (event.type === "text") this.#append("message", event.content, now);
    else if (event.type === "reasoning") this.#append("reasoning", event.content, now);
    else {
      this.#closePending();
      this.#closed.push(itemOfEvent(event, this.#closed.length, now));
    }
  }

  items(): readonly ContentItem[] {
    const last = itemOfText(this.#pending, this.#closed.length);
    return last ? [...this.#closed, last] : [...this.#closed];
  }

  text(): string {
    return this.items()
      .filter((item) => item.type === "message")
      .map((item) => item.content)
      .join("");
  }

  finalize(end: FinalizeOptions): AssistantMessage {
    this.#requireOpen();
    const issue = checkFinalizeOptions(end);
    if (issue) throw refuse("INVALID_ARGUMENT", "the message cannot be finalized", issue);
    this.#closePending();
    this.#finalized = true;
    const { runId, conversationId, startedAt } = this.#options;
    // A clock that was set back during the turn must not cost the message: it then ends when it began.
    const endedAt = Math.max(startedAt, end.endedAt);
    return {
      _id: end.messageId,
      conversation_id: conversationId,
      run_id: runId,
      role: "assistant",
      content_items: [...this.#closed],
      created_at: startedAt,
      completed_at: endedAt,
      duration_ms: endedAt - startedAt,
      ...(end.tokensUsed && { tokens_used: end.tokensUsed }),
      incomplete: end.incomplete,
    };
  }

  #requireOpen(): void {
    if (this.#finalized) throw new FramerailError("INVARIANT_VIOLATION", "the message is already finalized");
  }

  #append(type: PendingText["type"], content: string, now: number): void {
    if (this.#pending?.type !== type) {
      this.#closePending();
      this.#pending = new PendingText(type, content, now);
    } else this.#pending.add(content);
  }

  #closePending(): void {
    const item = itemOfText(this.#pending, this.#closed.length);
    if (item) this.#closed.push(item);
    this.#pending = undefined;
  }
}

// The usual case, without an object to check; whatever is not usual gets the check that can say what is wrong.
function hasArrived(event: unknown, now: unknown): boolean {
  if (typeof event !== "object" || event === null || !Number.isSafeInteger(now)) return false;
  return typeof (event as { type?: unknown }).type === "string" && (now as number) >= 0;
}

/** False for an event that is none of ours. One of ours with a wrong field is refused by name. */
function admit(event: { readonly type: string }, now: number): event is TranscriptEvent {
  const broken = hasArrived(event, now) ? undefined : checkArrival({ event, now });
  if (broken) throw refuse("INVALID_EVENT", "an event cannot be added", broken);
  if (!isTranscriptEventType(event.type)) return false;
  const issue = checkEvent(event);
  if (issue) throw refuse("INVALID_EVENT", `a ${event.type} event cannot be added`, issue);
  return true;
}

function itemOfText(text: PendingText | undefined, sequence: number): ContentItem | undefined {
  const content = text?.toString() ?? "";
  return text && content !== "" ? { type: text.type, sequence, content, timestamp: text.timestamp } : undefined;
}

type AtomicEvent = Exclude<TranscriptEvent, { readonly type: "text" | "reasoning" }>;
type AtomicItem = ContentItemOf<"tool_call" | "tool_result" | "component">;

// The data is copied: what a tool does to its result after the event is no part of what happened.
function itemOfEvent(event: AtomicEvent, sequence: number, now: number): AtomicItem {
  switch (event.type) {
    case "tool_call": {
      const { type, tool_call_id, tool_name, timestamp } = event;
      return { type, sequence, tool_call_id, tool_name, arguments: copyJson(event.arguments), timestamp };
    }
    case "tool_result": {
      const { type, tool_call_id, is_error, duration_ms } = event;
      const result = copyJson(event.result);
      return { type, sequence, tool_call_id, result, is_error, duration_ms, timestamp: now };
    }
    case "data_loaded": {
      const items = copyJson(event.items);
      return {
        type: "component",
        sequence,
        data_id: event.id,
        data_type: event.data_type,
        items,
        ...madeBy(event, now),
      };
    }
    case "component": {
      const { type, data_id, data_type } = event;
      return { type, sequence, data_id, data_type, chunk: copyJson(event.chunk), ...madeBy(event, now) };
    }
    default:
      return unreachable(event);
  }
}

// Not structuredClone: it throws at a proxy, which a library of state may have made, and which the wire carries like any other.
function copyJson<T extends Json | readonly Json[]>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function madeBy({ tool_call_id }: { readonly tool_call_id?: string }, timestamp: number) {
  return tool_call_id === undefined ? { timestamp } : { tool_call_id, timestamp };
}
