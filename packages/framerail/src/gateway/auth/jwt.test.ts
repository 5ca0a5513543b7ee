import { createPublicKey, randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { isFramerailError } from "@framerail/protocol";
import { base64url, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handClock } from "../../dispatch/testing/turn-bench.js";
import type { Caller } from "./caller.js";
import { faultOf } from "./caller.js";
import { createJwtVerifier } from "./jwt.js";
import { createKeySet } from "./key-set.js";
import { JWT_CLOCK_TOLERANCE_S } from "./limits.js";
import type { Algorithm, IdentityProvider } from "./testing/identity-provider.js";
import { DEMANDED, startIdentityProvider } from "./testing/identity-provider.js";

const ISSUER = "https://id.example.org/";
const AUDIENCE = "framerail";
const TENANT = randomUUID();
const clock = handClock();
const NOW = Math.floor(clock.now() / 1000);
/** Stands in every token; no error may hold it. */
const CANARY = "canary-7f3a9";
const PEM = { format: "pem", type: "spki" } as const;

const claims = (changed: Record<string, unknown> = {}): Record<string, unknown> => ({
  iss: ISSUER,
  aud: AUDIENCE,
  exp: NOW + 300,
  sub: "user_1",
  tenant_id: TENANT,
  canary: CANARY,
  ...changed,
});

let provider: IdentityProvider;
let verify: (token: string) => Promise<Caller>;
beforeAll(async () => {
  provider = await startIdentityProvider();
  for (const [alg, kid] of [
    ["RS256", "rsa"],
    ["ES256", "ec"],
    ["EdDSA", "ed"],
    ["PS256", "pss"],
  ] as [Algorithm, string][])
    await provider.addKey(alg, kid);
  await provider.addKey("ES256", "other");
  await provider.addKey("ES256", "hidden");
  provider.withdrawKey("hidden");
  verify = createJwtVerifier({
    issuer: ISSUER,
    audience: AUDIENCE,
    keys: createKeySet({ url: provider.url, clock }),
    clock,
  });
});
afterAll(() => provider.close());

test.each(["rsa", "ec", "ed"])("a token signed by the %s key leads to its tenant and user [D-18]", async (kid) => {
  expect(await verify(await provider.sign(kid, claims()))).toEqual({
    tenantId: TENANT,
    userId: "user_1",
    kind: "user",
    subject: `user:${TENANT}|${ISSUER}|user_1`,
  });
});

test("a renewed token is the same subject, and another user, tenant or issuer is another one [D-13]", async () => {
  const subjectOf = async (changed: Record<string, unknown>) =>
    (await verify(await provider.sign("ec", claims(changed)))).subject;
  const first = await subjectOf({});
  expect(await subjectOf({ exp: NOW + 900, jti: "renewed" })).toBe(first);
  expect(await subjectOf({ tenant_id: TENANT.toUpperCase() })).toBe(first);
  const others = [await subjectOf({ sub: "user_2" }), await subjectOf({ tenant_id: randomUUID() })];
  expect(new Set([first, ...others]).size).toBe(3);
});

describe("a refused token", () => {
  const signed = (changed: Record<string, unknown>, header?: object) => () =>
    provider.sign("ec", claims(changed), header);
  const REFUSED: readonly [says: string, why: string, make: () => Promise<string> | string][] = [
    ["is not signed", "ERR_JOSE_ALG_NOT_ALLOWED", () => new UnsecuredJWT(claims()).encode()],
    ["says none and keeps a signature", "ERR_JOSE_ALG_NOT_ALLOWED", () => splice({ header: { alg: "none" } })],
    [
      "is signed with the public key as a secret",
      "ERR_JOSE_ALG_NOT_ALLOWED",
      () => {
        const secret = createPublicKey({ key: provider.publicKey("rsa"), format: "jwk" }).export(PEM);
        return new SignJWT(claims()).setProtectedHeader({ alg: "HS256", kid: "rsa" }).sign(Buffer.from(secret));
      },
    ],
    ["has an algorithm that is not taken", "ERR_JOSE_ALG_NOT_ALLOWED", () => provider.sign("pss", claims())],
    ["names an unknown key", "ERR_JWKS_NO_MATCHING_KEY", signed({}, { kid: "nobody's" })],
    ["names another key of its kind", "ERR_JWS_SIGNATURE_VERIFICATION_FAILED", signed({}, { kid: "other" })],
    ["has a key that is not published", "ERR_JWKS_NO_MATCHING_KEY", () => provider.sign("hidden", claims())],
    [
      "brings its own key",
      "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
      () => provider.sign("hidden", claims(), { jwk: provider.publicKey("hidden"), kid: "ec" }),
    ],
    [
      "says where its key is",
      "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
      () => provider.sign("hidden", claims(), { jku: provider.url.href, kid: "ec" }),
    ],
    ["names no key where several fit", "ERR_JWKS_MULTIPLE_MATCHING_KEYS", signed({}, { kid: undefined })],
    ["has changed claims", "ERR_JWS_SIGNATURE_VERIFICATION_FAILED", () => splice({ payload: claims({ sub: "root" }) })],
    ["has claims that are no JSON", "ERR_JWT_INVALID", () => provider.sign("ec", `{"${CANARY}`)],
    ["has a list of claims", "ERR_JWT_INVALID", () => provider.sign("ec", `["${CANARY}"]`)],
    ["demands what we do not know", "ERR_JOSE_NOT_SUPPORTED", signed({}, { crit: [DEMANDED], [DEMANDED]: 1 })],
    ["is from another issuer", "VALIDATION_FAILED (iss)", signed({ iss: "https://id.example.org" })],
    ["has no issuer", "VALIDATION_FAILED (iss)", signed({ iss: undefined })],
    ["is for another audience", "VALIDATION_FAILED (aud)", signed({ aud: ["someone", "framerail2"] })],
    ["is for nobody", "VALIDATION_FAILED (aud)", signed({ aud: undefined })],
    ["has expired", "ERR_JWT_EXPIRED (exp)", signed({ exp: NOW - JWT_CLOCK_TOLERANCE_S })],
    ["never expires", "VALIDATION_FAILED (exp)", signed({ exp: undefined })],
    ["expires in words", "VALIDATION_FAILED (exp)", signed({ exp: "tomorrow" })],
    ["is not valid yet", "VALIDATION_FAILED (nbf)", signed({ nbf: NOW + JWT_CLOCK_TOLERANCE_S + 1 })],
    ["has no tenant", "tenant_id", signed({ tenant_id: undefined })],
    ["has a tenant that is no UUID", "tenant_id", signed({ tenant_id: `${TENANT}' or '${CANARY}` })],
    ["has several tenants", "tenant_id", signed({ tenant_id: [TENANT] })],
    ["has no user", "sub", signed({ sub: undefined })],
    ["has an empty user", "sub", signed({ sub: "" })],
    ["has a user with a line break", "sub", signed({ sub: `${CANARY}\r\nx: y` })],
    ["has a user without end", "sub", signed({ sub: CANARY.repeat(256) })],
    ["has a number for a user", "sub", signed({ sub: 1 })],
    ["is two dots", "ERR_JWS_INVALID", () => ".."],
    ["is nothing", "ERR_JWS_INVALID", () => ""],
    ["is an encrypted one", "ERR_JWS_INVALID", () => "eyJhbGciOiJkaXIifQ.a.b.c.d"],
  ];

  test.each(REFUSED)("%s: UNAUTHENTICATED, in words that hold nothing of it [D-13, G7]", async (_says, why, make) => {
    const token = await make();
    const error: unknown = await verify(token).catch((thrown: unknown) => thrown);
    if (!isFramerailError(error)) throw new Error("it was taken, or refused by another error");
    expect(error.code).toBe("UNAUTHENTICATED");
    expect(error.message).toContain(why);
    const told = inspect(error, { depth: null, showHidden: true });
    expect(told).not.toContain(CANARY);
    for (const part of token.split(".")) if (part.length > 2) expect(told).not.toContain(part);
  });

  /** A good token with a part of another. */
  async function splice(changed: { header?: object; payload?: object }): Promise<string> {
    const [header, payload, signature] = (await provider.sign("ec", claims())).split(".");
    const part = (value: object | undefined, kept?: string) => (value ? base64url.encode(JSON.stringify(value)) : kept);
    return [part(changed.header, header), part(changed.payload, payload), signature].join(".");
  }
});

test("operators are told apart a token that has expired, one that is none, and every other [D-18]", async () => {
  const faults: Record<string, unknown> = {};
  const tokens = {
    old: await provider.sign("ec", claims({ exp: NOW - 900 })),
    none: "..",
    no_claims: await provider.sign("ec", "{"),
    foreign: await provider.sign("ec", claims({ aud: "someone" })),
    no_tenant: await provider.sign("ec", claims({ tenant_id: undefined })),
    forged: await provider.sign("hidden", claims()),
  };
  for (const [name, token] of Object.entries(tokens)) faults[name] = await verify(token).then(() => "taken", faultOf);
  const others = { foreign: "invalid", no_tenant: "invalid", forged: "invalid" };
  expect(faults).toEqual({ old: "expired", none: "malformed", no_claims: "malformed", ...others });
});

test("clocks may be apart by the tolerance and no more", async () => {
  const late = JWT_CLOCK_TOLERANCE_S - 1;
  await verify(await provider.sign("ec", claims({ exp: NOW - late, nbf: NOW + late })));
});

test("a token without a key's name is taken while one key fits it", async () => {
  await verify(await provider.sign("ed", claims(), { kid: undefined }));
});
