// What a node writes through LangGraph's own writer → an event [W-SW-3]. Two shapes are known: a status, which is an id
// under `event_type` with metadata beside it, and an event of our vocabulary under the name of any speaker.
//   X1. The metadata become the values that a sentence may name; as keys they go nowhere.
//   X2. A node can neither open nor end a turn.

import type { AgentEvent } from "@framerail/protocol";
import { checkEvent, isFramerailError, readEvent } from "@framerail/protocol";
import { believable } from "../believable.js";
import { isFields } from "./graph.js";

const RUNTIME_ONLY: ReadonlySet<string> = new Set(["init_stream", "end_stream", "error"]);

/** The event, or undefined for what is none. */
export function readCustomEvent(value: unknown, statusKey: string, now: number): AgentEvent | undefined {
  if (!isFields(value)) return undefined;
  const { [statusKey]: event_id, ...values } = value;
  if (typeof event_id !== "string") return readOwnEvent(value, now);
  const event = { type: "status", event_id, ...(Object.keys(values).length > 0 && { values }) };
  return checkEvent(event) === undefined ? (event as AgentEvent) : undefined;
}

function readOwnEvent(value: unknown, now: number): AgentEvent | undefined {
  try {
    const event = readEvent(value, now);
    return RUNTIME_ONLY.has(event.type) ? undefined : believable(event);
  } catch (error) {
    // Whoever calls tells operators that something was ignored; the value itself may be a secret.
    if (isFramerailError(error)) return undefined;
    throw error;
  }
}
