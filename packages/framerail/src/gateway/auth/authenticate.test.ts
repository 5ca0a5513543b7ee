import { randomBytes, randomUUID } from "node:crypto";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import big from "big-list-of-naughty-strings" with { type: "json" };
import { beforeEach, expect, test } from "vitest";
import type { HandClock } from "../../dispatch/testing/turn-bench.js";
import { handClock } from "../../dispatch/testing/turn-bench.js";
import type { KeyHolder } from "../../session/api-keys.js";
import type { Authenticate } from "./authenticate.js";
import { createAuthenticator } from "./authenticate.js";
import type { Caller } from "./caller.js";
import { faultOf } from "./caller.js";
import { AUTHORIZATION_LENGTH_MAX, KEY_CACHE_MS, KEY_LOOKUPS_MAX } from "./limits.js";
import { retryAfterOf } from "./rate-limit.js";

const tenantId = randomUUID();
const TOKEN_CALLER: Caller = { tenantId, userId: "user_1", kind: "user", subject: "user:1" };
const PHRASES = [
  "no credential was sent",
  "the credential is too long",
  "the credential is not a bearer token",
  "the key is unknown, revoked or expired",
  "no identity provider is configured",
];
const newKey = () => `frk_${randomBytes(32).toString("base64url")}`;

let clock: HandClock;
let holders: Map<string, KeyHolder>;
let lookups: number;
let authenticate: Authenticate;
/** What the store waits for before it answers. */
let gate: Promise<unknown>;

beforeEach(() => {
  clock = handClock();
  holders = new Map();
  lookups = 0;
  gate = Promise.resolve();
  authenticate = createAuthenticator({ clock, findKey, jwt: () => Promise.resolve(TOKEN_CALLER) });
});

async function findKey(key: string): Promise<KeyHolder | undefined> {
  lookups += 1;
  const holder = holders.get(key);
  await gate;
  return holder;
}

function issue(fields: Partial<KeyHolder> = {}): { key: string; keyId: string } {
  const key = newKey();
  const keyId = randomUUID();
  holders.set(key, { orgId: tenantId, keyId, kind: "service", userId: null, ...fields });
  return { key, keyId };
}

async function codeOf(header: string | undefined, by: Authenticate = authenticate): Promise<string> {
  try {
    await by(header);
    return "taken";
  } catch (error) {
    if (!isFramerailError(error)) throw error;
    // A closed set of phrases holds nothing of what was sent.
    if (error.code === "UNAUTHENTICATED") expect(PHRASES).toContain(error.message);
    expect(error.cause).toBeUndefined();
    return error.code;
  }
}

test("a service's key is a service of its tenant, and a user's key its user [D-18]", async () => {
  const service = issue();
  const user = issue({ kind: "user", userId: "user_2" });
  expect(await authenticate(`Bearer ${service.key}`)).toEqual({
    tenantId,
    userId: undefined,
    kind: "service",
    subject: `key:${service.keyId}`,
  });
  expect(await authenticate(`bearer  ${user.key}`)).toEqual({
    tenantId,
    userId: "user_2",
    kind: "user",
    subject: `key:${user.keyId}`,
  });
});

test("every other bearer credential is a token of the identity provider", async () => {
  expect(await authenticate("Bearer a.b.c")).toBe(TOKEN_CALLER);
  expect(lookups).toBe(0);
});

test("silence, other schemes and what is no credential are UNAUTHENTICATED [D-18, G7]", async () => {
  const { key } = issue();
  const wrong = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    key,
    `Basic ${key}`,
    `Bearer: ${key}`,
    `Bearer ${key} ${key}`,
    `Bearer ${key}, Bearer ${key}`,
    `Bearer\t${key}`,
    ` Bearer ${key}`,
    `Bearer ${key}\r\nx: y`,
    `Bearer ${newKey()}`,
    `Bearer ${key}x`,
    `Bearer ${key.slice(0, -1)}`,
    "Bearer frk_",
    `Bearer ${"a".repeat(AUTHORIZATION_LENGTH_MAX)}`,
    `Bearer ${"a".repeat(1_048_576)}`,
    `Bearer ${"=".repeat(8_000)}`,
  ];
  for (const header of wrong) expect(await codeOf(header), header?.slice(0, 60)).toBe("UNAUTHENTICATED");
  // Only what looks like a key is looked up.
  expect(lookups).toBe(1);
});

test("a refusal says to operators what is wrong with the credential, as far as it can be known [D-18]", async () => {
  const none = createAuthenticator({ clock });
  const faults = async (by: Authenticate, ...headers: readonly (string | undefined)[]) =>
    new Set(await Promise.all(headers.map((header) => by(header).then(() => "taken", faultOf))));
  expect(await faults(authenticate, undefined)).toEqual(new Set(["missing"]));
  const malformed = ["", "Bearer", "Basic eDp5", "Bearer frk_short", `Bearer ${"a".repeat(AUTHORIZATION_LENGTH_MAX)}`];
  expect(await faults(authenticate, ...malformed)).toEqual(new Set(["malformed"]));
  expect(await faults(authenticate, `Bearer ${newKey()}`)).toEqual(new Set(["invalid"]));
  expect(await faults(none, "Bearer a.b.c", `Bearer ${newKey()}`)).toEqual(new Set(["invalid"]));
  expect(faultOf(new Error("another"))).toBeUndefined();
});

test("naughty strings are refused, alone and behind a scheme [G7]", async () => {
  const only = createAuthenticator({ clock, findKey });
  for (const text of big as string[])
    for (const header of [text, `Bearer ${text}`, `Bearer frk_${text}`])
      expect(await codeOf(header, only), header).toBe("UNAUTHENTICATED");
  expect(lookups).toBe(0);
});

test("kinds of credential that were not configured are not taken [D-18]", async () => {
  const none = createAuthenticator({ clock });
  for (const header of [undefined, "Bearer a.b.c", `Bearer ${newKey()}`])
    expect(await codeOf(header, none)).toBe("UNAUTHENTICATED");
});

test("with a fixed tenant silence speaks for it, and a wrong credential is refused all the same [D-18]", async () => {
  const dev = createAuthenticator({ clock, findKey, fixedTenant: tenantId });
  const local = { tenantId, userId: undefined, kind: "service", subject: `local:${tenantId}` };
  expect(await dev(undefined)).toEqual(local);
  for (const header of ["", "Bearer a.b.c", `Bearer ${newKey()}`, "Basic eDp5"])
    expect(await codeOf(header, dev)).toBe("UNAUTHENTICATED");
  expect((await dev(`Bearer ${issue().key}`)).kind).toBe("service");
});

test("a store that cannot answer is not a wrong key, and is asked again [D-18]", async () => {
  let isAway = true;
  const { key } = issue();
  const by = createAuthenticator({
    clock,
    findKey: (text) =>
      isAway
        ? Promise.reject(new FramerailError("STORE_UNAVAILABLE", "the database cannot be reached"))
        : findKey(text),
  });
  expect(await codeOf(`Bearer ${key}`, by)).toBe("STORE_UNAVAILABLE");
  isAway = false;
  expect(await codeOf(`Bearer ${key}`, by)).toBe("taken");
});

test("a key is looked up once while it is fresh, also by many at the same time", async () => {
  const { key } = issue();
  await Promise.all(Array.from({ length: 20 }, () => authenticate(`Bearer ${key}`)));
  clock.pass(KEY_CACHE_MS - 1);
  await authenticate(`Bearer ${key}`);
  expect(lookups).toBe(1);
});

test("a revoked key is refused once KEY_CACHE_MS have passed, and a clock set back does not bring it back [D-18]", async () => {
  const { key } = issue();
  await authenticate(`Bearer ${key}`);
  holders.delete(key);
  clock.pass(KEY_CACHE_MS);
  expect(await codeOf(`Bearer ${key}`)).toBe("UNAUTHENTICATED");
  clock.pass(-KEY_CACHE_MS);
  expect(await codeOf(`Bearer ${key}`)).toBe("UNAUTHENTICATED");
});

test("an answer that took long is as old as its question: whoever comes later asks again [D-18]", async () => {
  const { key } = issue();
  let answer = (): void => undefined;
  gate = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const slow = authenticate(`Bearer ${key}`);
  holders.delete(key);
  clock.pass(KEY_CACHE_MS);
  const later = codeOf(`Bearer ${key}`);
  answer();
  expect((await slow).kind).toBe("service");
  expect(await later).toBe("UNAUTHENTICATED");
  expect(await codeOf(`Bearer ${key}`)).toBe("UNAUTHENTICATED");
});

test("a key that was not found is not remembered", async () => {
  const key = newKey();
  expect(await codeOf(`Bearer ${key}`)).toBe("UNAUTHENTICATED");
  holders.set(key, { orgId: tenantId, keyId: randomUUID(), kind: "service", userId: null });
  expect(await codeOf(`Bearer ${key}`)).toBe("taken");
});

test("strangers' keys fill no queue: too many look-ups at once are refused, known keys are not [G8]", async () => {
  const { key } = issue();
  await authenticate(`Bearer ${key}`);
  let answer = (): void => undefined;
  gate = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const strangers = Array.from({ length: KEY_LOOKUPS_MAX }, () => codeOf(`Bearer ${newKey()}`));
  const refused: unknown = await authenticate(`Bearer ${newKey()}`).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "RATE_LIMITED" });
  expect(retryAfterOf(refused)).toBe(1);
  expect(await codeOf(`Bearer ${key}`)).toBe("taken");
  answer();
  expect(new Set(await Promise.all(strangers))).toEqual(new Set(["UNAUTHENTICATED"]));
  expect(await codeOf(`Bearer ${newKey()}`)).toBe("UNAUTHENTICATED");
});
