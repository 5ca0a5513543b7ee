// What a driver's error means for us. The database's own refusals (a constraint, a lost race) are thrown on as they
// are, with their SQLSTATE in `code`; only what concerns the connection gets a code of ours.

import { FramerailError } from "@framerail/protocol";

/** `committing`: the commit had been sent, so that nobody here knows whether it took effect. */
export function brokenConnection(cause: unknown, committing: boolean): FramerailError {
  return committing
    ? new FramerailError("COMMIT_UNKNOWN", "the connection to the database broke during a commit", { cause })
    : new FramerailError("STORE_UNAVAILABLE", "the database cannot be reached", { cause });
}

/** A refusal by the server has a SQLSTATE, five characters; class 57 is the server itself going away, and 08 the line. */
export function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|57P)/.test(code);
}
