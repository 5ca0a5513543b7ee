import type { ServerResponse } from "node:http";
import { setImmediate as tick } from "node:timers/promises";
import { isFramerailError } from "@framerail/protocol";
import type { JWTVerifyGetKey } from "jose";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HandClock } from "../../dispatch/testing/turn-bench.js";
import { handClock } from "../../dispatch/testing/turn-bench.js";
import { createKeySet } from "./key-set.js";
import {
  JWKS_BYTES_MAX,
  JWKS_COOLDOWN_MS,
  JWKS_FRESH_MS,
  JWKS_RETRY_MS,
  JWKS_STALE_MS_MAX,
  JWKS_TIMEOUT_MS,
} from "./limits.js";
import type { IdentityProvider } from "./testing/identity-provider.js";
import { startIdentityProvider } from "./testing/identity-provider.js";

let provider: IdentityProvider;
let clock: HandClock;
let keys: JWTVerifyGetKey;
let failures: unknown[];
beforeEach(async () => {
  provider = await startIdentityProvider();
  await provider.addKey("ES256", "first");
  clock = handClock();
  failures = [];
  keys = createKeySet({ url: provider.url, clock, onFailure: (error) => failures.push(error) });
});
afterEach(() => provider.close());

/** What becomes of a token that names this key. */
async function find(kid: string): Promise<string> {
  try {
    await keys({ alg: "ES256", kid }, { payload: "", signature: "" });
    return "found";
  } catch (error) {
    return isFramerailError(error) ? error.code : (error as { code: string }).code;
  }
}

const away = (response: ServerResponse) => void response.destroy();
const UNKNOWN = "ERR_JWKS_NO_MATCHING_KEY";

test("many who need the keys at the same time cause one fetch, and later ones none while it is fresh [G8]", async () => {
  expect(await Promise.all(Array.from({ length: 20 }, () => find("first")))).toEqual(Array(20).fill("found"));
  clock.pass(JWKS_FRESH_MS - 1);
  expect(await find("first")).toBe("found");
  expect(provider.fetches).toBe(1);
  expect(clock.waiting).toBe(0);
});

test("a key that was withdrawn is refused once the set is fetched again", async () => {
  await provider.addKey("ES256", "second");
  expect(await find("first")).toBe("found");
  provider.withdrawKey("first");
  clock.pass(JWKS_FRESH_MS);
  expect(await find("first")).toBe(UNKNOWN);
});

test("a new key is fetched when a token names it, and unknown ones cause no more than one fetch per cooldown [G8]", async () => {
  expect(await find("first")).toBe("found");
  await provider.addKey("ES256", "second");
  for (let tries = 0; tries < 5; tries += 1) expect(await find("second")).toBe(UNKNOWN);
  expect(provider.fetches).toBe(1);
  clock.pass(JWKS_COOLDOWN_MS);
  expect(await find("second")).toBe("found");
  for (let tries = 0; tries < 5; tries += 1) expect(await find(`stranger ${tries}`)).toBe(UNKNOWN);
  expect(provider.fetches).toBe(2);
});

test("while the keys cannot be fetched the last ones serve, until they are too old [G8]", async () => {
  expect(await find("first")).toBe("found");
  provider.answerWith(away);
  for (let age = JWKS_FRESH_MS; age < JWKS_STALE_MS_MAX; age += JWKS_FRESH_MS) {
    clock.pass(JWKS_FRESH_MS);
    expect(await find("first")).toBe("found");
  }
  clock.pass(JWKS_FRESH_MS);
  expect(await find("first")).toBe("UPSTREAM_FAILED");
  expect(failures.length).toBeGreaterThan(1);
  provider.answerWith(undefined);
  clock.pass(JWKS_RETRY_MS);
  expect(await find("first")).toBe("found");
});

test("a provider that is gone altogether leaves its last keys to serve", async () => {
  expect(await find("first")).toBe("found");
  await provider.close();
  clock.pass(JWKS_FRESH_MS);
  expect(await find("first")).toBe("found");
  provider = await startIdentityProvider();
});

test("a provider that does not answer is waited for once, and not again while it is silent [G8]", async () => {
  expect(await find("first")).toBe("found");
  provider.answerWith(() => undefined);
  clock.pass(JWKS_FRESH_MS);
  const asked = provider.nextFetch();
  const waits = find("first");
  await asked;
  clock.pass(JWKS_TIMEOUT_MS);
  expect(await waits).toBe("found");
  expect(failures).toMatchObject([{ code: "DEADLINE_EXCEEDED" }]);
  clock.pass(JWKS_RETRY_MS);
  const askedAgain = provider.nextFetch();
  expect(await find("first")).toBe("found");
  await askedAgain;
  clock.pass(JWKS_TIMEOUT_MS);
  while (failures.length < 2) await tick();
});

test("before there were keys nobody comes in, and a failed fetch is not repeated for everybody [G8]", async () => {
  provider.answerWith(away);
  for (let tries = 0; tries < 5; tries += 1) expect(await find("first")).toBe("UPSTREAM_FAILED");
  expect(provider.fetches).toBe(1);
  provider.answerWith(undefined);
  clock.pass(JWKS_RETRY_MS);
  expect(await find("first")).toBe("found");
});

test.each<[string, (response: ServerResponse) => void]>([
  ["an error", (response) => response.writeHead(500).end("{}")],
  ["a redirect", (response) => response.writeHead(302, { location: provider.url.href }).end()],
  ["no JSON", (response) => response.end("<html>")],
  ["no key set", (response) => response.end('{"keys":1}')],
  ["too much", (response) => response.end(JSON.stringify({ keys: [], more: "x".repeat(JWKS_BYTES_MAX) }))],
  [
    "half an answer",
    (response) => void response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy()),
  ],
])("a provider that answers with %s has given no keys, and operators hear of it", async (_name, answer) => {
  provider.answerWith(answer);
  expect(await find("first")).toBe("UPSTREAM_FAILED");
  expect(provider.fetches).toBe(1);
  expect(failures).toHaveLength(1);
});
