import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { createByteRefusal } from "./refuse-bytes.js";

const GOOD = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
const BAD = "\0\0\0\r\n\r\n";
const REFUSED = /^HTTP\/1\.1 400 Bad Request\r\ncontent-type: application\/problem\+json\r\n/;

async function serve(listener: RequestListener) {
  const bytes = createByteRefusal(systemClock);
  const server = createServer({ maxHeaderSize: 1_000 }, listener);
  server.on("clientError", (error, socket) => bytes.refuse(error, socket as Socket));
  bytes.watch(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    async connect() {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
      await once(socket, "connect");
      let received = "";
      socket.setEncoding("latin1").on("data", (text: string) => (received += text));
      // A connection that was cut may be reset.
      const closed = new Promise<string>((resolve) => {
        socket.on("error", () => undefined);
        socket.on("close", () => resolve(received));
      });
      return { socket, closed };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("bytes that are no request are told so and their connection ends, first or after answers that are finished", async () => {
  await using server = await serve((_request, response) => void response.end("fine"));
  const first = await server.connect();
  first.socket.write(BAD);
  expect(await first.closed).toMatch(REFUSED);
  const later = await server.connect();
  later.socket.write(GOOD);
  const [answer] = (await once(later.socket, "data")) as [string];
  expect(answer).toMatch(/fine$/);
  later.socket.write(BAD);
  expect((await later.closed).slice(answer.length)).toMatch(REFUSED);
});

test("nothing is written into an answer that is under way, nor before one that is due [G1]", async () => {
  await using server = await serve((_request, response) => void response.write("some"));
  const under = await server.connect();
  under.socket.write(GOOD);
  const [answer] = (await once(under.socket, "data")) as [string];
  under.socket.write(BAD);
  expect(await under.closed).toBe(answer);
  await using slow = await serve(() => undefined);
  const due = await slow.connect();
  due.socket.write(GOOD + BAD);
  expect(await due.closed).toBe("");
});

test("a request that breaks off in its body gets the answer as its own", async () => {
  await using server = await serve(() => undefined);
  const { socket, closed } = await server.connect();
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n");
  expect(await closed).toMatch(REFUSED);
});

test("a caller who is still sending gets to see why, and is not read for ever [G8]", async () => {
  await using server = await serve(() => undefined);
  const { socket, closed } = await server.connect();
  socket.write(`GET / HTTP/1.1\r\nx: ${"y".repeat(5_000_000)}`);
  expect(await closed).toMatch(/^HTTP\/1\.1 431 .*"code":"INPUT_TOO_LARGE"/s);
});
