// The first request to a server decides whether there is one: a wrong address is told at once, not tried again for minutes.
// Owns: that judgement and its sentences. Does not own: what happens to a server that was there (the client goes on).
//   F1. Until a Framerail server has answered, whatever is no answer of one is final. Afterwards nothing is judged here.
//   F2. No word of what answered enters a message [G7].

import type { Fetch } from "@framerail/client";
import { FramerailError } from "@framerail/protocol";

const ANSWERS: ReadonlySet<string> = new Set(["application/json", "text/event-stream", "application/x-ndjson"]);
const REFUSAL = "application/problem+json";
/** What a proxy says when it has nobody to ask. */
const NOBODY_BEHIND: ReadonlySet<number> = new Set([502, 503, 504]);

/** The platform's fetch, or the one that is given, with a judgement of its first answer. */
export function judgeFirstContact(url: string, fetch: Fetch = (to, init) => globalThis.fetch(to, init)): Fetch {
  let isKnown = false;
  return async (to, init) => {
    if (isKnown) return fetch(to, init);
    let response: Response;
    try {
      response = await fetch(to, init);
    } catch (error) {
      throw init.signal?.aborted ? error : explainNoAnswer(url, error);
    }
    requireFramerail(url, response);
    isKnown = true;
    return response;
  };
}

function requireFramerail(url: string, { status, headers }: Response): void {
  const type = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const speaks = status < 400 ? status === 204 || ANSWERS.has(type) : type === REFUSAL;
  if (!speaks && NOBODY_BEHIND.has(status)) {
    throw final(
      `a proxy answers at ${url}, and no server behind it (${status}); try again in a moment, or check --url`,
    );
  }
  if (!speaks) throw final(`what answers at ${url} is no Framerail server; check --url`);
  if (status >= 500) throw final(`the server at ${url} cannot answer now (${status}); try again in a moment`);
}

function explainNoAnswer(url: string, error: unknown): FramerailError {
  const { cause = error } = Object(error) as { readonly cause?: unknown };
  const code = String((Object(cause) as { readonly code?: unknown }).code ?? "no answer");
  if (code === "ECONNREFUSED") {
    return final(`nothing listens at ${url}; start a server with framerail dev, or name another with --url`, error);
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return final(`${url} names a host nobody knows; check --url`, error);
  if (code.startsWith("HPE_")) return final(`what answers at ${url} is no Framerail server; check --url`, error);
  return final(`${url} cannot be reached (${code}); check --url`, error);
}

/** A code that the client does not try again. */
function final(says: string, cause?: unknown): FramerailError {
  return new FramerailError("INVALID_ARGUMENT", says, { cause });
}
