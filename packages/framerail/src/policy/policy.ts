// The stage between an event and its frame: one decision per event, by its type alone, never by its emitter [W-FR-4].
// Owns: the port that publish/ calls. Implementations: create-policy.ts.

import type { AgentEvent, Draft, EventType } from "@framerail/protocol";
import type { PolicyName } from "../registry/registry.js";

/** One event and what was decided about it, for metrics and the inspector. */
export interface PolicyReport {
  readonly event: AgentEvent;
  readonly emitter: string;
  readonly decision: PolicyName;
  /** Set when a status id was unknown at run time: suppressed, and to be counted [W-REG-11]. */
  readonly unregistered?: true;
}

/** One per turn. Calls are synchronous; a batch is given out later, by a timer or by `flush`. */
export interface TurnPolicy {
  /** Decides about one event. What it shows goes to the `emit` the policy was made with, now or with its batch. */
  apply(event: AgentEvent, emitter: string): PolicyName;
  /** Gives out a pending batch now: before the terminal, always [W-FR-9a]. */
  flush(): void;
  /** Ends the turn's timers; nothing is given out afterwards. */
  close(): void;
}

export interface TurnPolicyOptions {
  /** Takes a frame that may be shown, in order. */
  emit(draft: Draft): void;
  report?(report: PolicyReport): void;
}

/** Resolved when the agent is built, for one cohort and one locale; opening a turn allocates little and looks nothing up. */
export interface Policy {
  /** Whether events of this type are shown, each by a frame of its own that has all of it. */
  shows(type: EventType): boolean;
  open(options: TurnPolicyOptions): TurnPolicy;
}
