// Event → frame, as a table without gaps [W-MAP-1 … W-MAP-5]. A type that is neither mapped nor listed as suppressed
// does not compile [W-R-6, W-MAP-4]; one that arrives unknown at run time maps to nothing.
// Owns: shape. Does not own: whether an event is shown, merged or reworded; that is policy, which may only take away.
//   M1. Fields are named one by one, so what an event holds beyond its frame cannot ride along.
//   M2. `error` and `end_stream` both map to a terminal; the lifecycle's latch lets the first one through [C-1].

import { unreachable } from "../error.js";
import type { Failure } from "../frame/failure.js";
import { PUBLIC_NAME } from "../frame/failure.js";
import type { FrameType, PayloadOf } from "../frame/vocabulary.js";
import type { AgentEvent, EventOf, EventType } from "./vocabulary.js";

/** A frame before it has an envelope. */
export type Draft = { [T in FrameType]: { readonly type: T; readonly payload: PayloadOf<T> } }[FrameType];

/** Never on the wire, whatever the policy. */
export const SUPPRESS = "suppress";

/** Rendered by policy from the registry: an id alone is not a sentence. */
export const RENDER = "render";

type Mapping = { readonly [T in EventType]: ((event: EventOf<T>) => Draft) | typeof SUPPRESS | typeof RENDER };

const DEFAULT_TOOL_TYPE = "function";

export const FRAME_OF_EVENT: Mapping = {
  init_stream: () => ({ type: "response_id", payload: {} }),
  episode: ({ episode_id }) => ({ type: "episode", payload: { episode_id } }),
  thinking: ({ content, role }) => ({
    type: "thinking",
    payload: { ...(content !== undefined && { content }), ...(role !== undefined && { role }) },
  }),
  reasoning: ({ content }) => ({ type: "reasoning", payload: { chunk: content } }),
  text: ({ content }) => ({ type: "text", payload: { chunk: content } }),
  tool_call: (event) => ({ type: "tool_call", payload: { tool_call: toolOf(event) } }),
  tool_result: SUPPRESS,
  tool_call_end: (event) => ({
    type: "tool_completed",
    payload: { tool_call: { ...toolOf(event), ...(event.status !== undefined && { status: event.status }) } },
  }),
  status: RENDER,
  data_loading: ({ id, data_type, key }) => ({ type: "data_loading", payload: { data: { id, type: data_type, key } } }),
  data_loaded: ({ id, data_type, key, items }) => ({
    type: "data_loaded",
    payload: { data: { id, type: data_type, key, items } },
  }),
  component: (event) => ({ type: "component", payload: { chunk: event.chunk, tool_call: toolOf(event) } }),
  part_failed: ({ error }) => ({ type: "error", payload: { error, is_final: false } }),
  metrics: SUPPRESS,
  usage: (event) => ({
    type: "usage",
    payload: {
      input_tokens: event.input_tokens,
      output_tokens: event.output_tokens,
      total_tokens: event.total_tokens,
      reasoning_tokens: event.reasoning_tokens,
      cached_tokens: event.cached_tokens,
    },
  }),
  node_enter: SUPPRESS,
  node_exit: SUPPRESS,
  support_content: SUPPRESS,
  log: SUPPRESS,
  mcp_list_tools_start: () => ({ type: "mcp_list_tools_start", payload: {} }),
  mcp_list_tools_completed: () => ({ type: "mcp_list_tools_completed", payload: {} }),
  mcp_session_start: () => ({ type: "mcp_session_start", payload: {} }),
  mcp_session_progress: () => ({ type: "mcp_session_progress", payload: {} }),
  error: (event) => ({ type: "error", payload: { error: failureOf(event), is_final: true } }),
  end_stream: endOf,
};

/** The event's frame; `undefined` for what stays inside, for an id that policy renders, and for an unknown type. */
export function toFrame(event: AgentEvent): Draft | undefined {
  const mapping = Object.hasOwn(FRAME_OF_EVENT, event.type) ? FRAME_OF_EVENT[event.type] : SUPPRESS;
  return typeof mapping === "function" ? (mapping as (event: AgentEvent) => Draft)(event) : undefined;
}

interface ToolNames {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly tool_type?: string;
}

function toolOf({ tool_call_id, tool_name, tool_type }: ToolNames) {
  return { id: tool_call_id, name: tool_name, type: tool_type ?? DEFAULT_TOOL_TYPE };
}

function failureOf({ error_code, sub_agent_id }: EventOf<"error">): Failure {
  if (error_code === "RATE_LIMIT_ERROR") return { code: "RATE_LIMIT_ERROR" };
  // A name that the wire does not take would cost the turn its end.
  if (error_code === "SUB_AGENT_FAILED" && sub_agent_id !== undefined && PUBLIC_NAME.test(sub_agent_id))
    return { code: "SUB_AGENT_FAILED", sub_agent_id };
  return { code: "INTERNAL_ERROR" };
}

function endOf({ status, has_more }: EventOf<"end_stream">): Draft {
  switch (status) {
    case "success":
      return { type: "completed", payload: has_more ? { has_more } : {} };
    case "error":
      return { type: "error", payload: { error: { code: "INTERNAL_ERROR" }, is_final: true } };
    case "cancelled":
      return { type: "cancelled", payload: { error: { code: "REQUEST_CANCELLED" } } };
    default:
      return unreachable(status);
  }
}
