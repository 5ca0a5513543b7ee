// What an error is to an HTTP caller: a problem document (RFC 9457) with a status, our code and a sentence that is ours.
// Owns: the one table from codes to statuses. Does not own: errors inside a stream, which are frames.
//   P1. No word of an exception reaches a caller: the sentence is the code's own, or one that was written for callers.
//   P2. What has no row is a bug, and is told as 500 without a detail.

import type { ErrorCode } from "@framerail/protocol";
import { explainCode, isFramerailError } from "@framerail/protocol";

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
}

export const PROBLEM_TYPE = "application/problem+json";

/** `says`: the error's own message was written for callers, and helps them. */
const ROWS: { readonly [Code in ErrorCode]?: { readonly status: number; readonly says?: true } } = {
  INVALID_ARGUMENT: { status: 400, says: true },
  MALFORMED_JSON: { status: 400 },
  UNAUTHENTICATED: { status: 401 },
  FORBIDDEN: { status: 403, says: true },
  NOT_FOUND: { status: 404 },
  TURN_RUNNING: { status: 409 },
  SESSION_CLOSED: { status: 409 },
  CURSOR_EXPIRED: { status: 410 },
  INPUT_TOO_LARGE: { status: 413 },
  KEY_REUSED: { status: 422 },
  RATE_LIMITED: { status: 429 },
  BUDGET_EXHAUSTED: { status: 429 },
  STORE_UNAVAILABLE: { status: 503 },
  LOG_UNAVAILABLE: { status: 503 },
  UPSTREAM_FAILED: { status: 503 },
  DRAINING: { status: 503 },
  COMMIT_UNKNOWN: { status: 503 },
};

const INTERNAL: Problem = {
  type: "urn:framerail:problem:internal",
  title: "something went wrong on our side",
  status: 500,
  code: "INTERNAL",
};

export function problemOf(error: unknown): Problem {
  if (!isFramerailError(error)) return INTERNAL;
  const row = ROWS[error.code];
  if (row === undefined) return INTERNAL;
  return describeProblem(error.code, row.status, row.says && error.message);
}

/** With words for callers, or none. */
export function describeProblem(code: ErrorCode, status: number, detail?: string): Problem {
  return {
    type: `urn:framerail:problem:${code.toLowerCase()}`,
    title: explainCode(code),
    status,
    code,
    ...(detail !== undefined && { detail }),
  };
}
