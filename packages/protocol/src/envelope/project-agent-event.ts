// Which frame of the wire a universal event becomes [C-11]. Only the names are here: what goes into the frame is decided
// where turns are published, under the wire's own rules (a frame's error text comes from a catalogue [C-17]).

import type { AgentWrapperEventKind } from "./agent-event.js";

/** Every kind has a row, by type. `suppressed`: kept for logs and counts, never shown to a client. */
export const AGENT_EVENT_PROJECTION = {
  TextOutput: "text",
  ToolCall: "tool_call",
  ToolResult: "tool_completed",
  Status: "status",
  Error: "error",
  Unknown: "suppressed",
} as const satisfies Readonly<Record<AgentWrapperEventKind, string>>;

export type AgentEventProjection = (typeof AGENT_EVENT_PROJECTION)[AgentWrapperEventKind];
