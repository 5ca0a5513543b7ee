// The three ways in which a part of a turn fails, and what the client's telemetry is told [W-ERR-3 … W-ERR-9, I-4].
//   1  a sub-agent failed as a whole, and it was the only one asked: the turn ends with it
//   2  a tool answered with an error: told, and the turn goes on
//   3  some of several sub-agents failed: told once, with a record for each, and the turn goes on
// The user hears of it in the model's own words; no prose is here, and no code is there [W-FR-8].

import type { PartFailure } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";

export type SingleFailure = Exclude<PartFailure, { readonly code: "PARTIAL_FAN_OUT" }>;

/** What one sub-agent of a dispatch came to. */
export interface DispatchedPart {
  readonly subAgentId: string;
  /** Set when it failed as a whole; the error for operators. */
  readonly failed?: { readonly error: unknown };
  /** Failures of its tools that it survived. */
  readonly failures: readonly SingleFailure[];
}

/** What to tell of a dispatch to sub-agents; throws when it was to one alone and that one failed. */
export function judgeDispatch(parts: readonly DispatchedPart[]): PartFailure[] {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    if (only.failed !== undefined) throw subAgentFailed(only.subAgentId, only.failed.error);
    return [...only.failures];
  }
  const failed = parts.flatMap(({ subAgentId, failed: whole, failures }): SingleFailure[] => {
    return whole === undefined ? [...failures] : [{ code: "SUB_AGENT_FAILED", sub_agent_id: subAgentId }];
  });
  return failed.length === 0 ? [] : [{ code: "PARTIAL_FAN_OUT", failed }];
}

/** The error that ends a turn on axis 1. Which sub-agent is the one thing a client may learn of it [W-ERR-3]. */
export function subAgentFailed(
  sub_agent_id: string,
  cause: unknown,
): FramerailError & { readonly sub_agent_id: string } {
  const error = new FramerailError("SUB_AGENT_FAILED", `sub-agent ${sub_agent_id} failed`, { cause });
  return Object.assign(error, { sub_agent_id });
}
