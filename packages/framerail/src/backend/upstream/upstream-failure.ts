// What an upstream service's failure is to us. The service's own words are the `cause`, for operators; the sentences are
// ours, and no client sees even those.

import type { EventOf } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { isPublicName } from "../../agent/public-name.js";

export function upstreamFailed(what: string, cause?: unknown): FramerailError {
  return new FramerailError("UPSTREAM_FAILED", `the upstream agent ${what}`, { cause });
}

/** The error for an `error` event: two wire codes keep their meaning, everything else is a failed upstream. */
export function failureOfEvent({ error_code, sub_agent_id, message }: EventOf<"error">): FramerailError {
  if (error_code === "RATE_LIMIT_ERROR") {
    return new FramerailError("RATE_LIMITED", "the upstream agent was refused for a rate limit", { cause: message });
  }
  if (error_code === "SUB_AGENT_FAILED" && sub_agent_id !== undefined && isPublicName(sub_agent_id)) {
    const error = new FramerailError("SUB_AGENT_FAILED", "a sub-agent of the upstream agent failed", {
      cause: message,
    });
    return Object.assign(error, { sub_agent_id });
  }
  return upstreamFailed("ended with an error", message);
}

/** The error for an answer that is not 200, or undefined. Its body is never read. */
export function failureOfStatus(status: number): FramerailError | undefined {
  if (status === 200) return undefined;
  if (status === 429) return new FramerailError("RATE_LIMITED", "the upstream agent answered with status 429");
  return upstreamFailed(`answered with status ${status}`);
}
