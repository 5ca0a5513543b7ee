import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import type { LoggedFrame } from "../../log/frame-sink.js";
import { BACK_LENGTH, READER_BYTES_MAX } from "../limits.js";
import { StoredView } from "./stored-view.js";
import { openOutput } from "./stream-output.js";
import { TurnStream } from "./turn-stream.js";
import { wireFormat } from "./wire-format.js";

const TURN = randomUUID();
const FRAME_LENGTH = 10_000;
const frame = (seq: number): LoggedFrame => ({
  seq,
  sse: `id: ${TURN}.1.${seq}\nevent: text\ndata: ${"x".repeat(FRAME_LENGTH)}\n\n`,
});

/** A server of one ended turn that is read from behind, many frames at a time. */
async function serveStored(stored: ReadonlySet<number>, pageLength: number) {
  const lastSeq = Math.max(...stored);
  const waiting: (() => number)[] = [];
  const ends: string[] = [];
  let pages = 0;
  const frames = async (afterSeq: number) => {
    pages += 1;
    const page: LoggedFrame[] = [];
    for (let seq = afterSeq + 1; seq <= lastSeq && page.length < pageLength; seq += 1)
      if (stored.has(seq)) page.push(frame(seq));
    return page;
  };
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const output = openOutput(response);
    const stream = new TurnStream({
      view: new StoredView({ epoch: 1, lastSeq, frames }),
      afterSeq: 0,
      output,
      format: wireFormat("sse", "0.5"),
      clock: systemClock,
      readBack: frames,
      onEnd: (how) => void ends.push(how),
    });
    response.on("close", () => stream.close());
    waiting.push(() => output.waitingBytes);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const ask = () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    return socket;
  };
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { ask, waiting, ends, pages: () => pages, [Symbol.asyncDispose]: close };
}

const seqsTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const seqsIn = (body: string) => [...body.matchAll(/^id: \S+\.(\d+)$/gm)].map(([, seq]) => Number(seq));

test("a reader that takes nothing has no more waiting for it than its maximum, however much is read at once [G8]", async () => {
  const last = 2_000;
  await using server = await serveStored(new Set(seqsTo(last)), 800);
  const stalled = server.ask();
  stalled.pause();
  await expect.poll(() => server.waiting[0]?.() ?? 0, { timeout: 10_000 }).toBeGreaterThan(READER_BYTES_MAX / 2);
  await sleep(50);
  expect(server.waiting[0]?.()).toBeLessThan(READER_BYTES_MAX + BACK_LENGTH + 2 * FRAME_LENGTH);
  stalled.resume();
  const body = await readAll(stalled);
  expect(seqsIn(body)).toEqual(seqsTo(last));
  expect(server.ends).toEqual(["ended"]);
});

test("a reader that keeps up is sent all that was read, and nothing of it is read again", async () => {
  await using server = await serveStored(new Set(seqsTo(400)), 100);
  expect(seqsIn(await readAll(server.ask()))).toEqual(seqsTo(400));
  expect(server.pages()).toBeLessThan(12);
});

test("a frame that is gone is not stepped over: the reader is cut in front of it [W-NFR-5] [G2]", async () => {
  await using server = await serveStored(new Set(seqsTo(100).filter((seq) => seq !== 60)), 1_000);
  expect(seqsIn(await readAll(server.ask()))).toEqual(seqsTo(59));
  expect(server.ends).toEqual(["dropped"]);
});
