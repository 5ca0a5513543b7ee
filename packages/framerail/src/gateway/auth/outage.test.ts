import { expect, test } from "vitest";
import { handClock } from "../../dispatch/testing/turn-bench.js";
import { problemOf } from "../http/problem.js";
import { createJwtVerifier } from "./jwt.js";
import { createKeySet } from "./key-set.js";
import { createOriginCheck } from "./origin.js";
import { startIdentityProvider } from "./testing/identity-provider.js";

test("a good token is not called bad while nobody can tell: the provider is away, and that is said [D-18]", async () => {
  const provider = await startIdentityProvider();
  await provider.addKey("ES256", "k");
  const clock = handClock();
  const now = clock.now() / 1000;
  const claims = { iss: "i", aud: "a", sub: "ann", tenant_id: "00000000-0000-4000-8000-000000000001" };
  const token = await provider.sign("k", { ...claims, iat: now, exp: now + 600 });
  const verify = createJwtVerifier({
    issuer: "i",
    audience: "a",
    keys: createKeySet({ url: provider.url, clock }),
    clock,
  });
  provider.answerWith((response) => void response.destroy());
  const error: unknown = await verify(token).catch((thrown: unknown) => thrown);
  await provider.close();
  expect(problemOf(error).status).toBe(503);
});

test("a page of another origin can read when to come again", () => {
  const check = createOriginCheck({ hosts: "any", origins: ["https://example.org"] });
  expect(check.corsHeaders("https://example.org")["access-control-expose-headers"]).toContain("Retry-After");
});
