// What this deployment has: its agents and their status vocabulary.

import type { Gateway } from "../../gateway.js";
import type { Handler } from "../exchange.js";

export function listAgents({ catalogue }: Gateway): Handler {
  return async () => ({ status: 200, body: { agents: catalogue.agents } });
}

export function readRegistry({ catalogue }: Gateway): Handler {
  return async () => ({ status: 200, body: catalogue.registry });
}
