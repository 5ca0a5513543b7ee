import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { handClock } from "../../dispatch/testing/turn-bench.js";
import { createMemoryLog } from "../../log/memory/memory-log.js";
import { DRAIN_MS_MAX, READER_BYTES_MAX } from "../limits.js";
import type { StreamOutput } from "./stream-output.js";
import { openOutput } from "./stream-output.js";
import { TurnStream } from "./turn-stream.js";
import { wireFormat } from "./wire-format.js";

test("a reader that never takes the end of its turn is cut too, and one that does is not waited for [G8]", async () => {
  const turnId = randomUUID();
  const clock = handClock();
  const log = createMemoryLog();
  const turn = log.open({ orgId: randomUUID(), turnId, epoch: 1 });
  const sockets: Socket[] = [];
  const outputs: StreamOutput[] = [];
  const view = (await log.attach(turnId)) ?? expect.fail("no turn");
  const server = createServer((request, response) => {
    sockets.push(request.socket);
    response.writeHead(200);
    const output = openOutput(response);
    outputs.push(output);
    const format = wireFormat("sse", "0.5");
    const readBack = async () => [];
    const onEnd = () => undefined;
    const stream = new TurnStream({ view, afterSeq: 0, output, format, clock, readBack, onEnd });
    response.on("close", () => stream.close());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const ask = () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    return socket;
  };
  const frame = (seq: number) => ({ seq, type: "text" as const, sse: `id: ${seq}\ndata: ${"x".repeat(20_000)}\n\n` });

  const stalled = ask();
  stalled.pause();
  stalled.on("error", () => undefined);
  await expect.poll(() => sockets.length).toBe(1);
  const quick = ask();
  quick.resume();
  await expect.poll(() => sockets.length).toBe(2);
  let seq = 0;
  // Until the system takes no more for the stalled one: what is left is less than it may have waiting.
  while (outputs[0]?.waitingBytes === 0) {
    seq += 1;
    turn.append(frame(seq));
    await sleep(1);
  }
  expect(outputs[0]?.waitingBytes).toBeLessThan(READER_BYTES_MAX / 2);
  await turn.seal(frame(seq + 1));
  await expect.poll(() => clock.waiting).toBe(1);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  clock.pass(DRAIN_MS_MAX);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  expect(clock.waiting).toBe(0);
  quick.destroy();
  stalled.destroy();
  server.close();
  await once(server, "close");
  await log.close();
});
