// The factory: what an author defined becomes what the runtime runs, or is refused, before any model is called.
// Owns: the refusals at build time, the manifest that travels with an agent. Does not own: reading files
// (load-agents.ts), the judgement of single status ids (registry/judge-emissions.ts).
//   F1. Every emitter of every agent is judged, and every miss is named in one error [W-AC-5, W-FR-11, W-REG-10].
//   F2. A built agent names the registry it was judged by. One that comes with the hash of another is judged again, by
//       what this process has: a missing entry refuses it [W-REG-14].

import { FramerailError } from "@framerail/protocol";
import type { Agent, AgentManifest } from "../agent/agent.js";
import type { JudgeOptions } from "../registry/judge-emissions.js";
import { judgeEmissions } from "../registry/judge-emissions.js";
import { onOneLine } from "../registry/problem.js";
import type { Registry } from "../registry/registry.js";

/** What a worker says of an agent to whoever runs its turns [D-14]. */
export interface BuiltManifest extends AgentManifest {
  readonly registry_hash: string;
}

export interface BuiltAgent extends Agent {
  readonly manifest: BuiltManifest;
}

/** Builds the agents of a process by id, or throws: UNREGISTERED_STATUS with every miss, INVALID_AGENT for an id used twice. */
export function buildAgents(
  agents: readonly Agent[],
  registry: Registry,
  options: JudgeOptions = {},
): ReadonlyMap<string, BuiltAgent> {
  requireManifests(
    agents.map(({ manifest }) => manifest),
    registry,
    options,
  );
  return new Map(agents.map((agent) => [agent.manifest.id, build(agent, registry)]));
}

/** The same judgement for agents that were built elsewhere and are known here by their manifests alone. */
export function requireManifests(
  manifests: readonly AgentManifest[],
  registry: Registry,
  options: JudgeOptions = {},
): void {
  const ids = manifests.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new FramerailError("INVALID_AGENT", `two agents are called "${twice}"`);
  const lines = manifests.flatMap((manifest) =>
    judgeEmissions(manifest, registry, options).map(({ message }) => onOneLine(`agent "${manifest.id}": ${message}`)),
  );
  if (lines.length === 0) return;
  throw new FramerailError("UNREGISTERED_STATUS", `agents cannot be built:\n  ${lines.join("\n  ")}`);
}

// The author's object is left as it is: it may be part of another process's list, or of a test.
function build(agent: Agent, registry: Registry): BuiltAgent {
  return {
    manifest: { ...agent.manifest, registry_hash: registry.hash },
    run: (input, context) => agent.run(input, context),
  };
}
