// Runs one turn of an agent in this process: what a remote worker does at the other end of a wire, without the wire.
// The shape it returns is dispatch's StepRunner; the two meet only where a program is composed.

import type { Agent, RunEnd, TurnInput } from "../agent/agent.js";
import type { CallBudget } from "../agent/call-budget.js";
import type { Principal } from "../agent/principal.js";
import type { EventSink } from "../agent/writer.js";
import { createWriter, runWithWriter } from "../agent/writer.js";

export interface AgentStepContext {
  readonly events: EventSink;
  readonly signal: AbortSignal;
  readonly budget?: CallBudget | undefined;
}

export interface AgentStep {
  run(context: AgentStepContext): Promise<RunEnd>;
}

export function agentStep(agent: Agent, input: TurnInput, principal: Principal): AgentStep {
  return {
    async run({ events, signal, budget }) {
      const writer = createWriter(events, agent.manifest.id);
      return runWithWriter(writer, () => agent.run(input, { writer, signal, principal, budget }));
    },
  };
}
