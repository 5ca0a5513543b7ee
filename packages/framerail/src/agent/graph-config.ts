// How a model↔tool loop runs: four settings with their defaults and checks [P-52, C-24, C-33].

import { FramerailError } from "@framerail/protocol";

export interface GraphConfig {
  /** Model calls in one turn; past it the turn pauses with `state_limit`. */
  readonly max_iterations: number;
  /** Milliseconds for the whole run; past it the turn fails. */
  readonly execution_timeout: number;
  /**
   * False: a reader's cancel ends the turn for the reader, and the run goes on in the background. It has until the turn's end is
   * stored, 500 ms at most: until then its calls are accounted for; after that no model call is made and nothing is kept, and
   * what it says after the cancel is not kept in any case.
   */
  readonly enable_cancellation: boolean;
  /** True: `node_enter` and `node_exit` are written around the model and the tools; they stay off the wire. */
  readonly emit_node_events: boolean;
}

export const DEFAULT_CONFIG: GraphConfig = {
  max_iterations: 8,
  execution_timeout: 110_000,
  enable_cancellation: true,
  emit_node_events: false,
};

const ITERATIONS_MAX = 1_000;
const TIMEOUT_MS_MAX = 86_400_000;

export function resolveConfig(agentId: string, given: Partial<GraphConfig> = {}): GraphConfig {
  const config = { ...DEFAULT_CONFIG, ...given };
  requireRange(agentId, "max_iterations", config.max_iterations, ITERATIONS_MAX);
  requireRange(agentId, "execution_timeout", config.execution_timeout, TIMEOUT_MS_MAX);
  for (const name of ["enable_cancellation", "emit_node_events"] as const) {
    if (typeof config[name] !== "boolean") throw invalid(agentId, name, "must be true or false");
  }
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(DEFAULT_CONFIG, name));
  if (stranger !== undefined) throw invalid(agentId, stranger, "is not a setting");
  return config;
}

function requireRange(agentId: string, name: string, value: unknown, max: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max) return;
  throw invalid(agentId, name, `must be a whole number from 1 to ${max}`);
}

function invalid(agentId: string, path: string, says: string): FramerailError {
  const issue = { path: `config.${path}`, rule: "range", message: `config.${path} ${says}` };
  return new FramerailError("INVALID_AGENT", `agent ${agentId}: ${issue.message}`, { issue });
}
