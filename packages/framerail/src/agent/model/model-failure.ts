// What it means that a model call failed. One table, by what the provider's error says of itself in numbers and codes.
//   F1. The provider's own error is the `cause` and nothing else: its text may hold keys, hosts and prompts [G7].
//   F2. Our own messages name the model, so that an author with several knows which one to look at.

import { FramerailError } from "@framerail/protocol";
import { CAUSE_DEPTH_MAX } from "./limits.js";

const TOO_MANY_REQUESTS = 429;
/** What providers write into `code` or `type` of an error that comes in the middle of a stream, without a status. */
const RATE_LIMIT_CODES: ReadonlySet<unknown> = new Set([
  "rate_limit_exceeded",
  "rate_limit_error",
  "insufficient_quota",
  "RESOURCE_EXHAUSTED",
]);

/** The error for something a provider threw, or sent as an error part. */
export function failureOf(model: string, cause: unknown): FramerailError {
  return isRateLimit(cause)
    ? new FramerailError("RATE_LIMITED", `model ${model} refused for its rate limit`, { cause })
    : new FramerailError("MODEL_FAILED", `model ${model} failed`, { cause });
}

/** The error for a stream that breaks the rules; `says` is a sentence of ours, with nothing of the stream in it. */
export function refuseStream(model: string, says: string): FramerailError {
  return new FramerailError("MODEL_FAILED", `model ${model} ${says}`);
}

/** The reason is the caller's own and stays the cause: a cancel, a deadline, an idle reader [C-24]. */
export function cancelledBy(signal: AbortSignal, model: string): FramerailError {
  return new FramerailError("CANCELLED", `the call of model ${model} was cancelled`, { cause: signal.reason });
}

function isRateLimit(error: unknown): boolean {
  let found = error;
  for (let depth = 0; depth < CAUSE_DEPTH_MAX; depth += 1) {
    if (typeof found !== "object" || found === null) return false;
    const { statusCode, status, code, type, cause } = found as Readonly<Record<string, unknown>>;
    if ([statusCode, status, code].includes(TOO_MANY_REQUESTS)) return true;
    if (RATE_LIMIT_CODES.has(code) || RATE_LIMIT_CODES.has(type)) return true;
    found = cause;
  }
  return false;
}
