// What of a conversation the next turn is told: its newest part, within a policy [F-43].
// Owns: what is cut. Does not own: reading (read-context.ts), counting tokens, which is an argument.
//   X1. What is cut are whole exchanges, a question with what was answered to it, oldest first: an answer never stands
//       without its question, and what is told starts with a user.
//   X2. The newest exchange is always told, whole, even when it alone is over the policy: a turn that knows nothing of what
//       was said a moment ago is worse than a long one, and the model's own limit still holds.
//   X3. A message without text (a turn that only showed things, or failed at once) is left out, because models refuse empty
//       messages; its question stays.
//   X4. An answer to no question of its own, such as of a turn that an approval continued, belongs to the exchange before.

import { FramerailError } from "@framerail/protocol";
import type { Message } from "../store/messages.js";
import { CONTEXT_MESSAGES_DEFAULT, CONTEXT_MESSAGES_MAX } from "./limits.js";

export interface ContextPolicy {
  readonly messagesMax?: number;
  readonly tokensMax?: number;
  /** Whether an answer that was cut off is told as it is, which is the default, or with INCOMPLETE_MARK at its end. */
  readonly incomplete?: "keep" | "mark";
}

/** One message as the next turn reads it. */
export interface ContextMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export type EstimateTokens = (text: string) => number;

export const INCOMPLETE_MARK = "[This answer was cut off.]";

interface Line extends ContextMessage {
  readonly index: number;
}

/** `messages` are those of a conversation, oldest first, complete at their newer end. */
export function chooseContext(
  messages: readonly Message[],
  policy: ContextPolicy,
  estimateTokens: EstimateTokens,
): ContextMessage[] {
  const { messagesMax, tokensMax } = readPolicy(policy);
  const chosen: Line[] = [];
  let tokens = 0;
  for (const exchange of toExchanges(messages, policy).reverse()) {
    for (const { content } of exchange) tokens += estimateTokens(content);
    // Not "over": an estimate that is no number must not count as room.
    const fits = chosen.length + exchange.length <= messagesMax && tokens <= tokensMax;
    if (!fits && chosen.length > 0) break;
    chosen.push(...exchange);
  }
  return chosen.sort((a, b) => a.index - b.index).map(({ role, content }) => ({ role, content }));
}

/** The bounds of a policy; throws INVALID_ARGUMENT for what is none. */
export function readPolicy({ messagesMax = CONTEXT_MESSAGES_DEFAULT, tokensMax }: ContextPolicy) {
  if (!Number.isInteger(messagesMax) || messagesMax < 1 || messagesMax > CONTEXT_MESSAGES_MAX) {
    throw new FramerailError(
      "INVALID_ARGUMENT",
      `messagesMax must be a whole number from 1 to ${CONTEXT_MESSAGES_MAX}`,
    );
  }
  if (tokensMax !== undefined && !(Number.isSafeInteger(tokensMax) && tokensMax >= 1)) {
    throw new FramerailError("INVALID_ARGUMENT", "tokensMax must be a whole number, 1 or more");
  }
  return { messagesMax, tokensMax: tokensMax ?? Number.POSITIVE_INFINITY };
}

/** Each starts with its question. They are in the order of their questions (X1). */
function toExchanges(messages: readonly Message[], policy: ContextPolicy): Line[][] {
  const exchanges: Line[][] = [];
  const byRun = new Map<string, Line[]>();
  messages.forEach((message, index) => {
    const { role, run_id } = message;
    const content = contentOf(message, policy);
    if (role === "user") {
      const exchange: Line[] = [];
      byRun.set(run_id, exchange);
      if (content !== "") exchanges.push(exchange);
    }
    const home = byRun.get(run_id) ?? exchanges.at(-1);
    if (content !== "") home?.push({ role, content, index });
  });
  return exchanges;
}

export function contentOf(message: Message, { incomplete = "keep" }: ContextPolicy): string {
  const text = message.content_items.map((item) => (item.type === "message" ? item.content : "")).join("");
  if (!message.incomplete || incomplete === "keep") return text;
  return text === "" ? INCOMPLETE_MARK : `${text}\n\n${INCOMPLETE_MARK}`;
}
