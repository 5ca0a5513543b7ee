// Brings what a backend says within the bounds of the universal event, before anyone else sees it.
// Owns: which field is split, truncated or left out. Does not own: how text is cut (schema/cut-text.ts), the size of
// `data` (bound-data.ts), the fields (agent-event.ts).
//   B1. What leaves is within every bound, for every input; what cannot be brought within them is refused with
//       INVALID_ENVELOPE, naming the field and the rule [E-34].
//   B2. Bounds are UTF-8 bytes, and no cut breaks a character [E-33].
//   B3. Only the fields of the schema leave. A wide object handed in by mistake leaks nothing [E-31].
//   B4. Text loses nothing, except on kinds where no consumer expects text in parts: there it is truncated [E-8].

import { ENVELOPE_CHANNEL_BYTES_MAX, ENVELOPE_MESSAGE_BYTES_MAX, ENVELOPE_TEXT_BYTES_MAX } from "../limits.js";
import { compileCheck } from "../schema/check.js";
import { replaceLoneSurrogates, splitText, truncateMessage } from "../schema/cut-text.js";
import { object } from "../schema/schema.js";
import { exceedsBytes } from "../schema/text.js";
import { refuseUnreadable, requireValid } from "./admit.js";
import type { AgentWrapperCompletion, AgentWrapperEvent } from "./agent-event.js";
import { agentCompletionSchema, agentEventSchema } from "./agent-event.js";
import { boundData } from "./bound-data.js";

const checkRecord = compileCheck(object({}));
const checkEvent = compileCheck(agentEventSchema);
const checkCompletion = compileCheck(agentCompletionSchema);

/**
 * The event within its bounds; several events when it is a `TextOutput` with more text than one may hold. Every part has
 * the channel, so that grouping holds them together; `message` and `data` are said once, on the first.
 * The input is checked like any input: the type only helps those who have it.
 */
export function boundAgentEvent(raw: AgentWrapperEvent): [AgentWrapperEvent, ...AgentWrapperEvent[]] {
  const what = "an agent event";
  return refuseUnreadable(what, () => {
    requireValid(what, checkRecord, raw);
    // B3: named one by one, and each read once.
    const { agent_kind, kind, channel, text, message, data } = raw as Readonly<Record<string, unknown>>;
    const [first, ...rest] = boundText(kind, text);
    const head = { agent_kind, kind, channel: boundChannel(channel) };
    const event = keepPresent({ ...head, text: first, message: boundMessage(message), data: boundData(data) });
    requireValid(what, checkEvent, event);
    // B1 holds for the parts too: they differ from the checked event in their text alone.
    const parts = rest.map((part) => keepPresent({ ...head, text: part }));
    return [event, ...parts] as [AgentWrapperEvent, ...AgentWrapperEvent[]];
  });
}

/** The completion within its bounds [E-28]. Its text is truncated, never split: a run ends once. */
export function boundCompletion(raw: AgentWrapperCompletion): AgentWrapperCompletion {
  const what = "an agent completion";
  return refuseUnreadable(what, () => {
    requireValid(what, checkRecord, raw);
    const { agent_kind, exit_code, final_text, data } = raw as Readonly<Record<string, unknown>>;
    const text = typeof final_text === "string" ? truncateMessage(final_text, ENVELOPE_TEXT_BYTES_MAX) : final_text;
    const completion = keepPresent({ agent_kind, exit_code, final_text: text, data: boundData(data) });
    requireValid(what, checkCompletion, completion);
    return completion as AgentWrapperCompletion;
  });
}

// A field of a wrong type passes through these three unchanged, for the schema to refuse by name (B1).

function boundChannel(channel: unknown): unknown {
  if (typeof channel !== "string") return channel;
  return exceedsBytes(channel, ENVELOPE_CHANNEL_BYTES_MAX) ? undefined : replaceLoneSurrogates(channel);
}

function boundText(kind: unknown, text: unknown): unknown[] {
  if (typeof text !== "string") return [text];
  if (kind === "TextOutput") return splitText(text, ENVELOPE_TEXT_BYTES_MAX);
  return [truncateMessage(text, ENVELOPE_TEXT_BYTES_MAX)]; // B4
}

function boundMessage(message: unknown): unknown {
  return typeof message === "string" ? truncateMessage(message, ENVELOPE_MESSAGE_BYTES_MAX) : message;
}

function keepPresent(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
