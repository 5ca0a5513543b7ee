// Two clients as they were written for their version, frozen: they share no code with the product, and change only when a
// client in the field would have to. Each takes the bytes of a whole stream and says what it made of them.

import { readSse } from "../harness/sse-reader.js";

export interface Consumed {
  /** What it read until it closed, by type. */
  readonly types: readonly string[];
  /** What the user has on the screen in the end. */
  readonly text: string;
  readonly statuses: readonly string[];
  /** Types it did not know. */
  readonly ignored: readonly string[];
  /** The frame that ended the turn for it. */
  readonly closedBy: string | undefined;
}

interface AnyFrame {
  readonly event_type: string;
  readonly chunk?: string;
  readonly data?: { readonly message?: string };
  readonly is_final?: boolean;
}

const KNOWN_04 = new Set([
  "response_id",
  "episode",
  "thinking",
  "usage",
  "tool_call",
  "tool_completed",
  "text",
  "reasoning",
  "data_loading",
  "data_loaded",
  "component",
  "completed",
  "error",
]);
const KNOWN_05 = new Set([...KNOWN_04, "status", "cancelled"]);

/** Knows no status and no is_final: an error is the end. */
export function consumeAs04(body: string): Consumed {
  return consume(body, KNOWN_04, ({ event_type }) => event_type === "completed" || event_type === "error");
}

/** Goes on after an error that is not final. */
export function consumeAs05(body: string): Consumed {
  return consume(
    body,
    KNOWN_05,
    ({ event_type, is_final }) =>
      event_type === "completed" || event_type === "cancelled" || (event_type === "error" && is_final === true),
  );
}

function consume(body: string, known: ReadonlySet<string>, ends: (frame: AnyFrame) => boolean): Consumed {
  const types: string[] = [];
  const ignored: string[] = [];
  const statuses: string[] = [];
  let text = "";
  let closedBy: string | undefined;
  for (const { data } of readSse(body).events) {
    if (closedBy !== undefined || data === "[DONE]") break;
    const frame = JSON.parse(data) as AnyFrame;
    if (!known.has(frame.event_type)) {
      ignored.push(frame.event_type);
      continue;
    }
    types.push(frame.event_type);
    if (frame.event_type === "text") text += frame.chunk ?? "";
    if (frame.event_type === "status") statuses.push(frame.data?.message ?? "");
    if (ends(frame)) closedBy = frame.event_type;
  }
  return { types, text, statuses, ignored, closedBy };
}
