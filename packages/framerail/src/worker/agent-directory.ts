// The agents of this process, as dispatch finds them: each with its step, and with its policy in every language, made
// when it is first asked for and kept.
// The shape it returns is dispatch's AgentDirectory; the two meet only where a program is composed.

import type { PastMessage, TurnInput } from "../agent/agent.js";
import type { Principal } from "../agent/principal.js";
import type { BuiltAgent } from "./build-agents.js";
import type { AgentStep } from "./run-agent.js";
import { agentStep } from "./run-agent.js";

export interface DirectoryOptions<P> {
  readonly agents: ReadonlyMap<string, BuiltAgent>;
  /** The language in which a reader who wants this is told; there are few of them, and many ways to ask. */
  chooseLocale(wanted: string | null): string;
  /** Makes the policy of a language. */
  policyOf(agentId: string, locale: string): P;
}

interface StepInput {
  readonly turnId: string;
  readonly conversationId: string;
  readonly message: string;
  readonly history: readonly PastMessage[];
  readonly metadata: NonNullable<TurnInput["metadata"]>;
}

export interface DirectoryEntry<P> {
  policyFor(locale: string | null): P;
  step(input: StepInput, principal: Principal): AgentStep;
}

export interface AgentDirectory<P> {
  find(agentId: string): DirectoryEntry<P> | undefined;
}

export function createAgentDirectory<P>({ agents, chooseLocale, policyOf }: DirectoryOptions<P>): AgentDirectory<P> {
  const entries = new Map<string, DirectoryEntry<P>>();
  for (const [id, agent] of agents) {
    const kept = new Map<string, P>();
    entries.set(id, {
      policyFor(wanted) {
        const locale = chooseLocale(wanted);
        const policy = kept.get(locale) ?? policyOf(id, locale);
        kept.set(locale, policy);
        return policy;
      },
      step({ turnId, conversationId, message, history, metadata }, principal) {
        return agentStep(
          agent,
          { turn_id: turnId, conversation_id: conversationId, message, history, metadata },
          principal,
        );
      },
    });
  }
  return { find: (agentId) => entries.get(agentId) };
}
