// What a driver's error means for us. The database's own refusals (a constraint, a lost race) are thrown on as they
// are, with their SQLSTATE in `code`; what concerns the connection or the server's health gets a code of ours.
//   F1. COMMIT_UNKNOWN is said only where a commit had been sent and nobody answered it. An answer is never unknown.
//   F2. A server that answers "not now" (full disk, no memory, a time limit, a standby that takes no writes) is
//       STORE_UNAVAILABLE: the same call may succeed later, and nothing of this one was kept.

import { FramerailError, isFramerailError } from "@framerail/protocol";

/** The classes of SQLSTATE that begin with a letter are four; a system's own codes (EPIPE) have five letters too. */
const SQLSTATE = /^(?:[0-9][0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;
/** The line itself, the server going away, a session that it ended. */
const LINE_GONE = /^(?:08|57P|25P0[34])/;
/** Out of resources, an I/O error, a lock or a statement that took too long, a server that only reads (F2). */
const NOT_NOW = /^(?:53|58030|55P03|57014|25006)/;
/** Who may come in, and where to: asking again changes nothing. */
const NO_ENTRY = /^(?:28|3D|42)/;

/** `committing`: the commit had been sent, so that nobody here knows whether it took effect. */
export function brokenConnection(cause: unknown, committing: boolean): FramerailError {
  return committing
    ? new FramerailError("COMMIT_UNKNOWN", "the connection to the database broke during a commit", { cause })
    : new FramerailError("STORE_UNAVAILABLE", "the database cannot be reached", { cause });
}

/** What is thrown for a driver's error of a statement or a commit. */
export function storeError(error: unknown, committing: boolean): unknown {
  if (isFramerailError(error)) return error;
  const code = sqlStateOf(error);
  if (code === undefined || LINE_GONE.test(code)) return brokenConnection(error, committing);
  if (!NOT_NOW.test(code)) return error;
  return new FramerailError("STORE_UNAVAILABLE", "the database cannot do this at present", { cause: error });
}

/** What is thrown when there was no connection to begin with. */
export function connectError(error: unknown): FramerailError {
  if (!NO_ENTRY.test(sqlStateOf(error) ?? "")) return brokenConnection(error, false);
  const { message } = error as Error;
  return new FramerailError("STORE_REFUSED", `the database refuses the connection: ${message}`, { cause: error });
}

/** The database's own word about an error; undefined where it was not the database that spoke. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" && SQLSTATE.test(code) ? code : undefined;
}
