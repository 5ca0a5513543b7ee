// An answer that is not what was asked for, as an error; and which errors another attempt may heal.
// Owns: the way from a status and a problem document to a code, and what is worth another attempt.
//   E1. The code is the server's own where it names one that we know; otherwise the status decides.
//   E2. No word of the server's answer enters a message: whoever shows our errors shows our sentences [G7].

import type { ErrorCode } from "@framerail/protocol";
import { ERROR_CODES, FramerailError, isFramerailError, parseJson } from "@framerail/protocol";
import { ANSWER_BYTES_MAX, RETRY_AFTER_MS_MAX } from "./limits.js";
import { readText } from "./read-body.js";

/** A FramerailError that came as an HTTP answer. */
export class ResponseError extends FramerailError {
  readonly status: number;
  /** What the server asks us to wait, within our own maximum. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, status: number, retryAfterMs?: number) {
    super(code, `the server answered ${status} (${code})`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "TURN_RUNNING",
  410: "CURSOR_EXPIRED",
  413: "INPUT_TOO_LARGE",
  422: "KEY_REUSED",
  429: "RATE_LIMITED",
};

/** Reads the answer to its end, unless the signal fires first. `now` is for a Retry-After with a date. */
export async function responseError(response: Response, signal: AbortSignal, now: number): Promise<ResponseError> {
  const { status, headers } = response;
  const said = await readCode(response, signal);
  const code = said ?? CODES[status] ?? (status >= 500 ? "UPSTREAM_FAILED" : "INVALID_ARGUMENT");
  return new ResponseError(code, status, readRetryAfter(headers.get("retry-after"), now));
}

// E1
async function readCode(response: Response, signal: AbortSignal): Promise<ErrorCode | undefined> {
  try {
    const problem = parseJson(await readText(response, ANSWER_BYTES_MAX, signal));
    const { code } = Object(problem) as { readonly code?: unknown };
    return ERROR_CODES.find((known) => known === code);
  } catch (error) {
    if (signal.aborted) throw error;
    // A proxy's page instead of a problem document, or half of one: the status says enough.
    return undefined;
  }
}

function readRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), RETRY_AFTER_MS_MAX);
}

const LATER: ReadonlySet<number> = new Set([408, 425, 429]);
/** What a connection can do to us that another one may not. */
const BROKEN: ReadonlySet<ErrorCode> = new Set([
  "UPSTREAM_FAILED",
  "DEADLINE_EXCEEDED",
  "STREAM_TRUNCATED",
  "PROTOCOL_VIOLATION",
  "MALFORMED_JSON",
  "INVALID_FRAME",
  // Where signals know no reason, a deadline looks like this; who left on purpose does not ask.
  "CANCELLED",
]);

/** Whether the same request may get another answer soon. */
export function isTransient(error: unknown): error is FramerailError {
  if (!isFramerailError(error)) return false;
  if (!(error instanceof ResponseError)) return BROKEN.has(error.code);
  return error.status >= 500 || (LATER.has(error.status) && error.code !== "BUDGET_EXHAUSTED");
}

/** Whether the server says for certain that the request began nothing. After any other failure it may have. */
export function hasBegunNothing(error: unknown): boolean {
  return error instanceof ResponseError && (error.code === "RATE_LIMITED" || error.code === "DRAINING");
}
