import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { copyEmbeddedTemplate } from "../packages/framerail/src/store/testing/open-store.js";
import { beginTurn, call, open, openSession, readBody } from "./harness/caller.js";
import type { Program } from "./harness/program.js";
import { startProgram } from "./harness/program.js";
import { readSse } from "./harness/sse-reader.js";
import { RawConnection } from "./strangers/raw-connection.js";
import { startTlsFront } from "./strangers/tls-front.js";

let folder: string;
let program: Program;
const connections: RawConnection[] = [];
beforeAll(async () => {
  folder = copyEmbeddedTemplate();
  program = await startProgram({ args: ["dev", "--agents", "e2e/agents", "--data", folder, "--port", "0"] });
}, 120_000);
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.close();
  expect(await call(`${program.url}/healthz`)).toMatchObject({ status: 200, json: { status: "ok" } });
  expect(program.log()).toBe("");
});
afterAll(async () => {
  await program.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function connect(): Promise<RawConnection> {
  const connection = await RawConnection.open(program.port);
  connections.push(connection);
  return connection;
}
const begin = async (message: string) =>
  beginTurn(program.url, await openSession(program.url, "story"), { message, on_disconnect: { action: "continue" } });
/** A request by hand; `fields` are whole lines. */
const ask = (line: string, fields: readonly string[] = [], body = "") =>
  [line, `host: 127.0.0.1:${program.port}`, ...fields, "", body].join("\r\n");
const stream = (turnId: string, version = "HTTP/1.1") => ask(`GET /v1/turns/${turnId}/stream ${version}`);
const seqsOf = (body: string) =>
  readSse(body)
    .events.filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => JSON.parse(data).seq as number);
const upTo = (count: number, first = 1) => Array.from({ length: count - first + 1 }, (_, index) => first + index);
/** A turn that counts to N has N + 2 frames: its begin, the words, its end. */
const framesOf = (body: string) => {
  expect(body.endsWith("data: [DONE]\n\n")).toBe(true);
  return seqsOf(body);
};

describe("a stream on a connection", () => {
  test("of HTTP/1.0 has no chunks and ends with its connection [D-17]", async () => {
    const turnId = await begin("count 10 every 20");
    const connection = await connect();
    connection.send(stream(turnId, "HTTP/1.0"));
    const { status, body, length } = await connection.next();
    expect({ status, length }).toEqual({ status: 200, length: "close" });
    expect(framesOf(body)).toEqual(upTo(12));
  });

  test("gives the connection back when it has ended, again and again", async () => {
    const turnId = await begin("count 3 every 1");
    const connection = await connect();
    for (let round = 0; round < 15; round += 1) {
      connection.send(stream(turnId));
      const { body, length } = await connection.next();
      expect(length).toBe("chunks");
      expect(framesOf(body)).toEqual(upTo(5));
      connection.send(ask("GET /healthz HTTP/1.1"));
      expect((await connection.next()).body).toBe('{"status":"ok"}');
    }
  });

  test("is not disturbed by requests that come behind it, and they are answered after it, in order [D-17] [W-FR-14]", async () => {
    const turnId = await begin("count 30 every 20");
    const connection = await connect();
    // Together, and one that comes while the first is being answered.
    connection.send(stream(turnId) + stream(turnId) + ask("GET /healthz HTTP/1.1"));
    await sleep(150);
    connection.send(stream(turnId));
    for (const kind of ["stream", "stream", "health", "stream"]) {
      const { status, body } = await connection.next();
      expect(status).toBe(200);
      if (kind === "health") expect(body).toBe('{"status":"ok"}');
      else expect(framesOf(body)).toEqual(upTo(32));
    }
  });

  test("is cut, and nothing is written into it, when what comes behind it is no request [G1]", async () => {
    const turnId = await begin("count 50 every 20");
    const connection = await connect();
    connection.send(stream(turnId));
    await sleep(150);
    connection.send("\x16\x03\x01 this is no request\r\n\r\n");
    const received = await connection.rest();
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(received).not.toContain("[DONE]");
  });

  test("through TLS in front of the server is the same stream [W-FR-14] [W-FR-9c]", async () => {
    await using front = await startTlsFront(program.port);
    const turnId = await begin("count 20 every 20");
    const { body, status } = await front.get(`/v1/turns/${turnId}/stream`);
    expect(status).toBe(200);
    expect(framesOf(body)).toEqual(upTo(22));
  });

  test("is one of a thousand that come back at once, each from its own place [G2] [G3] [G8]", async () => {
    const turnId = await begin("count 100 every 20");
    await expect.poll(async () => (await call(`${program.url}/v1/turns/${turnId}`)).json.last_seq).toBeGreaterThan(20);
    const read = async (index: number) => {
      const after = index % 20;
      const response = await open(`${program.url}/v1/turns/${turnId}/stream?after=${after}`);
      const { text, complete } = await readBody(response);
      return { after, complete, seqs: framesOf(text) };
    };
    const readers = await Promise.all(Array.from({ length: 1_000 }, (_, index) => read(index)));
    for (const { after, complete, seqs } of readers) {
      expect(complete).toBe(true);
      expect(seqs).toEqual(upTo(102, after + 1));
    }
  }, 120_000);
});

describe("what is no request", () => {
  const refusals: Readonly<Record<string, readonly [() => string, number, string]>> = {
    "a method that nobody knows": [() => ask("FOO /healthz HTTP/1.1"), 400, "INVALID_ARGUMENT"],
    "a method that the path does not have": [() => ask("PATCH /v1/sessions HTTP/1.1"), 404, "NOT_FOUND"],
    "options without an origin": [() => ask("OPTIONS /v1/sessions HTTP/1.1"), 404, "NOT_FOUND"],
    "a head of more than 16 KB": [
      () => ask("GET /healthz HTTP/1.1", [`x: ${"y".repeat(20_000)}`]),
      431,
      "INPUT_TOO_LARGE",
    ],
    "a head of a megabyte": [() => ask("GET /healthz HTTP/1.1", [`x: ${"y".repeat(1e6)}`]), 431, "INPUT_TOO_LARGE"],
    "thousands of headers": [
      () =>
        ask(
          "GET /healthz HTTP/1.1",
          Array.from({ length: 3_000 }, (_, index) => `x${index}: y`),
        ),
      431,
      "INPUT_TOO_LARGE",
    ],
    "a path of 3 KB": [() => ask(`GET /v1/turns/${"y".repeat(3_000)} HTTP/1.1`), 404, "NOT_FOUND"],
    "a path that is not UTF-8": [() => ask("GET /v1/turns/%ff/stream HTTP/1.1"), 400, "INVALID_ARGUMENT"],
    "a request without a host": [() => "GET /healthz HTTP/1.1\r\n\r\n", 400, "INVALID_ARGUMENT"],
    "the greeting of TLS": [() => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "INVALID_ARGUMENT"],
    "the greeting of HTTP/2": [() => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "INVALID_ARGUMENT"],
    "two lengths": [
      () => ask("POST /v1/sessions HTTP/1.1", ["content-length: 1", "content-length: 2"], "{}"),
      400,
      "INVALID_ARGUMENT",
    ],
    "a length and chunks": [
      () => ask("POST /v1/sessions HTTP/1.1", ["content-length: 5", "transfer-encoding: chunked"], "0\r\n\r\n"),
      400,
      "INVALID_ARGUMENT",
    ],
    "a body that is not as it says": [
      () =>
        ask("POST /v1/sessions HTTP/1.1", ["content-type: application/json", "transfer-encoding: chunked"], "zz\r\n"),
      400,
      "INVALID_ARGUMENT",
    ],
    "a line break in a path": [() => ask("GET /v1/turns/%0d%0aset-cookie:%20canary/stream HTTP/1.1"), 404, "NOT_FOUND"],
    "a line break in a header": [
      () => ask("GET /healthz HTTP/1.1", ["last-event-id: 1\rset-cookie: canary"]),
      400,
      "INVALID_ARGUMENT",
    ],
    "a header over two lines": [
      () => ask("GET /healthz HTTP/1.1", ["last-event-id: 1", " set-cookie: canary"]),
      400,
      "INVALID_ARGUMENT",
    ],
    "a NUL in a header": [() => ask("GET /healthz HTTP/1.1", ["last-event-id: 1\0canary"]), 400, "INVALID_ARGUMENT"],
  };
  test.each(Object.entries(refusals))(
    "such as %s is answered with a problem and nothing of its own [G7]",
    async (_name, [bytes, status, code]) => {
      const connection = await connect();
      connection.send(bytes());
      const answer = await connection.next();
      expect({ status: answer.status, code: JSON.parse(answer.body).code }).toEqual({ status, code });
      expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      expect(JSON.stringify([...answer.headers, answer.body])).not.toMatch(/canary|yyy|FST_/);
    },
  );

  test("in the values of a good one is refused, and comes back in no header [G7] [D-2]", async () => {
    const turnId = await begin("count 1 every 1");
    const session = await openSession(program.url, "story");
    const post = (key: string) =>
      ask(
        `POST /v1/sessions/${session}/turns HTTP/1.1`,
        ["content-type: application/json", `idempotency-key: ${key}`, "content-length: 15"],
        '{"message":"x"}',
      );
    const bad = [
      ask(`GET /v1/turns/${turnId}/stream?after=1%0d%0aset-cookie:%20canary HTTP/1.1`),
      ask(`GET /v1/turns/${turnId}/stream?after=1&after=2 HTTP/1.1`),
      ask(`GET /v1/turns/${turnId}/stream HTTP/1.1`, ["last-event-id: 1%0d%0aset-cookie: canary"]),
      ask(`GET /v1/turns/${turnId}/stream HTTP/1.1`, ["last-event-id: 1\x85\xa0canary"]),
      post("a%0d%0aset-cookie: canary"),
      post("a\x85canary"),
      post("a\tcanary"),
    ];
    const connection = await connect();
    for (const request of bad) {
      connection.send(request);
      const { status, headers, body } = await connection.next();
      expect({ status, code: JSON.parse(body).code }, request).toEqual({ status: 400, code: "INVALID_ARGUMENT" });
      expect(JSON.stringify([...headers, body])).not.toContain("canary");
    }
  });

  test("behind a good one that is still being answered gets no answer of its own [G1]", async () => {
    const session = await openSession(program.url, "story");
    const connection = await connect();
    const body = '{"message":"count 2 every 1"}';
    const fields = ["content-type: application/json", `content-length: ${body.length}`, "accept: application/json"];
    connection.send(`${ask(`POST /v1/sessions/${session}/turns HTTP/1.1`, fields, body)}\0\0\0\r\n\r\n`);
    expect(await connection.rest()).not.toMatch(/^HTTP\/1\.1 4/);
  });

  test("or takes too long to become one is told so and cut [G8]", async () => {
    const silent = await connect();
    const slow = await connect();
    slow.send("GET /healthz HTTP/1.1\r\nhost: ");
    const at = performance.now();
    const answer = await slow.next();
    expect(answer).toMatchObject({ status: 408 });
    expect(performance.now() - at).toBeLessThan(20_000);
    expect(JSON.parse(answer.body)).toMatchObject({ status: 408, code: "DEADLINE_EXCEEDED" });
    await Promise.all([slow.rest(), silent.rest()]);
    expect(performance.now() - at).toBeLessThan(30_000);
  });
});

describe("a request of another kind", () => {
  test("such as HEAD is answered as GET is, without a body, and opens no stream", async () => {
    const connection = await connect();
    connection.send(ask("HEAD /healthz HTTP/1.1"));
    const health = await connection.next({ hasBody: false });
    expect(health).toMatchObject({ status: 200 });
    expect(health.headers.get("content-length")).toBe("15");
    connection.send(ask(`HEAD /v1/turns/${await begin("count 1 every 1")}/stream HTTP/1.1`));
    expect(await connection.next({ hasBody: false })).toMatchObject({ status: 404 });
    connection.send(ask("GET /healthz HTTP/1.1"));
    expect((await connection.next()).body).toBe('{"status":"ok"}');
  });

  test("such as a browser's question before the request is answered for pages that are let in [D-18]", async () => {
    const connection = await connect();
    const asks = (origin: string) =>
      ask("OPTIONS /v1/sessions HTTP/1.1", [`origin: ${origin}`, "access-control-request-method: POST"]);
    connection.send(asks(`http://localhost:${program.port}`));
    const { status, headers } = await connection.next();
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-methods")).toContain("POST");
    connection.send(asks("https://evil.example"));
    const refused = await connection.next();
    expect(refused.status).toBe(403);
    expect(refused.headers.has("access-control-allow-origin")).toBe(false);
  });
});
