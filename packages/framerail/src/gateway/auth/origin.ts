// From where a browser may call: allow-lists of hosts and origins, and what CORS says about them.
// Owns: judging Host, Origin and Sec-Fetch-Site. Does not own: who is calling (authenticate.ts); a page that may call still
// needs a credential.
//   O1. Names are compared whole, never in part. A name that resolves to this machine is not a name of this machine, so a
//       page that points its own name here is refused by its Host.
//   O2. An Origin that is sent is an allowed one. Without it only what no other site's page can have sent passes: a program
//       (no Sec-Fetch-Site), or a browser on its own page (same-origin) or its address line (none).
//   O3. Answers name the one origin that asked, never all, and say that they depend on it. They let no cookies in.

import { FramerailError } from "@framerail/protocol";
import { PREFLIGHT_AGE_S } from "./limits.js";

export interface OriginOptions {
  /** As in the Host header, with a port where it is not the scheme's own. "any" where no credential comes by itself. */
  readonly hosts: readonly string[] | "any";
  /** As browsers write them: scheme, host, and a port where it is not the scheme's own. */
  readonly origins: readonly string[];
}

/** Values of headers; undefined where there is none. */
export interface RequestSource {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

export interface OriginCheck {
  /** Throws FORBIDDEN for a request that another site's page may have caused. */
  requireAllowed(source: RequestSource): void;
  /** Headers of every answer (O3). */
  corsHeaders(origin: string | undefined): Readonly<Record<string, string>>;
  /** Headers of the answer to a preflight, once it was allowed. */
  preflightHeaders(origin: string | undefined): Readonly<Record<string, string>>;
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const METHODS = "GET, POST, PUT, DELETE";
const REQUEST_HEADERS = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Framerail-Version";
const EXPOSED_HEADERS = "Framerail-Turn-Id, Location, Link, Retry-After";
const HTTP_PORT = 80;

/** This machine's names for itself, for a server that only it reaches. */
export function loopbackSources(port: number): { readonly hosts: string[]; readonly origins: string[] } {
  const hosts = LOOPBACK.map((name) => (port === HTTP_PORT ? name : `${name}:${port}`));
  return { hosts, origins: hosts.map((host) => `http://${host}`) };
}

/** Throws INVALID_ARGUMENT for an origin that no browser would send as it is written. */
export function createOriginCheck({ hosts, origins }: OriginOptions): OriginCheck {
  for (const origin of origins) requireOrigin(origin);
  const allowedHosts = hosts === "any" ? undefined : new Set(hosts.map((host) => host.toLowerCase()));
  const allowedOrigins: ReadonlySet<string> = new Set(origins);

  const corsHeaders = (origin: string | undefined): Record<string, string> =>
    origin === undefined || !allowedOrigins.has(origin)
      ? { vary: "Origin" }
      : { vary: "Origin", "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED_HEADERS };

  return {
    requireAllowed({ host, origin, fetchSite }) {
      if (allowedHosts !== undefined && !allowedHosts.has(host?.toLowerCase() ?? "")) {
        throw new FramerailError("FORBIDDEN", "this server does not answer to that host name");
      }
      const isAllowed = origin === undefined ? isOwnPageOrProgram(fetchSite) : allowedOrigins.has(origin);
      if (!isAllowed) throw new FramerailError("FORBIDDEN", "pages of that origin may not call this server");
    },
    corsHeaders,
    preflightHeaders(origin) {
      const headers = corsHeaders(origin);
      if (!("access-control-allow-origin" in headers)) return headers;
      return {
        ...headers,
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": REQUEST_HEADERS,
        "access-control-max-age": String(PREFLIGHT_AGE_S),
      };
    },
  };
}

// O2. A value that browsers do not send yet is not trusted.
function isOwnPageOrProgram(fetchSite: string | undefined): boolean {
  return fetchSite === undefined || fetchSite === "same-origin" || fetchSite === "none";
}

// Also a pattern is refused: whoever writes one would think that it works.
function requireOrigin(origin: string): void {
  const isWritten = /^https?:\/\/[^*]+$/.test(origin) && URL.canParse(origin);
  if (isWritten && new URL(origin).origin === origin) return;
  throw new FramerailError("INVALID_ARGUMENT", `${origin} is not an origin, as in https://example.org`);
}
