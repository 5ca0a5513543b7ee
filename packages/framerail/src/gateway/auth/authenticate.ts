// From an `Authorization` header to a caller: the one place that reads credentials.
// Owns: which kinds of credential there are. Does not own: tokens (jwt.ts), keys (session/api-keys.ts), tickets of streams
// (tickets.ts).
//   A1. What is not a well-formed bearer credential of a kind that was configured is UNAUTHENTICATED, and so is silence.
//   A2. With a fixed tenant, silence speaks for it; a credential that is wrong is refused all the same, because whoever
//       sends one means to be somebody.
//   A3. A store that cannot answer is its own error: a caller with a good key is not told that it is bad.

import type { Clock } from "@framerail/protocol";
import { systemClock } from "@framerail/protocol";
import type { KeyHolder } from "../../session/api-keys.js";
import type { Caller } from "./caller.js";
import { unauthenticated } from "./caller.js";
import type { FindKey } from "./key-cache.js";
import { rememberKeys } from "./key-cache.js";
import { AUTHORIZATION_LENGTH_MAX } from "./limits.js";

export interface AuthenticatorOptions {
  /** Verifies tokens: createJwtVerifier of jwt.ts. Without it, none is taken. */
  jwt?(token: string): Promise<Caller>;
  /** Finds API keys in the store. Without it, none is taken. */
  readonly findKey?: FindKey;
  /** The tenant of whoever sends no credential (A2): for a process that only this machine reaches. */
  readonly fixedTenant?: string;
  readonly clock?: Clock;
}

/** Takes the header's value; undefined where there is none. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>;

/** What `WWW-Authenticate` says to a caller who is not known. */
export const CHALLENGE = 'Bearer realm="framerail"';
/** Who talks where silence speaks for the tenant and names nobody (A2). */
export const LOCAL_USER = "local";

const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
const KEY_PREFIX = "frk_";
const KEY = /^frk_[\w-]{43}$/;

export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { jwt, fixedTenant, clock = systemClock } = options;
  const findKey = options.findKey && rememberKeys(options.findKey, clock);

  async function callerOfKey(key: string): Promise<Caller> {
    if (!KEY.test(key)) throw unauthenticated("the key is unknown, revoked or expired", "malformed");
    const holder = await findKey?.(key);
    if (holder === undefined) throw unauthenticated("the key is unknown, revoked or expired");
    return callerOf(holder);
  }

  return async (authorization) => {
    if (authorization === undefined) {
      if (fixedTenant === undefined) throw unauthenticated("no credential was sent", "missing");
      return { tenantId: fixedTenant, userId: undefined, kind: "service", subject: `local:${fixedTenant}` };
    }
    if (authorization.length > AUTHORIZATION_LENGTH_MAX)
      throw unauthenticated("the credential is too long", "malformed");
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) throw unauthenticated("the credential is not a bearer token", "malformed");
    if (token.startsWith(KEY_PREFIX)) return callerOfKey(token);
    if (jwt === undefined) throw unauthenticated("no identity provider is configured");
    return jwt(token);
  };
}

function callerOf({ orgId, keyId, kind, userId }: KeyHolder): Caller {
  return { tenantId: orgId, userId: userId ?? undefined, kind, subject: `key:${keyId}` };
}
