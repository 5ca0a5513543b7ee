// A dispatcher for one agent, on a test's own store, log and journal.

import { randomUUID } from "node:crypto";
import { systemClock } from "@framerail/protocol";
import type { Agent } from "../../agent/agent.js";
import { createPolicy } from "../../policy/create-policy.js";
import { EMPTY_REGISTRY } from "../../registry/registry.js";
import { createAgentDirectory } from "../../worker/agent-directory.js";
import { buildAgents } from "../../worker/build-agents.js";
import type { Dispatcher, DispatcherOptions } from "../dispatcher.js";
import { createDispatcher } from "../dispatcher.js";
import { createPresence } from "../presence.js";

export type DispatcherParts = Pick<DispatcherOptions, "database" | "log" | "journal"> & Partial<DispatcherOptions>;

export function openDispatcher(agent: Agent, parts: DispatcherParts): Dispatcher {
  const policy = createPolicy({ registry: EMPTY_REGISTRY, locale: "en", clock: systemClock });
  return createDispatcher({
    agents: createAgentDirectory({
      agents: buildAgents([agent], EMPTY_REGISTRY),
      chooseLocale: () => "en",
      policyOf: () => policy,
    }),
    clock: systemClock,
    owner: randomUUID(),
    context: {},
    estimateTokens: (text) => text.length / 4,
    newId: randomUUID,
    presence: createPresence({ clock: systemClock }),
    abandoned: new Set(),
    ...parts,
  });
}
