import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyEmbeddedTemplate } from "../packages/framerail/src/store/testing/open-store.js";
import { beginTurn, call, openSession } from "./harness/caller.js";
import type { Program } from "./harness/program.js";
import { startProgram } from "./harness/program.js";
import { RawConnection } from "./strangers/raw-connection.js";

/** The turn's own end comes after 15 s. */
const WAIT = { timeout: 10_000 };

let folder: string;
let program: Program;
beforeAll(async () => {
  folder = copyEmbeddedTemplate();
  program = await startProgram({ args: ["dev", "--agents", "e2e/agents", "--data", folder, "--port", "0"] });
}, 120_000);
afterAll(async () => {
  await program.kill();
  rmSync(folder, { recursive: true, force: true });
});

const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(`${program.url}${path}`, { method: "POST", body, headers });
const get = (path: string, headers: Record<string, string> = {}) => call(`${program.url}${path}`, { headers });
const session = () => openSession(program.url, "story");
const ask = (line: string, fields: readonly string[] = []) =>
  [line, `host: 127.0.0.1:${program.port}`, ...fields, "", ""].join("\r\n");

interface Operation {
  readonly responses: object;
  readonly parameters: readonly { readonly name: string }[];
}

test("readers that wait behind another on their connection leave with it [D-9] [G5] [G8]", async () => {
  const body = { message: "count 300 every 50", on_disconnect: { action: "cancel", grace_ms: 0 } };
  const turnId = await beginTurn(program.url, await session(), body);
  const connection = await RawConnection.open(program.port);
  connection.send(ask(`GET /v1/turns/${turnId}/stream HTTP/1.1`).repeat(5));
  const openReaders = async () => /readers_open\{transport="sse"\} (\d+)/.exec((await get("/metrics")).text)?.[1];
  await expect.poll(openReaders, WAIT).toBe("5");
  connection.close();
  await expect.poll(openReaders, WAIT).toBe("0");
  const turn = async () => (await get(`/v1/turns/${turnId}`)).json;
  await expect.poll(turn, WAIT).toMatchObject({ status: "ended", outcome: { kind: "cancelled" } });
});

test("an Accept that names no form of ours is refused before anything begins [L-35]", async () => {
  const id = await session();
  for (const accept of ["constructor", "__proto__"]) {
    const { status } = await post(`/v1/sessions/${id}/turns`, { message: "count 1 every 1" }, { accept });
    expect(status, accept).toBe(400);
  }
  const { json } = await get(`/v1/sessions/${id}`);
  expect((await get(`/v1/conversations/${json.conversation_id}/messages`)).json).toEqual([]);
});

test("a time that is longer than any timer is no time that is over [L-35]", async () => {
  const body = { message: "count 3 every 20", limits: { time_ms: 3_000_000_000 } };
  const { text, status } = await post(`/v1/sessions/${await session()}/turns`, body);
  // Refused, or as good as none; but not over at once.
  if (status === 200) expect(text).not.toContain('"has_more":true');
  else expect(status).toBe(400);
});

test("what a caller got wrong is told to it as such, and is no failure of ours [L-35] [D-13]", async () => {
  const id = await session();
  const said = { message: "count 1 every 1" };
  expect.soft((await post("/v1/sessions/nonsense/turns", said)).status).toBe(404);
  expect.soft((await post(`/v1/sessions/${id}/turns`, { ...said, episode_id: "a\0b" })).status).toBe(400);
  expect.soft((await get("/v1/usage?agent_id=a%00b")).status).toBe(400);
  expect.soft((await get("/v1/usage?from=999999999999999")).status).toBe(400);
  expect.soft((await get("/v1/usage?from=-271821-04-20")).status).toBe(400);
  expect.soft(program.log()).toBe("");
});

test("a reader who takes a stream among other things gets one", async () => {
  const turnId = await beginTurn(program.url, await session(), { message: "count 1 every 1" });
  for (const accept of ["application/json, text/event-stream", "application/json, text/plain, */*"]) {
    expect.soft((await get(`/v1/turns/${turnId}/stream`, { accept })).status, accept).toBe(200);
  }
  const { headers } = await get(`/v1/turns/${turnId}/stream`, { accept: "text/event-stream;q=0, */*" });
  expect.soft(headers["content-type"]).toContain("application/x-ndjson");
});

test("a cancel that says that it would be JSON, and has no body, cancels [G5]", async () => {
  const turnId = await beginTurn(program.url, await session(), { message: "count 300 every 50" });
  const { status } = await post(`/v1/turns/${turnId}/cancel`, undefined, { "content-type": "application/json" });
  expect(status).toBe(200);
});

test("a ticket that was used replays nothing from the start [D-18]", async () => {
  const turnId = await beginTurn(program.url, await session(), { message: "count 1 every 1" });
  const { url } = (await post(`/v1/turns/${turnId}/ticket`)).json as { url: string };
  expect((await get(url)).status).toBe(200);
  expect.soft((await get(url)).status).toBe(401);
  expect.soft((await get(url, { "last-event-id": "" })).status, "an empty header").toBe(401);
  expect.soft((await get(`${url}&after=0`)).status, "after=0").toBe(401);
});

test("what the document says of a message that is sent is what is answered", async () => {
  const id = await session();
  const headers = { "idempotency-key": "k" };
  const { text } = await post(`/v1/sessions/${id}/turns`, { message: "count 1 every 1" }, headers);
  const last = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
  const again = await post(
    `/v1/sessions/${id}/turns`,
    { message: "count 1 every 1" },
    { ...headers, "last-event-id": last },
  );
  const { json } = await get("/openapi.json");
  const { paths } = json as { readonly paths: Record<string, { readonly post: Operation }> };
  const { responses, parameters } = paths["/v1/sessions/{id}/turns"]?.post ?? expect.fail("the route is not described");
  expect.soft(Object.keys(responses)).toContain(String(again.status));
  expect.soft(parameters.map(({ name }) => name)).toContain("Last-Event-ID");
});
