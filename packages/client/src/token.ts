// The caller's token: a fixed one, or one that is asked for and asked for again when the server refuses it.
//   K1. One request asks for a new token at most once; requests that are refused together share one new token.

import { FramerailError } from "@framerail/protocol";

/** `refresh`: the last one was refused, so a cached one will not do. It must settle: whoever needs the token waits for it. */
export type AskToken = (why: { readonly refresh: boolean }) => string | Promise<string>;

export interface TokenSource {
  /** Undefined when there is no token at all. */
  get(): Promise<string> | undefined;
  /** A token after `refused` was refused; undefined when there can be no other. */
  renew(refused: Promise<string>): Promise<string> | undefined;
}

export function createTokenSource(token: string | AskToken | undefined): TokenSource {
  if (token === undefined) return { get: () => undefined, renew: () => undefined };
  if (typeof token === "string") {
    const fixed = Promise.resolve(token);
    return { get: () => fixed, renew: () => undefined };
  }
  let current: Promise<string> | undefined;
  const ask = (refresh: boolean) => {
    const asked = askOnce(token, refresh);
    current = asked;
    asked.catch(() => {
      // Heard by whoever waits for it; the next request asks anew.
      if (current === asked) current = undefined;
    });
    return asked;
  };
  return {
    get: () => current ?? ask(false),
    // K1: who comes second finds the token already changed.
    renew: (refused) => (current === undefined || current === refused ? ask(true) : current),
  };
}

async function askOnce(token: AskToken, refresh: boolean): Promise<string> {
  try {
    return await token({ refresh });
  } catch (cause) {
    // Usually the caller's own network: worth another attempt.
    throw new FramerailError("UPSTREAM_FAILED", "the caller's token could not be had", { cause });
  }
}
