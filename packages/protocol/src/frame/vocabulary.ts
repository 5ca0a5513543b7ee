// The wire vocabulary, version 0.5: nineteen frame types [W-EV-1 … W-EV-19]. This table is the contract; everything
// else about a frame is derived from it.
// Changing it: an optional field or a new type is an addition. A rename, a removal, a change of type or a new required
// field needs a new wire version, and the compatibility gate fails without one [W-FR-12].

import { array, boolean, json, literal, map, object, oneOf, optional, string } from "../schema/schema.js";
import type { Envelope, PayloadOfDefinition } from "./define-frame.js";
import { defineFrame, externalId, ownName } from "./define-frame.js";
import { cancellationSchema, failureSchema } from "./failure.js";
import { usageFields, usageRule } from "./usage.js";

const toolFields = {
  id: externalId("Pairs `tool_call` with `tool_completed`."),
  name: ownName("The tool's name."),
  type: ownName("The kind of tool, such as `mcp` or `function`."),
};
const toolCall = object(toolFields, { says: "Which tool. Arguments and results never ride on the wire." });
const toolEnd = object(
  {
    ...toolFields,
    status: optional(
      oneOf(["cancelled", "unknown"], {
        says: "Absent on a real completion. `cancelled`: the turn ended first. `unknown`: the process running it died.",
      }),
    ),
  },
  { says: "The same tool as in `tool_call`." },
);

const placeholder = {
  id: externalId("The placeholder: `data_loaded` with the same id replaces `data_loading`."),
  type: ownName("The domain type of the items, such as `offer_list`."),
  key: object({ ids: array(map(json()), { says: 'What is being loaded, such as `{"id":"OFF_1"}`.' }) }),
};

/** Registry ids: lower case words, joined by dots where a vertical has a namespace of its own. */
export const STATUS_ID = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/;

const mcp = (says: string) =>
  defineFrame(
    { group: "mcp", since: "0.4", says, deprecated: "Use `status` for progress and `tool_call` for tools." },
    {},
  );

export const FRAMES = {
  response_id: defineFrame(
    {
      group: "lifecycle",
      since: "0.4",
      says: "The turn is open. Always the first frame, once; its datum is the envelope's `response_id`.",
    },
    {},
  ),
  episode: defineFrame(
    { group: "lifecycle", since: "0.4", says: "Names the episode the turn belongs to; early, before any text." },
    { episode_id: externalId("The episode.") },
  ),
  thinking: defineFrame(
    {
      group: "lifecycle",
      since: "0.4",
      says: "The model is at work and has not begun to answer. Clients may ignore it.",
      requires: { content: ["role"] },
    },
    {
      content: optional(string({ says: "What it thinks, if the model tells." })),
      role: optional(literal("reasoning")),
    },
  ),
  usage: defineFrame(
    {
      group: "lifecycle",
      since: "0.4",
      says: "Tokens of the whole turn, just before its end. Not sent for a cancelled turn.",
      rule: usageRule,
    },
    usageFields,
  ),
  mcp_list_tools_start: mcp("Listing the tools of an MCP server begins."),
  mcp_list_tools_completed: mcp("The tools of an MCP server are listed."),
  mcp_session_start: mcp("A session with an MCP server begins."),
  mcp_session_progress: mcp("A session with an MCP server goes on."),
  tool_call: defineFrame({ group: "tool", since: "0.4", says: "A tool begins to run." }, { tool_call: toolCall }),
  tool_completed: defineFrame(
    { group: "tool", since: "0.4", says: "A tool has ended. Every `tool_call` has one, before the terminal." },
    { tool_call: toolEnd },
  ),
  text: defineFrame(
    { group: "content", since: "0.4", says: "A piece of the answer. Joined in order, the pieces are the answer." },
    { chunk: string({ says: "The piece." }) },
  ),
  reasoning: defineFrame(
    { group: "content", since: "0.4", says: "A piece of the model's reasoning; clients may hide it." },
    { chunk: string({ says: "The piece." }) },
  ),
  data_loading: defineFrame(
    { group: "component", since: "0.4", says: "Data for a component is on its way: show a placeholder." },
    { data: object(placeholder) },
  ),
  data_loaded: defineFrame(
    { group: "component", since: "0.4", says: "The data is here: replace the placeholder of the same `data.id`." },
    { data: object({ ...placeholder, items: array(json(), { says: "The unwrapped payloads." }) }) },
  ),
  component: defineFrame(
    { group: "component", since: "0.4", says: "A component to show, made by a `render_*` tool." },
    { chunk: json({ says: "The component." }), tool_call: toolCall },
  ),
  status: defineFrame(
    {
      group: "status",
      since: "0.5",
      says: "What the agent is doing, in the reader's language. The frame to show as progress.",
    },
    {
      data: object({
        event_id: string({ pattern: STATUS_ID, lengthMax: 256, says: "The registry id: stable, usable for icons." }),
        message: string({ says: "The rendered sentence." }),
      }),
    },
  ),
  completed: defineFrame(
    { group: "terminal", since: "0.4", says: "The turn succeeded, or paused where `has_more` is true." },
    {
      has_more: optional(
        boolean({ says: "True when the turn stopped at a limit or an approval and can be continued." }),
      ),
    },
  ),
  error: defineFrame(
    { group: "terminal", since: "0.4", says: "A failure. It ends the turn exactly when `is_final` is true." },
    { error: failureSchema, is_final: boolean({ says: "Whether this is the last frame of the turn." }) },
  ),
  cancelled: defineFrame(
    {
      group: "terminal",
      since: "0.5",
      says: "The turn was stopped, by the client or for silence. Always the last frame.",
    },
    { error: cancellationSchema },
  ),
} as const;

export type FrameType = keyof typeof FRAMES;
export type PayloadOf<T extends FrameType> = PayloadOfDefinition<(typeof FRAMES)[T]>;
export type FrameOf<T extends FrameType> = { [K in T]: Envelope<K> & PayloadOf<K> }[T];
/** Any frame of the wire, told apart by `event_type`. */
export type Frame = FrameOf<FrameType>;

export const FRAME_TYPES = /* @__PURE__ */ Object.keys(FRAMES) as FrameType[];

export function isFrameType(type: string): type is FrameType {
  return Object.hasOwn(FRAMES, type);
}
