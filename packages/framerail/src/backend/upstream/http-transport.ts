// The request to an upstream service over Node's own HTTP client. The platform's `fetch` is not the default because it
// gives up after 300 s without headers or bytes, whatever window the operator set; here the idle timer alone decides.
// Owns: one request, one connection. Does not own: retries (none), redirects (none: a service that moves must be
// configured anew, so that headers with secrets go to no other host).
//   H1. Aborting the signal destroys the socket, before the headers and for the whole length of the body.
//   H2. A connection serves one turn: a kept one may be closed by the service in the moment it is used again.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

export interface UpstreamRequest {
  readonly method: "POST";
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** The part of the platform's `fetch` that is used, so that any `fetch` can stand in. */
export type UpstreamFetch = (url: string, request: UpstreamRequest) => Promise<UpstreamResponse>;

export const fetchOverHttp: UpstreamFetch = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const request = url.startsWith("https:") ? requestHttps : requestHttp;
    const sent = request(url, { method, headers, signal, agent: false }, (response) => {
      resolve({
        status: response.statusCode ?? 0,
        headers: {
          get(name) {
            const value = response.headers[name.toLowerCase()];
            return typeof value === "string" ? value : null;
          },
        },
        body: response,
      });
    });
    // Stays for the whole exchange: an error after the headers is told by the body as well, and must not be unheard here.
    sent.on("error", reject);
    // Not every connection without an answer ends in an error: one that switches to another protocol is just closed.
    sent.on("close", () => reject(new Error("the connection was closed without an answer")));
    sent.end(body);
  });
