// The inner vocabulary: what agent code writes, one flat union told apart by `type` [P-2, W-IN-1, R-EVT-1]. One event
// per thing; names other speakers use for the same thing are in alias.ts [C-11].
// Owns: the events and their fields. Does not own: what of them reaches a client (to-frame.ts for the shape, the
// runtime's policy for the decision).
//   E1. Only init_stream, tool_call and node_enter carry a timestamp; the envelope stamps every frame [P-17, C-9].
//   E2. What an event holds beyond its frame (arguments, results, messages) stays inside: it is mapped field by field.

import { externalId, ownName } from "../frame/define-frame.js";
import { partFailureSchema } from "../frame/failure.js";
import { usageFields, usageRule, usageSchema } from "../frame/usage.js";
import { STATUS_ID } from "../frame/vocabulary.js";
import type { Infer } from "../schema/schema.js";
import {
  array,
  boolean,
  count,
  json,
  literal,
  map,
  number,
  object,
  oneOf,
  optional,
  string,
} from "../schema/schema.js";

const timestamp = count({ says: "Milliseconds since the Unix epoch." });
const text = string({ says: "The piece of text." });
const toolCallId = externalId("The call, unique within the turn.");
const toolName = ownName("The tool's name.");
const toolType = ownName("The kind of tool, such as `mcp` or `function`.");
const placeholder = {
  id: externalId("The placeholder that `data_loaded` replaces."),
  data_type: ownName("The domain type, such as `offer_list`."),
  key: object({ ids: array(map(json())) }),
};

/** Token counts as history keeps them [P-16]. */
export const tokensUsedSchema = object({
  prompt_tokens: count(),
  completion_tokens: count(),
  reasoning_tokens: count(),
});
export type TokensUsed = Infer<typeof tokensUsedSchema>;

export const STREAM_STATUSES = ["success", "error", "cancelled"] as const;

const mcp = <const T extends string>(type: T, says: string) => object({ type: literal(type) }, { says });

export const EVENTS = {
  init_stream: object(
    {
      type: literal("init_stream"),
      run_id: externalId("The turn."),
      conversation_id: externalId("The conversation."),
      timestamp,
    },
    { says: "A run begins. Always the first event." },
  ),
  episode: object(
    { type: literal("episode"), episode_id: externalId("The episode.") },
    { says: "The episode the turn belongs to." },
  ),
  thinking: object(
    { type: literal("thinking"), content: optional(string()), role: optional(literal("reasoning")) },
    { says: "The model is at work and has not begun to answer.", requires: { content: ["role"] } },
  ),
  reasoning: object({ type: literal("reasoning"), content: text }, { says: "A piece of the model's reasoning." }),
  text: object({ type: literal("text"), content: text }, { says: "A piece of the answer." }),
  tool_call: object(
    {
      type: literal("tool_call"),
      tool_call_id: toolCallId,
      tool_name: toolName,
      tool_type: optional(toolType),
      arguments: json({ says: "What the model passed; never on the wire." }),
      timestamp,
    },
    { says: "A tool is about to run." },
  ),
  tool_result: object(
    {
      type: literal("tool_result"),
      tool_call_id: toolCallId,
      result: json({ says: "What the tool gave back; never on the wire." }),
      is_error: boolean({ says: "True when the tool failed; the run goes on." }),
      duration_ms: count(),
    },
    { says: "What a tool gave back, for the model and for history." },
  ),
  tool_call_end: object(
    {
      type: literal("tool_call_end"),
      tool_call_id: toolCallId,
      tool_name: toolName,
      tool_type: optional(toolType),
      status: optional(oneOf(["cancelled", "unknown"])),
    },
    { says: "A tool has ended, whether or not it gave a result." },
  ),
  status: object(
    {
      type: literal("status"),
      event_id: string({ pattern: STATUS_ID, lengthMax: 256, says: "A registry id, never prose." }),
      values: optional(map(json(), { says: "What the sentence may name, such as a count." })),
    },
    { says: "What the agent is doing; rendered in the reader's language by policy." },
  ),
  data_loading: object(
    { type: literal("data_loading"), ...placeholder },
    { says: "Data for a component is on its way." },
  ),
  data_loaded: object(
    { type: literal("data_loaded"), ...placeholder, items: array(json()), tool_call_id: optional(toolCallId) },
    { says: "The data is here." },
  ),
  component: object(
    {
      type: literal("component"),
      data_id: externalId("The component's own id, for history."),
      data_type: ownName("The kind of component."),
      chunk: json({ says: "The component." }),
      tool_call_id: toolCallId,
      tool_name: toolName,
      tool_type: optional(toolType),
    },
    { says: "A component to show." },
  ),
  part_failed: object(
    { type: literal("part_failed"), error: partFailureSchema },
    { says: "A part of the turn failed and the turn goes on." },
  ),
  metrics: object(
    {
      type: literal("metrics"),
      model: ownName("The model."),
      ttft_ms: optional(count({ says: "Time to its first token." })),
      total_ms: optional(count({ says: "Time to its end." })),
      tokens: usageSchema,
      cost: optional(number({ min: 0, says: "In the currency of the price table." })),
      estimated: optional(boolean({ says: "True when the call ended before the provider told its counts." })),
    },
    { says: "One model call has ended: exactly one per call, also for a failed or cancelled one." },
  ),
  usage: object({ type: literal("usage"), ...usageFields }, { says: "Tokens of the whole turn.", rule: usageRule }),
  node_enter: object(
    {
      type: literal("node_enter"),
      node_id: ownName("The node."),
      node_type: ownName("Its kind, such as `model` or `tool`."),
      timestamp,
    },
    { says: "A node of the graph begins." },
  ),
  node_exit: object(
    { type: literal("node_exit"), node_id: ownName("The node."), duration_ms: count() },
    { says: "A node of the graph has ended." },
  ),
  support_content: object(
    { type: literal("support_content"), content: json() },
    { says: "Material for history on mixed-intent turns; internal." },
  ),
  log: object(
    { type: literal("log"), level: oneOf(["debug", "info", "warn", "error"]), message: string() },
    { says: "A line for operators, written by us or by the author; never raw process output." },
  ),
  mcp_list_tools_start: mcp("mcp_list_tools_start", "Listing the tools of an MCP server begins."),
  mcp_list_tools_completed: mcp("mcp_list_tools_completed", "The tools of an MCP server are listed."),
  mcp_session_start: mcp("mcp_session_start", "A session with an MCP server begins."),
  mcp_session_progress: mcp("mcp_session_progress", "A session with an MCP server goes on."),
  error: object(
    {
      type: literal("error"),
      message: string({ says: "For operators; never on the wire." }),
      node_id: optional(ownName("Where it happened.")),
      error_code: optional(ownName("A wire code where one fits; anything else reads as INTERNAL_ERROR.")),
      sub_agent_id: optional(ownName("The sub-agent, with SUB_AGENT_FAILED.")),
    },
    { says: "A fatal failure: the run stops." },
  ),
  end_stream: object(
    {
      type: literal("end_stream"),
      status: oneOf(STREAM_STATUSES),
      total_duration_ms: count(),
      tokens_used: optional(tokensUsedSchema),
      has_more: optional(boolean({ says: "True when the run paused at a limit or an approval." })),
      loop_iterations: optional(count()),
    },
    { says: "The run has ended." },
  ),
} as const;

export type EventType = keyof typeof EVENTS;
export type EventOf<T extends EventType> = Infer<(typeof EVENTS)[T]>;
/** Any event, told apart by `type`. */
export type AgentEvent = { [T in EventType]: EventOf<T> }[EventType];

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(EVENTS, type);
}
