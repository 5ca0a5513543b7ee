import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import createFastify from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Listening } from "./server.js";
import { listen } from "./server.js";
import { tellWhenOver } from "./watch-response.js";

const app = () => createFastify({ forceCloseConnections: true });
let server: ReturnType<typeof app>;
let told: [string, number][];
/** The streams that were opened and have not ended. */
let open: ServerResponse[];
let silent: number;

beforeEach(async () => {
  told = [];
  open = [];
  silent = 0;
  server = app();
  server.addHook("onRequest", async (request, reply) => {
    tellWhenOver(request, reply, { request: (route, status) => void told.push([route, status]) });
  });
  server.get("/plain", (_, reply) => reply.code(404).send("nothing"));
  server.get("/stream", (_, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { "content-type": "text/event-stream" });
    reply.raw.write("data: first\n\n");
    open.push(reply.raw);
  });
  server.get("/silent", (_, reply) => {
    reply.hijack();
    silent += 1;
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(() => server.close());

async function ask(...paths: readonly string[]): Promise<Socket> {
  const socket = connect((server.server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(""));
  return socket;
}

test("an answer and a stream that ended are told once each, with their route and status", async () => {
  const socket = await ask("/plain", "/stream");
  await expect.poll(() => open.length).toBe(1);
  for (const stream of open) stream.end();
  await expect
    .poll(() => told)
    .toEqual([
      ["/plain", 404],
      ["/stream", 200],
    ]);
  socket.destroy();
  await once(socket, "close");
  expect(told).toHaveLength(2);
});

test("a stream is told once when its reader leaves, and when it is cut", async () => {
  const reader = await ask("/stream");
  await expect.poll(() => open.length).toBe(1);
  expect(told).toEqual([]);
  reader.destroy();
  await expect.poll(() => told).toEqual([["/stream", 200]]);
  await ask("/stream");
  await expect.poll(() => open.length).toBe(2);
  open[1]?.destroy();
  await expect.poll(() => told).toHaveLength(2);
  // What a writer ends that does not know yet is not told again.
  for (const stream of open) stream.end();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(told).toHaveLength(2);
});

test("streams that wait behind another on their connection are told once when it breaks [L-35]", async () => {
  const socket = await ask(...Array.from({ length: 20 }, () => "/stream"));
  await expect.poll(() => open.length).toBe(20);
  socket.destroy();
  await expect.poll(() => told).toHaveLength(20);
});

test("streams that wait behind another and end in their order leave nothing on their connection [G8]", async () => {
  const socket = await ask(...Array.from({ length: 20 }, () => "/stream"));
  await expect.poll(() => open.length).toBe(20);
  const connection = open[0]?.socket as Socket;
  const before = connection.listenerCount("close");
  for (const stream of open) stream.end();
  await expect.poll(() => told).toHaveLength(20);
  expect(connection.listenerCount("close")).toBeLessThanOrEqual(before - 19);
  socket.destroy();
  await expect.poll(() => connection.destroyed).toBe(true);
  expect(told).toHaveLength(20);
});

test("a request whose caller left before there was an answer has no status, and is not told", async () => {
  const socket = await ask("/silent");
  await expect.poll(() => silent).toBe(1);
  socket.destroy();
  await ask("/plain");
  await expect.poll(() => told).toEqual([["/plain", 404]]);
});

test("the server tells of every request once, also of those that the framework refuses by itself", async () => {
  const refuse = () => {
    throw new Error("no part of this test");
  };
  const gateway = {
    watch: { request: (route: string, status: number) => void told.push([route, status]), refused: () => undefined },
    origins: { corsHeaders: () => ({}), requireAllowed: () => undefined, preflightHeaders: refuse },
    operations: { contract: new Map() },
    clock: { now: () => 0, schedule: () => () => undefined },
  };
  const listening: Listening = await listen(gateway as never, { host: "127.0.0.1", port: 0, version: "0" });
  try {
    for (const path of ["/healthz", "/nothing", "/v1/turns/%zz"])
      await (await fetch(`http://127.0.0.1:${listening.port}${path}`)).text();
    await expect
      .poll(() => told)
      .toEqual([
        ["/healthz", 200],
        ["none", 404],
        ["none", 400],
      ]);
  } finally {
    await listening.close();
  }
});
