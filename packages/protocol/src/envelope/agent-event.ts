// The universal agent event: the one shape in which a backend (a CLI agent, a hosted agent) reports what it does, and
// the completion that ends its run. What a client sees is a projection of it (project-agent-event.ts).
// Owns: both types, their schemas, the stable kinds and the suggested words. Does not own: enforcing the byte bounds
// (bounds.ts), the tools facet (tools-facet.ts).
//   A1. An event has these six fields and no other. None of them is for a raw line of the backend's process: whoever
//       needs those attaches a sink where the process is read (raw-lines.ts) [E-14, E-31, E-32].
//   A2. The kinds are closed, `agent_kind` is open: a new backend needs no new version of the contract [E-2, E-3].
//
// `lengthMax` below counts UTF-16 units and the bounds count UTF-8 bytes. A text within its bytes is always within as
// many units, so the schema refuses no event that bounds.ts lets out; it is only less exact.

import {
  ENVELOPE_CHANNEL_BYTES_MAX,
  ENVELOPE_MESSAGE_BYTES_MAX,
  ENVELOPE_TEXT_BYTES_MAX,
  NAME_LENGTH_MAX,
} from "../limits.js";
import type { Infer } from "../schema/schema.js";
import { integer, json, object, oneOf, optional, string } from "../schema/schema.js";

/** What an event is about [E-3]. `Unknown` is for what a backend cannot classify [E-29]. */
export const AGENT_EVENT_KINDS = ["TextOutput", "ToolCall", "ToolResult", "Status", "Error", "Unknown"] as const;

export type AgentWrapperEventKind = (typeof AGENT_EVENT_KINDS)[number];

/** Words for `channel` that consumers already group by; any other word is as good [E-30]. */
export const SUGGESTED_CHANNELS = ["tool", "error", "status", "assistant", "user"] as const;

const agentKind = string({
  lengthMin: 1,
  lengthMax: NAME_LENGTH_MAX,
  says: "Which backend speaks, for example `codex`. An open set.",
});

const data = json({
  says: 'Structured detail of the backend, at most 65536 bytes of compact JSON; larger data is replaced by `{"dropped":{"reason":"oversize"}}`. Never a raw line, a tool input or a tool output.',
});

export const agentEventSchema = object(
  {
    agent_kind: agentKind,
    kind: oneOf(AGENT_EVENT_KINDS, { says: "What the event is about; `Unknown` when the backend cannot tell." }),
    channel: optional(
      string({
        lengthMax: ENVELOPE_CHANNEL_BYTES_MAX,
        says: "A word to group events by, at most 128 UTF-8 bytes; a longer one is left out.",
      }),
    ),
    text: optional(
      string({
        lengthMax: ENVELOPE_TEXT_BYTES_MAX,
        says: "The words of a `TextOutput`, at most 65536 UTF-8 bytes; longer text comes as several events in order.",
      }),
    ),
    message: optional(
      string({
        lengthMax: ENVELOPE_MESSAGE_BYTES_MAX,
        says: "One line about a `Status` or an `Error`, at most 4096 UTF-8 bytes; a longer one is truncated.",
      }),
    ),
    data: optional(data),
  },
  { says: "One thing an agent did, in words common to all backends." },
);

export type AgentWrapperEvent = Infer<typeof agentEventSchema>;
/** The name of a backend [E-2]. */
export type AgentWrapperKind = AgentWrapperEvent["agent_kind"];

export const agentCompletionSchema = object(
  {
    agent_kind: agentKind,
    exit_code: optional(
      integer({ says: "The exit code of the backend's process; absent when it had none, or a signal ended it." }),
    ),
    final_text: optional(
      string({
        lengthMax: ENVELOPE_TEXT_BYTES_MAX,
        says: "The last answer in one piece, at most 65536 UTF-8 bytes; a longer one is truncated here and whole in the `TextOutput` events.",
      }),
    ),
    data: optional(data),
  },
  { says: "How a run of an agent ended. It follows the last event." },
);

export type AgentWrapperCompletion = Infer<typeof agentCompletionSchema>;

/**
 * The stable kind of a backend's own event type. What the table does not name is `Unknown`: shown to nobody, and still
 * counted and logged, where a dropped event would be missed by everybody [E-29].
 */
export function classifyNativeType(
  table: Readonly<Record<string, AgentWrapperEventKind>>,
  nativeType: unknown,
): AgentWrapperEventKind {
  // Own keys only: a native type called "constructor" must not find what every object inherits.
  if (typeof nativeType !== "string" || !Object.hasOwn(table, nativeType)) return "Unknown";
  return table[nativeType] as AgentWrapperEventKind;
}
