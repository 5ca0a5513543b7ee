// How long to wait before something is tried again.

import { RETRY_MS_MAX, RETRY_MS_MIN } from "./limits.js";

/** `attempt`: from 1. */
export function retryMs(attempt: number): number {
  return Math.min(RETRY_MS_MIN * 2 ** (attempt - 1), RETRY_MS_MAX);
}
