// The identity provider's public keys, kept so that its absence is not ours.
// Owns: when they are fetched, and how long they serve. Does not own: which key fits a token (jose), what a token must say
// (jwt.ts).
//   K1. Keys come from the one configured address, without following it elsewhere; nothing that a token says is an address.
//   K2. While fetching fails, the keys at hand serve on, without waiting for it, until JWKS_STALE_MS_MAX after they came.
//   K3. Strangers cause few fetches: one at a time, one per JWKS_COOLDOWN_MS for keys that are not in the set, one per
//       JWKS_RETRY_MS after a failure.

import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { createLocalJWKSet, errors } from "jose";
import { isWithin } from "./elapsed.js";
import {
  JWKS_BYTES_MAX,
  JWKS_COOLDOWN_MS,
  JWKS_FRESH_MS,
  JWKS_RETRY_MS,
  JWKS_STALE_MS_MAX,
  JWKS_TIMEOUT_MS,
} from "./limits.js";

export interface KeySetOptions {
  readonly url: URL;
  readonly clock: Clock;
  /** Hears of every fetch that failed: callers do not while the keys at hand serve (K2). */
  onFailure?(error: unknown): void;
}

interface Held {
  readonly find: JWTVerifyGetKey;
  readonly fetchedAt: number;
}

/** Gives the key for a token's header; throws jose's own error for one that fits none. */
export function createKeySet({ url, clock, onFailure }: KeySetOptions): JWTVerifyGetKey {
  let held: Held | undefined;
  /** The last attempt, where it failed. */
  let failure: { readonly at: number; readonly error: unknown } | undefined;
  let pending: Promise<void> | undefined;

  const isHeld = (ms: number) => held !== undefined && isWithin(clock, held.fetchedAt, ms);

  /** Does not reject: whoever needs the keys looks for them, not at the attempt. */
  function fetchAgain(): Promise<void> {
    if (failure !== undefined && isWithin(clock, failure.at, JWKS_RETRY_MS)) return Promise.resolve();
    pending ??= fetchKeys(url, clock)
      .then((find) => {
        held = { find, fetchedAt: clock.now() };
        failure = undefined;
      })
      .catch((error: unknown) => {
        failure = { at: clock.now(), error };
        onFailure?.(error);
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  }

  function requireKeys(): Held {
    if (held !== undefined && isHeld(JWKS_STALE_MS_MAX)) return held;
    // Nobody can tell whether the token is good, so nobody is told that it is bad (A3 of authenticate.ts).
    throw new FramerailError("UPSTREAM_FAILED", "the key set cannot be fetched, and none is at hand", {
      cause: failure?.error,
    });
  }

  return async (header, token) => {
    if (!isHeld(JWKS_FRESH_MS)) {
      const attempt = fetchAgain();
      // K2.
      if (failure === undefined || !isHeld(JWKS_STALE_MS_MAX)) await attempt;
    }
    const keys = requireKeys();
    try {
      return await keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || isWithin(clock, keys.fetchedAt, JWKS_COOLDOWN_MS))
        throw error;
    }
    // The provider may have a new key since (K3).
    await fetchAgain();
    return requireKeys().find(header, token);
  };
}

async function fetchKeys(url: URL, clock: Clock): Promise<JWTVerifyGetKey> {
  const abort = new AbortController();
  const cancelTimer = clock.schedule(JWKS_TIMEOUT_MS, () => {
    abort.abort(new FramerailError("DEADLINE_EXCEEDED", `no key set within ${JWKS_TIMEOUT_MS} ms`));
  });
  try {
    const headers = { accept: "application/json, application/jwk-set+json" };
    const response = await fetch(url, { headers, redirect: "error", signal: abort.signal });
    if (response.status !== 200) {
      throw new FramerailError("UPSTREAM_FAILED", `the address of the key set answered ${response.status}`);
    }
    return createLocalJWKSet(JSON.parse(await readBody(response)) as JSONWebKeySet);
  } finally {
    cancelTimer();
    // What was not read is not waited for.
    abort.abort();
  }
}

async function readBody(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > JWKS_BYTES_MAX) {
      throw new FramerailError("INPUT_TOO_LARGE", `the key set is larger than ${JWKS_BYTES_MAX} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
