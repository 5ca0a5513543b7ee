// Remembers for a moment whose an API key is, so that a busy caller does not cost one look-up per request.
// Owns: what is remembered and for how long. Does not own: the keys (session/api-keys.ts).
//   M1. What is remembered is at most KEY_CACHE_MS old, counted from before the store was asked: by then a revoked key is
//       refused.
//   M2. Keys stand here by their SHA-256 only [D-13].
//   M3. Only keys that were found are remembered; of others, few are looked up at the same time.

import { createHash } from "node:crypto";
import type { Clock } from "@framerail/protocol";
import type { KeyHolder } from "../../session/api-keys.js";
import { isWithin } from "./elapsed.js";
import { KEY_CACHE_MAX, KEY_CACHE_MS, KEY_LOOKUPS_MAX } from "./limits.js";
import { rateLimited } from "./rate-limit.js";

export type FindKey = (key: string) => Promise<KeyHolder | undefined>;

interface Answer {
  readonly askedAt: number;
  readonly holder: Promise<KeyHolder | undefined>;
}

const RETRY_S = 1;

/** The same function with a memory. Throws RATE_LIMITED when too many keys are being looked up. */
export function rememberKeys(findKey: FindKey, clock: Clock): FindKey {
  const known = new Map<string, Answer>();
  const asking = new Map<string, Answer>();
  let lookups = 0;

  async function ask(key: string, hash: string): Promise<KeyHolder | undefined> {
    known.delete(hash);
    if (lookups >= KEY_LOOKUPS_MAX) throw rateLimited("too many keys are being looked up", RETRY_S);
    const answer = { askedAt: clock.now(), holder: findKey(key) };
    asking.set(hash, answer);
    lookups += 1;
    try {
      const holder = await answer.holder;
      if (holder !== undefined) keep(hash, answer);
      return holder;
    } finally {
      lookups -= 1;
      if (asking.get(hash) === answer) asking.delete(hash);
    }
  }

  function keep(hash: string, answer: Answer): void {
    known.set(hash, answer);
    if (known.size > KEY_CACHE_MAX) known.delete(known.keys().next().value as string);
  }

  return (key) => {
    const hash = createHash("sha256").update(key, "utf8").digest("base64url");
    for (const answers of [known, asking]) {
      const answer = answers.get(hash);
      if (answer !== undefined && isWithin(clock, answer.askedAt, KEY_CACHE_MS)) return answer.holder;
    }
    return ask(key, hash);
  };
}
