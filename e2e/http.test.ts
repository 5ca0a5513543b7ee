import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginTurn, call, open, openSession, readBody } from "./harness/caller.js";
import type { FakeModel } from "./harness/fake-model.js";
import { startFakeModel } from "./harness/fake-model.js";
import type { Program } from "./harness/program.js";
import { startProgram } from "./harness/program.js";
import { readSse } from "./harness/sse-reader.js";

let folder: string;
let model: FakeModel;
let program: Program;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "framerail-e2e-"));
  model = await startFakeModel();
  program = await startProgram({
    args: ["dev", "--agents", "e2e/agents", "--registry", "examples/registry", "--data", folder, "--port", "0"],
    env: { FAKE_MODEL_URL: model.url },
  });
}, 60_000);
afterAll(async () => {
  await program.kill();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(`${program.url}${path}`, { method: "POST", body, headers });
const get = (path: string, headers: Record<string, string> = {}) => call(`${program.url}${path}`, { headers });
const framesOf = (text: string) =>
  readSse(text)
    .events.filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => JSON.parse(data));

describe("a message over HTTP", () => {
  test("is answered by a stream of frames that ends with one terminal and the sentinel [W-FR-1] [W-FR-2] [W-FR-9a] [W-FR-9c] [W-AC-4]", async () => {
    const session = await openSession(program.url, "assistant");
    const { status, headers, text } = await post(`/v1/sessions/${session}/turns`, { message: "say 3 words" });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      location: `/v1/turns/${headers["framerail-turn-id"]}`,
    });
    expect(headers["content-encoding"]).toBeUndefined();
    expect(text.startsWith(": ok\n\nretry: 1000\n\n")).toBe(true);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    const frames = framesOf(text);
    expect(frames.map(({ event_type }) => event_type)).toEqual([
      "response_id",
      "thinking",
      "text",
      "text",
      "text",
      "usage",
      "completed",
    ]);
    expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const { events } = readSse(text);
    for (const [index, { id, event }] of events.slice(0, -1).entries()) {
      expect(id).toBe(`${headers["framerail-turn-id"]}.1.${index + 1}`);
      expect(event).toBe(frames[index].event_type);
    }
  });

  test("is in the history with its answer when the end was told [G4]", async () => {
    const session = await openSession(program.url, "assistant");
    const { headers } = await post(`/v1/sessions/${session}/turns`, { message: "say 3 words" });
    const turn = (await get(`/v1/turns/${headers["framerail-turn-id"]}`)).json;
    expect(turn).toMatchObject({
      status: "ended",
      outcome: { kind: "completed", has_more: false },
      last_seq: 7,
      message: { role: "assistant", content_items: [{ type: "message", content: "w1 w2 w3 " }] },
    });
    const { text } = await get(`/v1/conversations/${turn.conversation_id}/messages`);
    expect(JSON.parse(text)).toMatchObject([{ role: "user" }, { role: "assistant", incomplete: false }]);
  });

  test("that is sent again with its key is the same turn, and with another body is refused", async () => {
    const session = await openSession(program.url, "assistant");
    const key = { "idempotency-key": randomUUID() };
    const send = (message: string) => post(`/v1/sessions/${session}/turns`, { message }, key);
    const [first, second] = [await send("say 3 words"), await send("say 3 words")];
    expect(second.headers["framerail-turn-id"]).toBe(first.headers["framerail-turn-id"]);
    expect(second.text).toBe(first.text);
    expect(await send("say 4 words")).toMatchObject({ status: 422, json: { code: "KEY_REUSED" } });
  });

  test("while another is answered is refused with 409 [D-20]", async () => {
    const session = await openSession(program.url, "story");
    const turn = await beginTurn(program.url, session, { message: "count 50 every 20" });
    expect(await post(`/v1/sessions/${session}/turns`, { message: "x" })).toMatchObject({
      status: 409,
      json: { code: "TURN_RUNNING" },
    });
    await post(`/v1/turns/${turn}/cancel`, undefined);
  });
});

describe("a reader", () => {
  test("goes on after any frame, on both transports, with the same bytes [G3] [D-2] [D-7]", async () => {
    const session = await openSession(program.url, "story");
    const { headers, text } = await post(`/v1/sessions/${session}/turns`, { message: "count 5 every 1" });
    const turn = headers["framerail-turn-id"];
    const whole = text.slice(text.indexOf("id: "));
    for (let seq = 0; seq < 7; seq += 1) {
      const id = seq === 0 ? "0" : `${turn}.1.${seq}`;
      const { text: rest } = await get(`/v1/turns/${turn}/stream`, { "last-event-id": id });
      expect(rest.slice(rest.indexOf("id: "))).toBe(whole.slice(whole.indexOf(`id: ${turn}.1.${seq + 1}\n`)));
      const lines = (await get(`/v1/turns/${turn}/stream?after=${seq}`, { accept: "application/x-ndjson" })).text;
      expect(lines).toBe(
        framesOf(text)
          .slice(seq)
          .map((frame) => `${JSON.stringify(frame)}\n`)
          .join(""),
      );
    }
    expect((await get(`/v1/turns/${turn}/stream?after=7`)).status).toBe(204);
    expect((await get(`/v1/turns/${turn}/stream`, { "last-event-id": `${turn}.1.7` })).status).toBe(204);
  });

  test("with a cursor that names nothing is told so, and nothing changes [D-2]", async () => {
    const session = await openSession(program.url, "story");
    const { headers } = await post(`/v1/sessions/${session}/turns`, { message: "count 2 every 1" });
    const turn = headers["framerail-turn-id"];
    const status = async (after: string) => (await get(`/v1/turns/${turn}/stream?after=${after}`)).status;
    expect(await status("8")).toBe(410);
    expect(await status(`${turn}.2.2`)).toBe(410);
    expect(await status(`${turn}.1.99`)).toBe(410);
    expect(await status(`${randomUUID()}.1.1`)).toBe(404);
    for (const after of ["", "x", "-1", "1.5", `${turn}.1`, `${turn}.1.1.1`]) expect(await status(after)).toBe(400);
    expect((await get(`/v1/turns/${randomUUID()}/stream`)).status).toBe(404);
    expect((await get(`/v1/turns/nonsense/stream`)).status).toBe(404);
  });

  test("of an older version is served in its words, and one of no version is refused [D-8] [W-FR-12]", async () => {
    const session = await openSession(program.url, "story");
    const path = `/v1/sessions/${session}/turns`;
    const { text } = await post(path, { message: "count 1 every 1" }, { "framerail-version": "0.4" });
    expect(framesOf(text).every(({ version }) => version === "0.4")).toBe(true);
    expect(await post(path, { message: "x" }, { "framerail-version": "0.6" })).toMatchObject({ status: 400 });
  });
});

describe("a cancel", () => {
  test("ends the turn at once, closes the model's request within 250 ms and answers with the ended turn [G5] [G11] [W-CAN-6] [W-FR-13]", async () => {
    const session = await openSession(program.url, "assistant");
    const name = randomUUID();
    const turn = await beginTurn(program.url, session, { message: `${name}: say 1000 words every 20 ms` });
    const reader = open(`${program.url}/v1/turns/${turn}/stream`).then((response) => readBody(response));
    await expect.poll(() => model.callsOf(name)[0]?.words ?? 0).toBeGreaterThan(3);
    const at = performance.now();
    const { status, json } = await post(`/v1/turns/${turn}/cancel`, undefined);
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: "ended", outcome: { kind: "cancelled", code: "REQUEST_CANCELLED" } });
    const [asked] = model.callsOf(name);
    expect(asked).toMatchObject({ end: "closed_by_caller" });
    expect((asked?.endedAt ?? 0) - at).toBeLessThan(250);
    expect(framesOf((await reader).text).at(-1)).toMatchObject({
      event_type: "cancelled",
      error: { code: "REQUEST_CANCELLED" },
    });
    expect((await post(`/v1/turns/${turn}/cancel`, undefined)).json).toEqual(json);
  });

  test("comes from a caller who leaves, after the grace it asked for, and not from one who wants the turn to go on [D-9] [W-CAN-1] [W-AC-6]", async () => {
    const leave = async (onDisconnect: object) => {
      const session = await openSession(program.url, "assistant");
      const name = randomUUID();
      const leaving = new AbortController();
      const response = await open(`${program.url}/v1/sessions/${session}/turns`, {
        method: "POST",
        body: { message: `${name}: say 40 words every 20 ms`, on_disconnect: onDisconnect },
        signal: leaving.signal,
      });
      await once(response, "data");
      await expect.poll(() => model.callsOf(name)[0]?.words ?? 0).toBeGreaterThan(3);
      const at = performance.now();
      leaving.abort();
      const turn = response.headers["framerail-turn-id"];
      await expect.poll(async () => (await get(`/v1/turns/${turn}`)).json.status, { timeout: 5_000 }).toBe("ended");
      const { json } = await get(`/v1/turns/${turn}`);
      return { outcome: json.outcome, closedMs: (model.callsOf(name)[0]?.endedAt ?? 0) - at };
    };
    const gone = await leave({ action: "cancel", grace_ms: 0 });
    expect(gone.outcome).toMatchObject({ kind: "cancelled", code: "REQUEST_CANCELLED" });
    expect(gone.closedMs).toBeLessThan(250);
    const later = await leave({ action: "cancel", grace_ms: 300 });
    expect(later.outcome).toMatchObject({ kind: "cancelled" });
    expect(later.closedMs).toBeGreaterThan(250);
    expect((await leave({ action: "continue" })).outcome).toMatchObject({ kind: "completed" });
  });
});

describe("what is no request", () => {
  test("gets a problem document, no stream, and changes nothing [L-35]", async () => {
    const session = await openSession(program.url, "story");
    const path = `/v1/sessions/${session}/turns`;
    const bad: [unknown, Record<string, string>, number, string][] = [
      ["{", { "content-type": "application/json" }, 400, "MALFORMED_JSON"],
      ['{"message":"x","__proto__":{"a":1}}', { "content-type": "application/json" }, 400, "MALFORMED_JSON"],
      [Buffer.from([0x7b, 0xff, 0x7d]), { "content-type": "application/json" }, 400, "MALFORMED_JSON"],
      ["message=x", { "content-type": "application/x-www-form-urlencoded" }, 400, "INVALID_ARGUMENT"],
      [{}, {}, 400, "INVALID_ARGUMENT"],
      [{ message: 1 }, {}, 400, "INVALID_ARGUMENT"],
      [{ message: "" }, {}, 400, "INVALID_ARGUMENT"],
      [{ message: "x", on_disconect: {} }, {}, 400, "INVALID_ARGUMENT"],
      [{ message: "x", on_disconnect: { action: "explode" } }, {}, 400, "INVALID_ARGUMENT"],
      [{ message: "x", on_disconnect: { action: "cancel", grace_ms: 1e12 } }, {}, 400, "INVALID_ARGUMENT"],
      [{ message: "x".repeat(300_000) }, {}, 400, "INVALID_ARGUMENT"],
      [{ message: "x".repeat(2_000_000) }, {}, 413, "INPUT_TOO_LARGE"],
      [{ message: "x" }, { "idempotency-key": "a b" }, 400, "INVALID_ARGUMENT"],
      [{ message: "x" }, { accept: "image/png" }, 400, "INVALID_ARGUMENT"],
      [{ message: "x" }, { origin: "https://evil.example" }, 403, "FORBIDDEN"],
      [{ message: "x" }, { "sec-fetch-site": "cross-site" }, 403, "FORBIDDEN"],
      [{ message: "x" }, { host: "evil.example" }, 403, "FORBIDDEN"],
      [{ message: "x" }, { authorization: "Bearer frk_wrong" }, 401, "UNAUTHENTICATED"],
    ];
    for (const [body, headers, status, code] of bad) {
      const answer = await post(path, body, headers);
      expect({ status: answer.status, code: answer.json.code }, JSON.stringify([headers, code])).toEqual({
        status,
        code,
      });
      expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
    }
    const { json } = await get(`/v1/sessions/${session}`);
    expect((await get(`/v1/conversations/${json.conversation_id}/messages`)).text).toBe("[]");
  });
});

describe("the program", () => {
  test("tells how it is, what it speaks and what it has counted", async () => {
    expect((await get("/healthz")).json).toEqual({ status: "ok" });
    expect((await get("/readyz")).json).toEqual({ status: "ready" });
    const { json } = await get("/openapi.json");
    expect(Object.keys(json.paths as unknown as object)).toContain("/v1/sessions/{id}/turns");
    expect((await get("/asyncapi.json")).json).toHaveProperty("asyncapi");
    expect((await get("/schemas/frames-0.5.json")).status).toBe(200);
    expect((await get("/metrics")).text).toContain("stream_events_emitted_total");
  });

  test("that is told to stop lets a turn end, tells its readers, and ends with 0 [D-19]", async () => {
    const data = mkdtempSync(join(tmpdir(), "framerail-e2e-"));
    await using other = await startProgram({
      args: ["dev", "--agents", "e2e/agents", "--data", data, "--port", "0"],
      env: { FAKE_MODEL_URL: model.url },
    });
    const session = await openSession(other.url, "story");
    const response = await open(`${other.url}/v1/sessions/${session}/turns`, {
      method: "POST",
      body: { message: "count 30 every 20" },
    });
    const reading = readBody(response);
    await sleep(100);
    const ended = other.stop();
    await sleep(50);
    expect(await call(`${other.url}/v1/sessions`, { method: "POST", body: { agent_id: "story" } })).toMatchObject({
      status: 201,
    });
    const { text } = await reading;
    expect(framesOf(text).at(-1)).toMatchObject({ event_type: "completed" });
    expect(await ended).toBe(0);
    rmSync(data, { recursive: true, force: true });
  });
});
