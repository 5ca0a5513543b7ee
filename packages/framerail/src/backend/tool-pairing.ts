// Tool events of agents we did not write, in the pairs that the wire asks for [G6, C-11]. Some speakers say a result and
// no end, some say both, some say the end without the tool's type.
// Owns: which calls are open. Does not own: closing what is open when the turn ends (the lifecycle's guard).
//   P1. A result closes its call at once. An end of the speaker's own then finds nothing open, and is dropped.
//   P2. An end repeats the name and type of its start: by them the guard knows the pair.
//   P3. At most OPEN_CALLS_MAX are open at a time, and a turn has at most CALLS_PER_TURN_MAX.
//   P4. Names that are not for clients, made up by a model or sent by a service, are not shown to them, whatever event
//       they stand in (names-for-clients.ts).
//   P5. An id that was used in the turn names another call when it comes again, under an id of its own (call-ids.ts), and so
//       does what refers to it from then on. While the call is open, its start that comes again is a copy, and dropped.

import type { AgentEvent, EventOf } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { createUniqueIds } from "../agent/call-ids.js";
import { CALLS_PER_TURN_MAX, OPEN_CALLS_MAX } from "./limits.js";
import { failureForClients, nameForClients } from "./names-for-clients.js";

export interface ToolPairing {
  /** Writes the event, and what it lacks. */
  write(event: AgentEvent): void;
  readonly openCount: number;
}

export function createToolPairing(write: (event: AgentEvent) => void): ToolPairing {
  // By the speaker's ids; `latest` has also those that have ended (P5).
  const open = new Map<string, EventOf<"tool_call">>();
  const latest = new Map<string, string>();
  const ids = createUniqueIds();

  function begin(event: EventOf<"tool_call">): void {
    const { tool_call_id } = event;
    if (open.has(tool_call_id)) return;
    if (open.size >= OPEN_CALLS_MAX) throw tooMany(`more than ${OPEN_CALLS_MAX} tool calls are open`);
    if (ids.count >= CALLS_PER_TURN_MAX) throw tooMany(`more than ${CALLS_PER_TURN_MAX} tool calls in one turn`);
    const own = nameForClients({ ...event, tool_call_id: ids.take(tool_call_id) });
    open.set(tool_call_id, own);
    latest.set(tool_call_id, own.tool_call_id);
    write(own);
  }

  /** The event, of the call that its id names by now. */
  function refer<T extends { readonly tool_call_id?: string | undefined }>(event: T): T {
    const tool_call_id = event.tool_call_id === undefined ? undefined : latest.get(event.tool_call_id);
    return tool_call_id === undefined ? event : { ...event, tool_call_id };
  }

  function close(tool_call_id: string, status?: EventOf<"tool_call_end">["status"]): void {
    const call = open.get(tool_call_id);
    if (call === undefined) return;
    open.delete(tool_call_id);
    const { tool_call_id: own, tool_name, tool_type } = call;
    write({
      type: "tool_call_end",
      tool_call_id: own,
      tool_name,
      ...(tool_type !== undefined && { tool_type }),
      ...(status !== undefined && { status }),
    });
  }

  return {
    write(event) {
      switch (event.type) {
        case "tool_call":
          begin(event);
          break;
        case "tool_result":
          write(refer(event));
          close(event.tool_call_id);
          break;
        case "tool_call_end":
          close(event.tool_call_id, event.status);
          break;
        case "component":
          write(nameForClients(refer(event)));
          break;
        case "data_loaded":
          write(refer(event));
          break;
        case "part_failed":
          write({ ...event, error: failureForClients(event.error) });
          break;
        default:
          write(event);
      }
    },
    get openCount() {
      return open.size;
    },
  };
}

function tooMany(says: string): FramerailError {
  return new FramerailError("PROTOCOL_VIOLATION", says);
}
