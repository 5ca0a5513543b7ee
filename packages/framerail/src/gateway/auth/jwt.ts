// Tokens of an identity provider (JWT), as callers.
// Owns: what a token must say and how it must be signed. Does not own: where the keys come from (key-set.ts).
//   J1. Signed by one of ALGORITHMS, whatever the token says: none and shared secrets are not among them, so a public key
//       cannot be passed off as a secret.
//   J2. For us (audience), from the one issuer, with an end, for a tenant and a user.
//   J3. Every failure is UNAUTHENTICATED. Its message names jose's code and the claim, never a value: the library's own
//       errors hold what was in the token, so they are not passed on [G7].

import type { Clock } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { errors, jwtVerify } from "jose";
import type { AuthFault, Caller } from "./caller.js";
import { isUserId, readTenantId, unauthenticated } from "./caller.js";
import { JWT_CLOCK_TOLERANCE_S } from "./limits.js";

export interface JwtOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: JWTVerifyGetKey;
  readonly clock: Clock;
}

const ALGORITHMS = ["RS256", "ES256", "EdDSA"];

/** Gives the caller of a token, or throws UNAUTHENTICATED. */
export function createJwtVerifier({ issuer, audience, keys, clock }: JwtOptions): (token: string) => Promise<Caller> {
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      issuer,
      audience,
      requiredClaims: ["exp"],
      clockTolerance: JWT_CLOCK_TOLERANCE_S,
      currentDate: new Date(clock.now()),
    }).catch((error: unknown) => {
      if (isFramerailError(error)) throw error;
      throw unauthenticated(`the token is refused: ${reasonOf(error)}`, judgeFault(error));
    });
    return callerOf(payload, issuer);
  };
}

function callerOf({ sub, tenant_id }: JWTPayload, issuer: string): Caller {
  const tenantId = readTenantId(tenant_id);
  if (tenantId === undefined) throw unauthenticated("the token is refused: tenant_id is not a UUID");
  if (!isUserId(sub)) throw unauthenticated("the token is refused: sub is not a user's id");
  return { tenantId, userId: sub, kind: "user", subject: `user:${tenantId}|${issuer}|${sub}` };
}

function judgeFault(error: unknown): AuthFault {
  if (error instanceof errors.JWTExpired) return "expired";
  return error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid ? "malformed" : "invalid";
}

// J3.
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    return `${error.code} (${error.claim})`;
  }
  if (error instanceof errors.JOSEError) return error.code;
  return error instanceof Error ? error.name : "unknown";
}
