// What a server's refusal means to a person at a terminal, and what to do about it: one line.
// Owns: the sentences. Does not own: which server it is (first-contact.ts), exit codes (program.ts).
//   E1. Every sentence that can name a remedy does.

import { ResponseError } from "@framerail/client";
import type { ErrorCode } from "@framerail/protocol";
import { explainCode, FramerailError, isFramerailError } from "@framerail/protocol";

/** What was asked for when the server said no. */
export type Asked =
  | { readonly kind: "agents" }
  | { readonly kind: "session"; readonly sessionId: string | undefined }
  | { readonly kind: "turn"; readonly turnId: string };

export interface AskedServer {
  readonly url: string;
  readonly hasKey: boolean;
}

/** Another error with a better sentence; what is no refusal of ours comes back as it is. */
export function explainRefusal(error: unknown, asked: Asked, server: AskedServer): unknown {
  if (!isFramerailError(error)) return error;
  const says = explain(error, asked, server);
  return says === undefined ? error : new FramerailError(error.code, says, { cause: error });
}

function explain(error: FramerailError, asked: Asked, { url, hasKey }: AskedServer): string | undefined {
  const isAnswer = error instanceof ResponseError;
  switch (error.code) {
    case "UNAUTHENTICATED":
      if (!hasKey) return "the server wants to know who you are; set FRAMERAIL_API_KEY";
      return "the server refuses the key in FRAMERAIL_API_KEY; make another with framerail key create";
    case "NOT_FOUND":
      return notFound(asked);
    case "INVALID_ARGUMENT":
      return isAnswer ? notAccepted(asked) : undefined;
    case "TURN_RUNNING":
      return "the session has a turn that has not ended; wait for its end, or open another session";
    case "SESSION_CLOSED":
      return "the session takes no more messages; leave --session away to open another";
    case "CURSOR_EXPIRED":
      return `the server does not have the frames after that cursor, or no longer; leave --after away${storedAnswer(asked)}`;
    case "UPSTREAM_FAILED":
    case "DEADLINE_EXCEEDED":
    case "STREAM_TRUNCATED":
      return lost(asked, url);
    default:
      return isAnswer ? `the server refuses: ${sentence(error.code)}` : undefined;
  }
}

function storedAnswer(asked: Asked): string {
  return asked.kind === "turn" ? `, or see the stored answer with framerail replay ${asked.turnId}` : "";
}

function notFound(asked: Asked): string | undefined {
  switch (asked.kind) {
    case "session":
      return `there is no session ${asked.sessionId ?? ""} for you here; leave --session away to open one`;
    case "turn":
      return `there is no turn ${asked.turnId} for you here; check its id, --url and FRAMERAIL_API_KEY`;
    default:
      return undefined;
  }
}

function notAccepted(asked: Asked): string | undefined {
  switch (asked.kind) {
    case "session":
      return "the server opens no session for you; a key for chatting names its user (framerail key create --user), and --locale is a language";
    case "turn":
      return "the server takes neither this turn's id nor this cursor; check both";
    default:
      return undefined;
  }
}

function lost(asked: Asked, url: string): string {
  const remedy = asked.kind === "turn" ? `read on later with framerail replay ${asked.turnId}` : "try again later";
  return `the connection to ${url} was lost and did not come back; ${remedy}`;
}

function sentence(code: ErrorCode): string {
  return `${explainCode(code)} (${code})`;
}
