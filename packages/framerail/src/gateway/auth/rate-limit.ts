// How much of this process one tenant may have: requests by a token bucket, streams by a count.
// Owns: the two limits, and the error that says when to come again. Does not own: budgets of tokens (ledger/).
//   L1. A tenant costs itself: what one has used up is nobody else's [G8].
//   L2. The buckets that are kept are bounded. The one that was used longest ago goes first; it comes back full, which it
//       nearly was.

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import {
  RATE_TENANTS_MAX,
  REQUESTS_BURST,
  REQUESTS_PER_SECOND,
  STREAMS_PER_TENANT_MAX,
  STREAMS_RETRY_S,
} from "./limits.js";

class RateLimitedError extends FramerailError {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super("RATE_LIMITED", message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function rateLimited(message: string, retryAfterSeconds: number): FramerailError {
  return new RateLimitedError(message, retryAfterSeconds);
}

/** What `Retry-After` says for an error; undefined for one that does not know. */
export function retryAfterOf(error: unknown): number | undefined {
  const isOurs = isFramerailError(error) && "retryAfterSeconds" in error;
  return isOurs && typeof error.retryAfterSeconds === "number" ? error.retryAfterSeconds : undefined;
}

export interface RequestLimitOptions {
  readonly clock: Clock;
  readonly perSecond?: number;
  readonly burst?: number;
  readonly tenantsMax?: number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Gives a function that counts one request of a tenant, and throws RATE_LIMITED for one too many. */
export function createRequestLimit(options: RequestLimitOptions): (tenantId: string) => void {
  const { clock, perSecond = REQUESTS_PER_SECOND, burst = REQUESTS_BURST, tenantsMax = RATE_TENANTS_MAX } = options;
  const buckets = new Map<string, Bucket>();

  return (tenantId) => {
    const now = clock.now();
    const bucket = buckets.get(tenantId) ?? { tokens: burst, filledAt: now };
    // A clock that was set back fills nothing.
    const seconds = Math.max(0, now - bucket.filledAt) / 1000;
    bucket.tokens = Math.min(burst, bucket.tokens + seconds * perSecond);
    bucket.filledAt = now;
    // Set anew, so that the first of the map is the one that was used longest ago (L2).
    buckets.delete(tenantId);
    buckets.set(tenantId, bucket);
    if (buckets.size > tenantsMax) buckets.delete(buckets.keys().next().value as string);
    if (bucket.tokens < 1) {
      throw rateLimited("the tenant sends too many requests", Math.ceil((1 - bucket.tokens) / perSecond));
    }
    bucket.tokens -= 1;
  };
}

export interface StreamLimit {
  /** Counts a stream that opens; throws RATE_LIMITED for one too many. The function it gives counts its end, once. */
  enter(tenantId: string): () => void;
  /** How many streams of the tenant are open. */
  count(tenantId: string): number;
}

export function createStreamLimit(streamsMax = STREAMS_PER_TENANT_MAX): StreamLimit {
  // No larger than the number of open streams: a tenant without any is not in it.
  const open = new Map<string, number>();
  const count = (tenantId: string) => open.get(tenantId) ?? 0;

  return {
    count,
    enter(tenantId) {
      if (count(tenantId) >= streamsMax) throw rateLimited("the tenant has too many open streams", STREAMS_RETRY_S);
      open.set(tenantId, count(tenantId) + 1);
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        const left = count(tenantId) - 1;
        if (left === 0) open.delete(tenantId);
        else open.set(tenantId, left);
      };
    },
  };
}
