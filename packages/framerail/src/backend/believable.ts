// Figures of agents we did not write, as the accounts can take them [C-14].

import type { AgentEvent } from "@framerail/protocol";
import { clampParts } from "../agent/model/count-tokens.js";

export function believable(event: AgentEvent): AgentEvent {
  if (event.type === "metrics") return { ...event, tokens: clampParts(event.tokens) };
  return event.type === "usage" ? { ...event, ...clampParts(event) } : event;
}
