// The manifest of an agent that has no sub-agents we know of, checked when the agent is made.

import { FramerailError, STATUS_ID } from "@framerail/protocol";
import type { AgentManifest } from "../agent/agent.js";

// Letters, digits and a few marks: what the wire takes as the name of somebody, too little for a sentence.
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$/;

export function createManifest(id: string, emits: readonly string[] = []): AgentManifest {
  if (typeof id !== "string" || !AGENT_ID.test(id)) {
    throw new FramerailError("INVALID_AGENT", "an agent's id must be a name of letters, digits and . _ : / -");
  }
  for (const status of emits) {
    if (typeof status !== "string" || !STATUS_ID.test(status)) {
      throw new FramerailError("INVALID_AGENT", `agent ${id}: emits must be a list of status ids`);
    }
  }
  return { id, emitters: [{ id, emits: [...emits] }] };
}
