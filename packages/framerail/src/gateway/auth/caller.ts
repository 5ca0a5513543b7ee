// Who is calling: a tenant's user, or a program that speaks for the tenant.
// Owns: what a caller is, and whom it may speak for. Does not own: how one proves who it is (authenticate.ts), what may be
// seen (session/).
//   C1. `subject` names the principal and nothing of its credential: a renewed token or a cached key is the same subject.
//       It holds the tenant where the credential does not imply one, so that it can be compared on its own.
//   C2. Only a service speaks for users other than itself [D-18].
//   C3. Why somebody is not known is for operators; it never holds what was sent [G7].

import { FramerailError } from "@framerail/protocol";
import { USER_ID_LENGTH_MAX } from "./limits.js";

export interface Caller {
  readonly tenantId: string;
  /** Undefined: the tenant itself, until the caller names a user. */
  readonly userId: string | undefined;
  readonly kind: "user" | "service";
  /** A stable name of the principal, for idempotency keys and limits (C1). */
  readonly subject: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Control characters and halves of surrogate pairs: no name holds them, and no store keeps them all. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** The caller with the user that it speaks for. Throws FORBIDDEN for another user's name from a user (C2). */
export function onBehalfOf(caller: Caller, userId: string | undefined): Caller {
  if (userId === undefined || userId === caller.userId) return caller;
  if (caller.kind === "user") throw new FramerailError("FORBIDDEN", "only a service's key may name another user");
  if (isUserId(userId)) return { ...caller, userId };
  throw new FramerailError("INVALID_ARGUMENT", `a user's id is 1 to ${USER_ID_LENGTH_MAX} printable characters`);
}

/** The id in the one spelling that the store knows; undefined for what is no UUID. */
export function readTenantId(value: unknown): string | undefined {
  const id = typeof value === "string" && value.length === 36 ? value.toLowerCase() : "";
  return UUID.test(id) ? id : undefined;
}

export function isUserId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= USER_ID_LENGTH_MAX && !UNPRINTABLE.test(value);
}

/**
 * What is wrong with a credential, for operators to count. Of a key that is not found nobody can tell whether it was
 * revoked, has expired, or never was: it is invalid.
 */
export type AuthFault = "missing" | "malformed" | "expired" | "invalid";

class UnauthenticatedError extends FramerailError {
  readonly fault: AuthFault;

  constructor(why: string, fault: AuthFault) {
    super("UNAUTHENTICATED", why);
    this.fault = fault;
  }
}

/** The one refusal of who cannot be told; `why` is a phrase of ours (C3). */
export function unauthenticated(why: string, fault: AuthFault = "invalid"): FramerailError {
  return new UnauthenticatedError(why, fault);
}

/** Undefined for every other error. */
export function faultOf(error: unknown): AuthFault | undefined {
  return error instanceof UnauthenticatedError ? error.fault : undefined;
}
