// How the envelope refuses: one code, INVALID_ENVELOPE, with the field and the rule, whatever was wrong with the input.

import { FramerailError, isFramerailError, refuse } from "../error.js";
import type { Check } from "../schema/check.js";

export function requireValid(what: string, check: Check, value: unknown): void {
  const broken = check(value);
  if (broken) throw refuse("INVALID_ENVELOPE", what, broken);
}

/** Runs `read`; a getter or a proxy of the backend may throw whatever it likes while it is read. */
export function refuseUnreadable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (isFramerailError(cause)) throw cause;
    const issue = { path: "", rule: "readable", message: "a field threw while it was read" };
    throw new FramerailError("INVALID_ENVELOPE", `${what}: ${issue.message}`, { cause, issue });
  }
}
