// The turn wire as a spec for the engine [C-3], and the same rules as a look-up table for the hot path.

import type { Failure } from "../frame/failure.js";
import type { FrameType } from "../frame/vocabulary.js";
import type { MessageClass } from "./phase.js";
import { FIRST, IN_PRELUDE, IN_STREAMING, TERMINAL } from "./phase.js";
import type { StreamProtocolSpec } from "./spec.js";

/** A frame as the engine sees it: its type and what decides whether it ends the turn. */
export interface TurnMessage {
  readonly type: FrameType | "log";
  readonly is_final?: boolean;
  readonly error?: Failure;
}

const EARLY = IN_PRELUDE | IN_STREAMING;

/** Where each frame may stand. `error` is here as it stands when it is not final. */
const TURN_CLASSES: { readonly [T in TurnMessage["type"]]: MessageClass } = {
  response_id: FIRST,
  episode: IN_PRELUDE,
  thinking: EARLY,
  status: EARLY,
  log: EARLY,
  text: IN_STREAMING,
  reasoning: IN_STREAMING,
  tool_call: IN_STREAMING,
  tool_completed: IN_STREAMING,
  data_loading: IN_STREAMING,
  data_loaded: IN_STREAMING,
  component: IN_STREAMING,
  usage: IN_STREAMING,
  mcp_list_tools_start: IN_STREAMING,
  mcp_list_tools_completed: IN_STREAMING,
  mcp_session_start: IN_STREAMING,
  mcp_session_progress: IN_STREAMING,
  error: IN_STREAMING,
  completed: TERMINAL,
  cancelled: TERMINAL,
};

// A map, because a name that is not known beforehand is found in it sooner than in an object of twenty fields.
const CLASSES: ReadonlyMap<string, MessageClass> = new Map(Object.entries(TURN_CLASSES));

export function turnClassOf(type: TurnMessage["type"], isFinal: boolean): MessageClass {
  // The frame of every token is known without looking.
  if (type === "text") return TURN_CLASSES.text;
  return type === "error" && isFinal ? TERMINAL : (CLASSES.get(type) ?? 0);
}

const failed: TurnMessage = { type: "error", is_final: true, error: { code: "INTERNAL_ERROR" } };
const classOf = (message: TurnMessage) => turnClassOf(message.type, message.is_final === true);

export const turnSpec: StreamProtocolSpec<TurnMessage> = {
  route: "turn",
  opens: (message) => (classOf(message) & FIRST) !== 0,
  allow_in_prelude: (message) => (classOf(message) & IN_PRELUDE) !== 0,
  allow_in_streaming: (message) => (classOf(message) & IN_STREAMING) !== 0,
  is_terminal: (message) => (classOf(message) & TERMINAL) !== 0,
  on_violation: () => failed,
  on_thrown_error: () => failed,
  on_silent_end: () => failed,
};
