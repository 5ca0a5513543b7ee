// Tool events of agents we did not write, in the pairs that the wire asks for [G6, C-11]. Some speakers say a result and
// no end, some say both, some say the end without the tool's type.
// Owns: which calls are open. Does not own: closing what is open when the turn ends (the lifecycle's guard).
//   P1. A result closes its call at once. An end of the speaker's own then finds nothing open, and is dropped.
//   P2. An end repeats the name and type of its start: by them the guard knows the pair.
//   P3. At most OPEN_CALLS_MAX are open at a time.
//   P4. Names that are not for clients, made up by a model or sent by a service, are not shown to them, whatever event
//       they stand in (names-for-clients.ts).

import type { AgentEvent, EventOf } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { OPEN_CALLS_MAX } from "./limits.js";
import { failureForClients, nameForClients } from "./names-for-clients.js";

export interface ToolPairing {
  /** Writes the event, and what it lacks. */
  write(event: AgentEvent): void;
  readonly openCount: number;
}

export function createToolPairing(write: (event: AgentEvent) => void): ToolPairing {
  const open = new Map<string, EventOf<"tool_call">>();

  function close(tool_call_id: string, status?: EventOf<"tool_call_end">["status"]): void {
    const call = open.get(tool_call_id);
    if (call === undefined) return;
    open.delete(tool_call_id);
    const { tool_name, tool_type } = call;
    write({
      type: "tool_call_end",
      tool_call_id,
      tool_name,
      ...(tool_type !== undefined && { tool_type }),
      ...(status !== undefined && { status }),
    });
  }

  return {
    write(event) {
      switch (event.type) {
        case "tool_call":
          if (open.size >= OPEN_CALLS_MAX) {
            throw new FramerailError("PROTOCOL_VIOLATION", `more than ${OPEN_CALLS_MAX} tool calls are open`);
          }
          open.set(event.tool_call_id, nameForClients(event));
          write(nameForClients(event));
          break;
        case "tool_result":
          write(event);
          close(event.tool_call_id);
          break;
        case "tool_call_end":
          close(event.tool_call_id, event.status);
          break;
        case "component":
          write(nameForClients(event));
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
