// Which identity provider's tokens are taken, as the environment says it.
//   S1. All three settings or none: a missing issuer or audience would take tokens that were meant for somebody else.
//   S2. Keys come over TLS, or from this machine: whoever can change them on the way can be anybody.

import { FramerailError } from "@framerail/protocol";

export interface JwtSettings {
  readonly jwksUrl: URL;
  readonly issuer: string;
  readonly audience: string;
}

const NAMES = ["FRAMERAIL_JWKS_URL", "FRAMERAIL_JWT_ISSUER", "FRAMERAIL_JWT_AUDIENCE"] as const;
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Undefined when nothing is set; throws INVALID_ARGUMENT for a part of it, or for an address that cannot be trusted. */
export function readJwtSettings(env: Readonly<Record<string, string | undefined>>): JwtSettings | undefined {
  const [url = "", issuer = "", audience = ""] = NAMES.map((name) => env[name]);
  if (url === "" && issuer === "" && audience === "") return undefined;
  const missing = NAMES.filter((name) => !env[name]);
  // S1.
  if (missing.length > 0) throw invalid(`${missing.join(" and ")} must be set too`);
  return { jwksUrl: readJwksUrl(url), issuer, audience };
}

function readJwksUrl(text: string): URL {
  // Not shown when it is wrong: it may hold a password, which is one way of being wrong.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "") {
    throw invalid("FRAMERAIL_JWKS_URL must be an address without a user or a password");
  }
  if (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname))) return url;
  throw invalid("FRAMERAIL_JWKS_URL must start with https:// unless it is on this machine");
}

function invalid(says: string): FramerailError {
  return new FramerailError("INVALID_ARGUMENT", says);
}
