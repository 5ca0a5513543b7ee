import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MASKED_LENGTH_MAX } from "./limits.js";
import { MASK, maskSecrets } from "./mask-secrets.js";

const LENGTH = 4_096;
const SECRET = "hunter2-Zq9";
const key = `frk_${randomBytes(32).toString("base64url")}`;
const ticket = randomBytes(32).toString("base64url");
const jwt = [{ alg: "RS256" }, { sub: "u" }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .concat(randomBytes(64).toString("base64url"))
  .join(".");

/** A text, and what must not be left of it. */
const TEXTS: readonly (readonly [string, string])[] = [
  [`401 for Authorization: Bearer ${SECRET}`, SECRET],
  [`{"authorization":"Basic ${SECRET}","x":1}`, SECRET],
  [`{\\"authorization\\":\\"Bearer ${SECRET}\\"}`, SECRET],
  [`used bearer ${SECRET} twice`, SECRET],
  [`cookie: theme={"a":1}; sid=${SECRET}\nnext line`, SECRET],
  [`[ 'set-cookie': 'sid=${SECRET}; Path=/' ]`, SECRET],
  [`no key ${key} here`, key],
  [`GET /v1/turns/1/stream?ticket=${ticket}&after=3`, ticket],
  [`at https://example.org/hook/${ticket}`, ticket],
  [`token ${jwt} has expired`, jwt.slice(0, 30)],
  [`connect postgres://app:${SECRET}@db.internal:5432/app failed`, SECRET],
  [`connect postgres://app:p@ss/${SECRET}@db.internal/app failed`, SECRET],
  [`redis://:${SECRET}@cache:6379`, SECRET],
  [`https://${SECRET}@example.org/x`, SECRET],
  [`host=db password=${SECRET} user=app`, SECRET],
  [`host=db password='${SECRET} and more' user=app`, SECRET],
  [`PGPASSWORD=${SECRET}`, SECRET],
  [`OPENAI_API_KEY=${SECRET}`, SECRET],
  [`{"api_key": "a\\"${SECRET}"}`, SECRET],
  [`{\\"client_secret\\":\\"${SECRET}\\"}`, SECRET],
  [`X-Api-Key: ${SECRET}`, SECRET],
  [`SECRET_KEY=${SECRET} is not set`, SECRET],
  [`{ accessKey: 'AK', secretKey: '${SECRET}' }`, SECRET],
  [`AccountName=app;AccountKey=${SECRET};EndpointSuffix=core`, SECRET],
  [`{"signing-key":"${SECRET}"}`, SECRET],
  [`?access_token=${SECRET}&x=1`, SECRET],
  ["Incorrect API key provided: sk-proj-abcdefghijklmnop1234", "sk-proj-abcdefghijklmnop1234"],
  ["push with ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdefghij"],
  ["AKIAIOSFODNN7EXAMPLE is no user", "AKIAIOSFODNN7EXAMPLE"],
  ["-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\nafter", "MIIEvQ"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIEvQ and no end", "MIIEvQ"],
  // As programs print what they hold.
  [inspect(new URLSearchParams({ password: SECRET })), SECRET],
  [inspect(new Map([["api_key", SECRET]])), SECRET],
  [inspect({ headers: [["x-api-key", SECRET]] }), SECRET],
  [inspect({ rawHeaders: ["authorization", `Token ${SECRET}`] }), SECRET],
  [inspect(["tool", "--token", SECRET]), SECRET],
  [JSON.stringify(JSON.stringify(["token", "password", SECRET])), SECRET],
  [`{"password"=>"${SECRET}"}`, SECRET],
  [`password == "${SECRET}"`, SECRET],
  [`password := "${SECRET}"`, SECRET],
  [`"password" : [ "${SECRET}" ]`, SECRET],
  [`"password": ["a]", "${SECRET}"]`, SECRET],
  [`password=(a)${SECRET} user=app`, SECRET],
  [`{ token: { value: '${SECRET}' } }`, SECRET],
  [`'set-cookie': [\n    'sid=${SECRET}; Path=/'\n  ]`, SECRET],
  [`user[password]=${SECRET}&user[name]=a`, SECRET],
  [`Command failed: tool --token ${SECRET} --verbose`, SECRET],
  [`Command failed: tool --token --password ${SECRET}`, SECRET],
  [`spawn tool -password '${SECRET} and more'`, SECRET],
  [`connect postgres://app:p'${SECRET}@db/app failed`, SECRET],
  [`connect postgres://app:p"${SECRET}@db/app failed`, SECRET],
];

describe("secrets", () => {
  test.each(TEXTS)("no secret is left of %j [G7]", (text, secret) => {
    const masked = maskSecrets(text, LENGTH);
    expect(masked).not.toContain(secret);
    expect(masked).toContain(MASK);
  });

  test("they are found wherever they stand in a longer text, and more than once [G7]", () => {
    const words = fc.array(fc.constantFrom("the turn", "failed", "(", "\n", "at run.ts:3:4", "{", "ok,"), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(words, fc.constantFrom(...TEXTS), words, (before, [text, secret], after) => {
        const around = `${before.join(" ")} ${text}\n${after.join(" ")} ${text}`;
        expect(maskSecrets(around, LENGTH)).not.toContain(secret);
      }),
    );
  });

  test("a secret at the place of the cut does not come out in half [G7]", () => {
    for (const secret of [`postgres://app:${"pq7".repeat(20)}@db/app`, key]) {
      for (let shift = 1; shift < secret.length; shift += 1) {
        const text = `${" ".repeat(MASKED_LENGTH_MAX - shift)}${secret}`;
        expect(maskSecrets(text, MASKED_LENGTH_MAX * 2)).not.toMatch(/pq7|frk_\w/);
        expect(maskSecrets(`${" ".repeat(100 - shift)}${secret}`, 100)).not.toMatch(/pq7|frk_\w/);
      }
    }
  });
});

test("what operators need is left as it is", () => {
  for (const text of [
    "the turn 5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11 of agent assistant failed: DEADLINE_EXCEEDED",
    "msg_5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11",
    "Unexpected token < in JSON at position 0",
    "max_tokens: 512, prompt_tokens=17",
    "    at publishTurn (file:///srv/node_modules/@framerail/protocol/dist/publish/publish-turn.js:120:14)",
    "connect ECONNREFUSED 127.0.0.1:5432",
    "https://example.org/v1/turns?after=12",
    "mail to somebody@example.org",
    'duplicate key value violates unique constraint "turns_pkey"',
    "the agent skill_recommendation_agent wrote skimming_through_receipts",
    "Command failed: tool --max-tokens 512 --token",
    'the fields "agent_id", "message" and "token" are missing',
    '{"url":"https://example.org/v1/turns","mail":"somebody@example.org"}',
  ])
    expect(maskSecrets(text, LENGTH)).toBe(text);
});

test("a text is cut at its maximum, and the cut is shown [G8]", () => {
  expect(maskSecrets("x".repeat(50), 20)).toBe(`${"x".repeat(19)}…`);
  expect(maskSecrets("x".repeat(20), 20)).toBe("x".repeat(20));
});

test("no text, however long and however mean, takes long [G8]", () => {
  for (const part of [
    "a",
    "password",
    "://",
    "://:",
    "://a:",
    "-----BEGIN A-----",
    "authorization",
    "Bearer ",
    "token\"'\\",
    "[password]",
    "password=[",
    "password=['",
    "password =>  ",
    "--token ",
    "--token",
    "--token -",
    "'token',",
    "'token' , '",
    "'-",
    '://a:"',
    "skill_",
    "eyJ",
    "aA1-",
    '"',
    "\\",
  ]) {
    const text = part.repeat(1_000_000 / part.length);
    const before = process.cpuUsage();
    maskSecrets(text, LENGTH);
    expect(process.cpuUsage(before).user / 1_000, part).toBeLessThan(1_000);
  }
});
