// How long to wait before the next attempt. Pure, but for the chance it is given.
//   B1. The wait doubles with every attempt that brought nothing, up to a maximum, and is never the same for two
//       clients: between a half and the whole of it, so that those who were cut together do not come back together.
//   B2. What the server asks for counts: `Retry-After` is the least wait, `retry:` is the first one; both within our maxima.

import { RETRY_MS, RETRY_MS_MAX, RETRY_MS_MIN } from "./limits.js";

export interface BackoffOptions {
  /** Attempts in a row that brought nothing, from 1. */
  readonly attempt: number;
  /** The stream's `retry:`, where it named one. */
  readonly retryMs?: number | undefined;
  /** The answer's `Retry-After`, already within its maximum. */
  readonly retryAfterMs?: number | undefined;
  random(): number;
}

export function backoffMs({ attempt, retryMs = RETRY_MS, retryAfterMs = 0, random }: BackoffOptions): number {
  const first = Math.min(Math.max(retryMs, RETRY_MS_MIN), RETRY_MS_MAX);
  // 2 ** 16 is past every maximum, and far from the numbers that lose their last digit.
  const whole = Math.min(first * 2 ** Math.min(attempt - 1, 16), RETRY_MS_MAX);
  return Math.max(Math.round(whole * (0.5 + random() / 2)), retryAfterMs);
}
