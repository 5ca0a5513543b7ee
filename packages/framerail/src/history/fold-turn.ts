// Rebuilds what a turn said and did from what is left of it: the frames that were out, and the journal. For turns whose
// process died before it could store their message [D-3, C-7].
// Owns: the order in which the two sources are folded, and which of them tells what. Does not own: where they come from, the
// frames that end the turn (dispatch/).
//   O1. What a reader saw is in the message: text and loaded data come from the frames, in their order.
//   O2. What the wire does not carry whole comes from the journal: tool calls with their arguments, results, components
//       with their ids. A row that was written after frame n stands after frame n.
//   O3. A tool whose result is nowhere gets one that says so. It is never run again by us [G12].

import type { AgentEvent, Frame, MessageAccumulator } from "@framerail/protocol";
import { createMessageAccumulator } from "@framerail/protocol";

export interface TurnRemains {
  readonly runId: string;
  readonly conversationId: string;
  readonly startedAt: number;
  readonly frames: readonly Frame[];
  readonly journal: readonly { readonly after_seq: number; readonly event: AgentEvent }[];
}

const FROM_JOURNAL: ReadonlySet<string> = new Set(["tool_call", "tool_result", "component"]);

/** What a tool's result says when nobody knows it; the model reads this in the next turn. */
export const UNKNOWN_RESULT = { error: "The outcome of this call is unknown: the process that made it stopped." };

export function foldTurn({ frames, journal, ...turn }: TurnRemains): MessageAccumulator {
  const message = createMessageAccumulator(turn);
  const running = new Map<string, number>();
  let next = 0;
  let now = turn.startedAt;
  // O2
  const addRowsBefore = (seq: number) => {
    for (; next < journal.length && (journal[next]?.after_seq ?? 0) < seq; next += 1) {
      const event = journal[next]?.event as AgentEvent;
      if (event.type === "tool_call") running.set(event.tool_call_id, event.timestamp);
      if (event.type === "tool_result") running.delete(event.tool_call_id);
      if (FROM_JOURNAL.has(event.type)) message.add(event, now);
    }
  };
  for (const frame of frames) {
    addRowsBefore(frame.seq ?? 0);
    now = Math.max(now, Date.parse(frame.timestamp));
    const event = eventOfFrame(frame);
    if (event !== undefined) message.add(event, now);
  }
  addRowsBefore(Number.POSITIVE_INFINITY);
  for (const [tool_call_id, startedAt] of running) {
    const duration_ms = Math.max(0, now - startedAt);
    message.add({ type: "tool_result", tool_call_id, result: UNKNOWN_RESULT, is_error: true, duration_ms }, now);
  }
  return message;
}

/** What the wire carries whole; the rest of the wire's vocabulary is no part of a message. */
function eventOfFrame(frame: Frame): AgentEvent | undefined {
  switch (frame.event_type) {
    case "text":
      return { type: "text", content: frame.chunk };
    case "reasoning":
      return { type: "reasoning", content: frame.chunk };
    case "data_loaded": {
      const { id, type: data_type, key, items } = frame.data;
      return { type: "data_loaded", id, data_type, key, items };
    }
    default:
      return undefined;
  }
}
