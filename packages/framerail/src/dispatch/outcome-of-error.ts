// What an exception of an agent means for its turn. One table; no text of the exception goes anywhere near the outcome.

import type { TurnOutcome } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";

/** Set as the `cause` of a CANCELLED error by whoever gave up on a silent upstream [W-CAN-2]. */
export const IDLE = Symbol.for("framerail.idle");

export function outcomeOfError(error: unknown): TurnOutcome {
  if (!isFramerailError(error)) return INTERNAL;
  switch (error.code) {
    case "CANCELLED":
      return { kind: "cancelled", code: error.cause === IDLE ? "IDLE_TIMEOUT" : "REQUEST_CANCELLED" };
    case "RATE_LIMITED":
      return { kind: "failed", error: { code: "RATE_LIMIT_ERROR" }, cause: "application" };
    case "DEADLINE_EXCEEDED":
      return { kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "deadline" };
    case "PROTOCOL_VIOLATION":
      return { kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "protocol_violation" };
    case "INVARIANT_VIOLATION":
    case "PACE_EXCEEDED":
      return { kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "invariant_violation" };
    case "BUDGET_EXHAUSTED":
      return { kind: "paused", limit: "state_limit" };
    case "SUB_AGENT_FAILED":
      return ofSubAgent(error);
    default:
      return INTERNAL;
  }
}

const INTERNAL: TurnOutcome = { kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "application" };

// Which sub-agent is the one thing a client may learn [W-ERR-3].
function ofSubAgent(error: object): TurnOutcome {
  const { sub_agent_id } = error as { readonly sub_agent_id?: unknown };
  if (typeof sub_agent_id !== "string") return INTERNAL;
  return { kind: "failed", error: { code: "SUB_AGENT_FAILED", sub_agent_id }, cause: "application" };
}
