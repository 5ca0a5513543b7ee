// What the console asks of the server beside turns: the status vocabulary, a turn's own times, what it cost.
//   A1. None of it is needed to talk: what cannot be had is undefined, and the screen does without.

import type { AssistantMessage, Usage } from "@framerail/protocol";
import { REQUEST_MS_MAX } from "../limits.js";

export interface RegistryEvent {
  readonly id: string;
  readonly description: string;
  readonly policy: string;
  readonly emitters: readonly string[];
  readonly lifecycle: string;
}

export interface RegistryDocument {
  readonly locales: readonly string[];
  readonly events: readonly RegistryEvent[];
}

export interface TurnTimes {
  readonly turn_id: string;
  readonly agent_id: string;
  readonly status: "running" | "ended";
  readonly usage: Usage | null;
  readonly created_at: number;
  readonly first_frame_at: number | null;
  readonly ended_at: number | null;
  readonly message: AssistantMessage | null;
}

/** What an agent's model calls cost in a span of time. */
export interface SpanCost {
  readonly calls: number;
  readonly usd: number;
}

export interface ConsoleServer {
  registry(): Promise<RegistryDocument | undefined>;
  turn(turnId: string): Promise<TurnTimes | undefined>;
  cost(agentId: string, from: number, to: number): Promise<SpanCost | undefined>;
}

export function createConsoleServer(url: string): ConsoleServer {
  const ask = async (path: string): Promise<unknown> => {
    try {
      const response = await fetch(url + path, { signal: AbortSignal.timeout(REQUEST_MS_MAX) });
      return response.ok ? await response.json() : undefined;
    } catch {
      // A1
      return undefined;
    }
  };
  return {
    registry: async () => (await ask("/v1/registry")) as RegistryDocument | undefined,
    turn: async (turnId) => (await ask(`/v1/turns/${encodeURIComponent(turnId)}`)) as TurnTimes | undefined,
    async cost(agentId, from, to) {
      const query = new URLSearchParams({ agent_id: agentId, from: String(from), to: String(to) });
      const answer = (await ask(`/v1/usage?${query}`)) as { readonly usage?: readonly UsageRow[] } | undefined;
      return answer?.usage === undefined ? undefined : sumCost(answer.usage);
    },
  };
}

interface UsageRow {
  readonly calls: number;
  readonly cost_usd: string;
}

function sumCost(rows: readonly UsageRow[]): SpanCost {
  return rows.reduce((sum, { calls, cost_usd }) => ({ calls: sum.calls + calls, usd: sum.usd + Number(cost_usd) }), {
    calls: 0,
    usd: 0,
  });
}
