// The facet `agent_api.tools.structured.v1`: what `data` says about a tool call, and the constructor of tool events.
// Owns: the facet, its defaults, its suggested words. Does not own: the size of `data` (bound-data.ts).
//   F1. A tool event made here always has the facet, complete: what the backend does not know is null, 0 or `unknown`
//       [E-17, E-24]. Only a facet over the bound gives way, to the dropped object [E-18].
//   F2. The facet is metadata. It is built field by field, and no field is for inputs, outputs, diffs or lines, so a
//       native item handed in whole leaves them behind [E-26, C-15].

import { compileCheck } from "../schema/check.js";
import type { Infer } from "../schema/schema.js";
import { count, integer, literal, nullable, object, oneOf, optional, string } from "../schema/schema.js";
import { refuseUnreadable, requireValid } from "./admit.js";
import type { AgentWrapperEvent } from "./agent-event.js";
import { DROPPED_DATA } from "./bound-data.js";
import { boundAgentEvent } from "./bounds.js";

/** The name of the facet, and of the capability by which a backend promises it [E-16]. */
export const TOOLS_FACET_ID = "agent_api.tools.structured.v1";
export const TOOL_EVENT_KINDS = ["ToolCall", "ToolResult"] as const;
export const TOOL_PHASES = ["start", "delta", "complete", "fail"] as const;
export const TOOL_STATUSES = ["pending", "running", "completed", "failed", "unknown"] as const;

/** Words for `tool.kind` that consumers already know; any other word is as good [E-20, E-27]. */
export const SUGGESTED_TOOL_KINDS = [
  "command_execution",
  "file_change",
  "mcp_tool_call",
  "web_search",
  "tool_use",
  "tool_result",
] as const;

const bytesSchema = object(
  {
    stdout: count({ says: "Bytes the tool wrote to its standard output." }),
    stderr: count({ says: "Bytes the tool wrote to its standard error." }),
    diff: count({ says: "Bytes of the change the tool made." }),
    result: count({ says: "Bytes of the result the model was given." }),
  },
  { says: "Sizes of what the event does not carry; 0 when absent or unknown." },
);

const toolSchema = object({
  backend_item_id: nullable(string(), { says: "The backend's id of the item." }),
  thread_id: nullable(string(), { says: "The backend's id of the conversation." }),
  turn_id: nullable(string(), { says: "The backend's id of the turn." }),
  kind: string({ says: "What sort of tool it is. An open set." }),
  phase: oneOf(TOOL_PHASES, { says: "Where in its life the call is." }),
  status: oneOf(TOOL_STATUSES, { says: "How the call is doing." }),
  exit_code: nullable(integer(), { says: "The exit code of a command." }),
  bytes: bytesSchema,
  tool_name: nullable(string(), { says: "The tool's name, as the model knows it." }),
  tool_use_id: nullable(string(), { says: "The id by which a call and its result find each other." }),
});

export const toolsFacetSchema = object(
  { schema: literal(TOOLS_FACET_ID), tool: toolSchema },
  { says: "Metadata of a tool call: which tool, how far, how large; never what went in or came out." },
);

export type ToolsFacet = Infer<typeof toolsFacetSchema>;
export type ToolEventKind = (typeof TOOL_EVENT_KINDS)[number];

type Known<T> = { readonly [K in keyof T]?: T[K] | undefined };
/** What a backend knows about a tool call; the rest gets its default. */
export type ToolMetadata = Known<Omit<ToolsFacet["tool"], "bytes">> & {
  readonly bytes?: Known<ToolsFacet["tool"]["bytes"]> | undefined;
};

export interface ToolEventOptions {
  readonly agentKind: string;
  readonly kind: ToolEventKind;
  readonly tool: ToolMetadata;
  readonly channel?: string | undefined;
}

const toolEventKind = oneOf(TOOL_EVENT_KINDS);
const checkOptions = compileCheck(object({ kind: toolEventKind, tool: object({ bytes: optional(object({})) }) }));
const checkToolEvent = compileCheck(object({ kind: toolEventKind, data: toolsFacetSchema }));
const checkFacet = compileCheck(toolsFacetSchema, { unknown: "refuse" });

/** Whether `data` is the facet and nothing more: a foreign key may hide a payload [E-26]. */
export function isToolsFacet(data: unknown): data is ToolsFacet {
  return checkFacet(data) === undefined;
}

/** The one way to make a tool event. The facet is not a parameter, so it cannot be left out [E-16, E-17]. */
export function createToolEvent(options: ToolEventOptions): AgentWrapperEvent {
  const what = "a tool event";
  return refuseUnreadable(what, () => {
    requireValid(what, checkOptions, options);
    const { agentKind, kind, tool, channel } = options;
    const data = { schema: TOOLS_FACET_ID, tool: completeTool(kind, tool) } satisfies ToolsFacet;
    const [event] = boundAgentEvent({ agent_kind: agentKind, kind, data, ...(channel !== undefined && { channel }) });
    // F1: the facet, or the object that says it was dropped; nothing between.
    if (event.data !== DROPPED_DATA) requireValid(what, checkToolEvent, event);
    return event;
  });
}

// F2: every field by its name, never a spread of what the backend handed in.
function completeTool(eventKind: ToolEventKind, known: ToolMetadata): ToolsFacet["tool"] {
  const status = known.status ?? "unknown";
  return {
    backend_item_id: known.backend_item_id ?? null,
    thread_id: known.thread_id ?? null,
    turn_id: known.turn_id ?? null,
    kind: known.kind ?? (eventKind === "ToolCall" ? "tool_use" : "tool_result"),
    phase: known.phase ?? guessPhase(eventKind, status),
    status,
    exit_code: known.exit_code ?? null,
    bytes: {
      stdout: known.bytes?.stdout ?? 0,
      stderr: known.bytes?.stderr ?? 0,
      diff: known.bytes?.diff ?? 0,
      result: known.bytes?.result ?? 0,
    },
    tool_name: known.tool_name ?? null,
    tool_use_id: known.tool_use_id ?? null,
  };
}

/** A phase has no word for "unknown": a call starts, a result ends, and what failed did not complete. */
function guessPhase(eventKind: ToolEventKind, status: ToolsFacet["tool"]["status"]): ToolsFacet["tool"]["phase"] {
  if (status === "failed") return "fail";
  return eventKind === "ToolCall" ? "start" : "complete";
}
