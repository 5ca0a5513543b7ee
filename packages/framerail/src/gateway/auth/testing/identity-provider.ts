// An identity provider on a real socket: it signs tokens, publishes its keys, and fails as such services do.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CryptoKey, JWK } from "jose";
import { CompactSign, exportJWK, generateKeyPair } from "jose";

export type Algorithm = "RS256" | "ES256" | "EdDSA" | "PS256";

/** A header that only the provider understands. */
export const DEMANDED = "urn:example:demanded";

export interface IdentityProvider {
  readonly url: URL;
  /** How often its keys were asked for. */
  readonly fetches: number;
  /** Makes a key, and publishes it. */
  addKey(alg: Algorithm, kid: string): Promise<void>;
  /** Takes a key out of what is published; it can still sign. */
  withdrawKey(kid: string): void;
  publicKey(kid: string): JWK;
  /** Signs anything, also what is no token: a text as it stands, claims as JSON. */
  sign(kid: string, claims: object | string, header?: object): Promise<string>;
  /** Answers otherwise from now on; undefined: with the keys. */
  answerWith(answer: ((response: ServerResponse) => void) | undefined): void;
  /** Resolves when it is asked for the next time. */
  nextFetch(): Promise<void>;
  close(): Promise<void>;
}

interface Key {
  readonly alg: Algorithm;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const keys = new Map<string, Key>();
  const withdrawn = new Set<string>();
  let fetches = 0;
  let answer: ((response: ServerResponse) => void) | undefined;

  const server = createServer((_request, response) => {
    fetches += 1;
    server.emit("fetch");
    if (answer !== undefined) answer(response);
    else
      response.end(
        JSON.stringify({ keys: [...keys].filter(([kid]) => !withdrawn.has(kid)).map(([, key]) => key.jwk) }),
      );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const requireKey = (kid: string): Key => {
    const key = keys.get(kid);
    if (key === undefined) throw new Error(`there is no key ${kid}`);
    return key;
  };
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`),
    get fetches() {
      return fetches;
    },
    async addKey(alg, kid) {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
      keys.set(kid, { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } });
    },
    withdrawKey: (kid) => void withdrawn.add(kid),
    publicKey: (kid) => requireKey(kid).jwk,
    sign(kid, claims, header = {}) {
      const { alg, privateKey } = requireKey(kid);
      const payload = typeof claims === "string" ? claims : JSON.stringify(claims);
      const signing = new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader({ alg, kid, ...header });
      return signing.sign(privateKey, { crit: { [DEMANDED]: true } });
    },
    answerWith(next) {
      answer = next;
    },
    nextFetch: async () => void (await once(server, "fetch")),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
