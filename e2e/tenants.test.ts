import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IdentityProvider } from "../packages/framerail/src/gateway/auth/testing/identity-provider.js";
import { startIdentityProvider } from "../packages/framerail/src/gateway/auth/testing/identity-provider.js";
import { findPort } from "../packages/framerail/src/store/testing/find-port.js";
import { createPostgresDatabase } from "../packages/framerail/src/store/testing/open-store.js";
import { beginTurn, call, openSession } from "./harness/caller.js";
import type { Program } from "./harness/program.js";
import { startProgram } from "./harness/program.js";

const BIN = join(import.meta.dirname, "../packages/framerail/bin/framerail.js");
const [ISSUER, AUDIENCE] = ["https://id.example", "framerail"];
const [TENANT_A, TENANT_B] = [randomUUID(), randomUUID()];

let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
let provider: IdentityProvider;
let program: Program;
let metricsPort: number;
let data: string;
let service: string;

const framerail = (...args: string[]) =>
  spawnSync(process.execPath, [BIN, ...args], {
    encoding: "utf8",
    env: { ...process.env, DATABASE_URL: database.url },
  });

beforeAll(async () => {
  database = await createPostgresDatabase();
  provider = await startIdentityProvider();
  await provider.addKey("ES256", "k1");
  metricsPort = await findPort();
  data = mkdtempSync(join(tmpdir(), "framerail-tenants-"));
  service = framerail("key", "create", "--tenant", TENANT_A, "--name", "backend").stdout.trim();
  program = await startProgram({
    args: ["serve", "--agents", "e2e/agents", "--data", data, "--port", "0", "--metrics-port", String(metricsPort)],
    env: {
      DATABASE_URL: database.url,
      FRAMERAIL_JWKS_URL: provider.url.href,
      FRAMERAIL_JWT_ISSUER: ISSUER,
      FRAMERAIL_JWT_AUDIENCE: AUDIENCE,
    },
  });
}, 120_000);
afterAll(async () => {
  await program?.kill();
  await provider.close();
  await database.drop();
  rmSync(data, { recursive: true, force: true });
});

const tokenOf = (tenant: string, user: string) => {
  const now = Math.floor(Date.now() / 1000);
  return provider.sign("k1", { iss: ISSUER, aud: AUDIENCE, sub: user, tenant_id: tenant, iat: now, exp: now + 600 });
};
const as = async (tenant: string, user: string) => ({ authorization: `Bearer ${await tokenOf(tenant, user)}` });

describe("a server for many tenants", () => {
  test("shows a turn to its user and to a service of its tenant, and to nobody else [D-12] [D-13] [D-18]", async () => {
    const owner = await as(TENANT_A, "ann");
    const session = await openSession(program.url, "story", { headers: owner });
    const turn = await beginTurn(program.url, session, { message: "count 200 every 20" }, { headers: owner });
    const conversation = (await call(`${program.url}/v1/sessions/${session}`, { headers: owner })).json.conversation_id;
    const routes: [string, string][] = [
      ["GET", `/v1/sessions/${session}`],
      ["GET", `/v1/turns/${turn}`],
      ["GET", `/v1/turns/${turn}/stream?after=1`],
      ["POST", `/v1/turns/${turn}/ticket`],
      ["POST", `/v1/turns/${turn}/cancel`],
      ["GET", `/v1/conversations/${conversation}/messages`],
      ["DELETE", `/v1/sessions/${session}`],
    ];
    const strangers = [await as(TENANT_A, "bob"), await as(TENANT_B, "ann")];
    for (const headers of strangers)
      for (const [method, path] of routes)
        expect((await call(`${program.url}${path}`, { method, headers })).status, `${method} ${path}`).toBe(404);
    for (const [method, path] of routes) {
      const nobody = await call(`${program.url}${path}`, { method });
      expect(nobody.status).toBe(401);
      expect(nobody.headers["www-authenticate"]).toMatch(/^Bearer/);
    }
    const mine = await call(`${program.url}/v1/turns/${turn}`, { headers: owner });
    expect(mine.json.status).toBe("running");
    const headers = { authorization: `Bearer ${service}` };
    expect((await call(`${program.url}/v1/turns/${turn}/cancel`, { method: "POST", headers })).json).toMatchObject({
      outcome: { kind: "cancelled" },
    });
  });

  test("lets a service name users, and a user only itself [D-18]", async () => {
    const open = async (headers: Record<string, string>, user_id?: string) =>
      (
        await call(`${program.url}/v1/sessions`, {
          method: "POST",
          headers,
          body: { agent_id: "story", ...(user_id && { user_id }) },
        })
      ).status;
    const key = { authorization: `Bearer ${service}` };
    expect(await open(key, "carl")).toBe(201);
    expect(await open(key)).toBe(400);
    expect(await open(await as(TENANT_A, "ann"), "ann")).toBe(201);
    expect(await open(await as(TENANT_A, "ann"), "bob")).toBe(403);
    expect((await call(`${program.url}/v1/usage`, { headers: await as(TENANT_A, "ann") })).status).toBe(403);
    expect((await call(`${program.url}/v1/usage`, { headers: key })).status).toBe(200);
  });

  test("lets a ticket read one turn, and nothing else [D-18]", async () => {
    const owner = await as(TENANT_A, "ann");
    const session = await openSession(program.url, "story", { headers: owner });
    const turn = await beginTurn(program.url, session, { message: "count 3 every 1" }, { headers: owner });
    const issued = await call(`${program.url}/v1/turns/${turn}/ticket`, { method: "POST", headers: owner });
    const url = `${program.url}${issued.json.url}`;
    expect((await call(url)).text).toContain("event: completed");
    expect((await call(url)).status).toBe(401);
    expect((await call(`${url}&after=2`)).text).toContain("event: completed");
    const ticket = issued.json.ticket;
    expect((await call(`${program.url}/v1/turns/${turn}?ticket=${ticket}`)).status).toBe(401);
    expect((await call(`${program.url}/v1/turns/${randomUUID()}/stream?ticket=${ticket}&after=1`)).status).toBe(401);
  });

  test("refuses a key that was revoked, within seconds [D-18]", async () => {
    const { stdout } = framerail("key", "create", "--tenant", TENANT_A, "--name", "short", "--json");
    const { key, key_id } = JSON.parse(stdout);
    const ask = async () =>
      (await call(`${program.url}/v1/agents`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await ask()).toBe(200);
    expect(framerail("key", "revoke", key_id, "--tenant", TENANT_A).status).toBe(0);
    await expect.poll(ask, { timeout: 10_000, interval: 500 }).toBe(401);
  });

  test("counts what it streams, with the labels there are and no others, on an address of its own [W-MET-1] [W-MET-3] [W-MET-4] [W-MET-9] [W-MET-10] [W-MET-11] [C-32]", async () => {
    const owner = await as(TENANT_B, "zoe");
    const read = async () => {
      const { text } = await call(`http://127.0.0.1:${metricsPort}/metrics`);
      const sum = (name: string, label = "") =>
        [...text.matchAll(new RegExp(`^${name}\\{([^}]*)\\} (\\S+)$`, "gm"))]
          .filter(([, labels]) => labels?.includes(label) && labels.includes('sub_agent_id="story"'))
          .reduce((total, [, , value]) => total + Number(value), 0);
      return { text, sum };
    };
    const before = await read();
    const session = await openSession(program.url, "story", { headers: owner });
    const sent = await call(`${program.url}/v1/sessions/${session}/turns`, {
      method: "POST",
      headers: owner,
      body: { message: "count 7 every 1" },
    });
    expect(sent.status).toBe(200);
    const turn = await beginTurn(program.url, session, { message: "count 500 every 20" }, { headers: owner });
    await call(`${program.url}/v1/turns/${turn}/cancel`, { method: "POST", headers: owner });
    const after = await read();
    const grew = (name: string, label?: string) => after.sum(name, label) - before.sum(name, label);
    expect(grew("stream_events_emitted_total", 'event_type="completed"')).toBe(1);
    expect(grew("stream_events_emitted_total", 'event_type="cancelled"')).toBe(1);
    expect(grew("stream_events_emitted_total", 'event_type="text"')).toBeGreaterThanOrEqual(7);
    expect(grew("stream_rendering_policy_applied_total", 'policy="forward"')).toBeGreaterThanOrEqual(7);
    expect(grew("stream_terminal_frame_emitted_total", 'type="completed"')).toBe(1);
    expect(grew("stream_terminal_frame_emitted_total", 'type="cancelled"')).toBe(1);
    expect(grew("stream_turn_cancelled_total", 'trigger="REQUEST_CANCELLED"')).toBe(1);
    expect(grew("stream_ttfe_seconds_count")).toBe(2);
    for (const secret of [TENANT_A, TENANT_B, session, turn, "zoe", "ann"]) expect(after.text).not.toContain(secret);
    expect((await call(`${program.url}/metrics`, { headers: owner })).status).toBe(404);
  });

  test("does not start when nobody could come in, and says what to do [D-18]", async () => {
    const empty = await createPostgresDatabase();
    const args = ["serve", "--agents", "e2e/agents", "--data", join(data, "other"), "--port", "0"];
    const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], {
      encoding: "utf8",
      env: { ...process.env, DATABASE_URL: empty.url },
      cwd: join(import.meta.dirname, ".."),
    });
    await empty.drop();
    expect(status).toBe(1);
    expect(stderr).toContain("framerail key create");
  });
});
