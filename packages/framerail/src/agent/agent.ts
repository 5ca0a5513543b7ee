// What the runtime knows of an agent, whoever wrote it: a manifest, and a way to run one turn. `defineAgent`,
// `fromLangGraph` and `upstreamAgent` all make one of these; publish/ runs it without knowing which.

import type { Json } from "@framerail/protocol";
import type { CallBudget } from "./call-budget.js";
import type { Principal } from "./principal.js";
import type { Writer } from "./writer.js";

export interface AgentManifest {
  readonly id: string;
  /** Every emitter of the agent with the status ids it may write: the agent itself first, then its sub-agents. */
  readonly emitters: readonly { readonly id: string; readonly emits: readonly string[] }[];
}

/** One earlier message of the conversation, as the next turn reads it. */
export interface PastMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export interface TurnInput {
  readonly turn_id: string;
  readonly conversation_id: string;
  readonly message: string;
  readonly history: readonly PastMessage[];
  readonly metadata?: { readonly [key: string]: Json };
}

export interface RunContext {
  readonly writer: Writer;
  /** Aborted when the turn ends for any reason but its own completion; its reason is a FramerailError. */
  readonly signal: AbortSignal;
  readonly principal: Principal;
  /** Asked before each model call. */
  readonly budget?: CallBudget | undefined;
}

/** How a run that did not throw ended. */
export type RunEnd =
  | { readonly kind: "completed" }
  | { readonly kind: "paused"; readonly limit: "state_limit" | "time_limit" };

export interface Agent {
  readonly manifest: AgentManifest;
  /**
   * Runs one turn: writes its events, never `init_stream` or `end_stream`, and resolves with how it ended. Rejects for a
   * fatal failure: a FramerailError with code RATE_LIMITED, SUB_AGENT_FAILED or DEADLINE_EXCEEDED keeps its meaning
   * for the client, anything else is INTERNAL_ERROR there.
   */
  run(input: TurnInput, context: RunContext): Promise<RunEnd>;
}
