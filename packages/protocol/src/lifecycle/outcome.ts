// How a turn ended, once, for everybody. Every transport shows a projection of this one value [C-1, C-B].
// Owns: the outcomes, the latch that lets exactly one through, and the projections this package can make.

import { unreachable } from "../error.js";
import type { Draft } from "../event/to-frame.js";
import type { EventOf } from "../event/vocabulary.js";
import type { CancelCode, Failure } from "../frame/failure.js";

export type TurnOutcome =
  | { readonly kind: "completed" }
  | { readonly kind: "paused"; readonly limit: "state_limit" | "time_limit" }
  | { readonly kind: "failed"; readonly error: Failure; readonly cause: FailureCause }
  | { readonly kind: "cancelled"; readonly code: CancelCode };

/** Why a failed turn failed, where transports tell it apart [C-C]. */
export type FailureCause = "application" | "deadline" | "protocol_violation" | "invariant_violation";

export interface TerminalLatch {
  /** The first outcome taken; undefined while the turn runs. */
  readonly outcome: TurnOutcome | undefined;
  /** True for the one call that ends the turn, false for every other [W-FR-9a, W-FR-9b]. */
  take(outcome: TurnOutcome): boolean;
}

export function createTerminalLatch(): TerminalLatch {
  return new Latch();
}

class Latch implements TerminalLatch {
  #taken: TurnOutcome | undefined;

  get outcome(): TurnOutcome | undefined {
    return this.#taken;
  }

  take(outcome: TurnOutcome): boolean {
    if (this.#taken !== undefined) return false;
    this.#taken = outcome;
    return true;
  }
}

/** The terminal frame of an outcome, before it has an envelope. */
export function terminalFrameOf(outcome: TurnOutcome): Draft {
  switch (outcome.kind) {
    case "completed":
      return { type: "completed", payload: {} };
    case "paused":
      return { type: "completed", payload: { has_more: true } };
    case "failed":
      return { type: "error", payload: { error: outcome.error, is_final: true } };
    case "cancelled":
      return { type: "cancelled", payload: { error: { code: outcome.code } } };
    default:
      return unreachable(outcome);
  }
}

/** The outcome that a terminal draft stands for; undefined for a frame that does not end a turn. */
export function outcomeOfTerminal(draft: Draft): TurnOutcome | undefined {
  switch (draft.type) {
    case "completed":
      return draft.payload.has_more ? { kind: "paused", limit: "state_limit" } : { kind: "completed" };
    case "error":
      return draft.payload.is_final ? { kind: "failed", error: draft.payload.error, cause: "application" } : undefined;
    case "cancelled":
      return { kind: "cancelled", code: draft.payload.error.code };
    default:
      return undefined;
  }
}

/** The `status` of the inner `end_stream`. */
export function streamStatusOf(outcome: TurnOutcome): EventOf<"end_stream">["status"] {
  switch (outcome.kind) {
    case "completed":
    case "paused":
      return "success";
    case "failed":
      return "error";
    case "cancelled":
      return "cancelled";
    default:
      return unreachable(outcome);
  }
}

/** Whether the turn's message is a part of an answer rather than the whole [C-34]. */
export function isIncomplete(outcome: TurnOutcome): boolean {
  return outcome.kind !== "completed";
}
