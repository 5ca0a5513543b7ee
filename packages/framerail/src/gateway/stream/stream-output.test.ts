import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { giveBlock, takeBlock } from "../../log/block-pool.js";
import { Segment, SegmentWriter } from "../../log/segment.js";
import { READER_BYTES_LOW, READER_BYTES_MAX } from "../limits.js";
import type { StreamOutput } from "./stream-output.js";
import { openOutput } from "./stream-output.js";

const FRAME_LENGTH = 8_192;
/** More than a system takes for a reader that does not read. */
const FRAMES_MAX = 4_096;

function segmentOf(seq: number) {
  const writer = new SegmentWriter();
  writer.write(`id: ${seq}\ndata: ${"x".repeat(FRAME_LENGTH)}\n\n`);
  return writer.cut(seq, seq);
}
const seqsIn = (body: string) => [...body.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));

/** One reader, who reads nothing yet, and the output to it. */
async function openReader(version = "1.1") {
  const server = createServer((_, response) => {
    response.writeHead(200);
    server.emit("opened", response, openOutput(response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const reader = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  reader.write(`GET / HTTP/${version}\r\nhost: x\r\nconnection: close\r\n\r\n`);
  const [response, output] = (await once(server, "opened")) as [ServerResponse, StreamOutput];
  const close = async () => {
    reader.destroy();
    server.close();
    await once(server, "close");
  };
  return { reader, socket: response.socket as Socket, output, [Symbol.asyncDispose]: close };
}

/** Sends until so much waits, and gives the last number. */
async function sendUntil(output: StreamOutput, bytes: number): Promise<number> {
  for (let seq = 1; seq <= FRAMES_MAX; seq += 1) {
    output.segment(segmentOf(seq));
    if (output.waitingBytes >= bytes) return seq;
    // What the system takes it takes at once, or when the loop has turned.
    if (output.waitingBytes > 0) await sleep(1);
  }
  return expect.fail("the system takes everything");
}

test("a reader that takes some of what waits is sent more, before it has taken all of it [G8]", async () => {
  await using opened = await openReader();
  const { reader, output } = opened;
  const last = await sendUntil(output, READER_BYTES_MAX);
  let waiting: number | undefined;
  output.onDrain(() => {
    waiting = output.waitingBytes;
    output.end(() => undefined);
  });
  await sleep(20);
  expect(waiting).toBeUndefined();
  let body = "";
  for await (const bytes of reader.setEncoding("latin1")) body += bytes;
  expect(waiting).toBeGreaterThan(0);
  expect(waiting).toBeLessThanOrEqual(READER_BYTES_LOW);
  expect(seqsIn(body)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  expect(body.endsWith("\r\n0\r\n\r\n")).toBe(true);
});

test("all that is sent comes in its order, frames, signs of life and the end, also while some of it waits [G2]", async () => {
  await using opened = await openReader();
  const { reader, output } = opened;
  const last = await sendUntil(output, READER_BYTES_LOW);
  output.text(": still here\n\n");
  output.segment(segmentOf(last + 1));
  output.text("data: [DONE]\n\n");
  output.end(() => undefined);
  let body = "";
  for await (const bytes of reader.setEncoding("latin1")) body += bytes;
  expect(seqsIn(body)).toEqual(Array.from({ length: last + 1 }, (_, index) => index + 1));
  const tail = body.slice(body.indexOf(": still here"));
  expect(tail).toMatch(
    /^: still here\n\n\r\n[0-9a-f]+\r\nid: \d+\ndata: x+\n\n\r\ne\r\ndata: \[DONE\]\n\n\r\n0\r\n\r\n$/,
  );
});

test("a connection that breaks is closed by the first write that finds it broken, and nothing waits for it any more [G1] [G8]", async () => {
  await using opened = await openReader();
  const { reader, socket, output } = opened;
  const last = await sendUntil(output, READER_BYTES_LOW);
  // Nobody reads what the reader says: only a write can find it gone.
  socket.pause();
  reader.resetAndDestroy();
  await expect
    .poll(() => {
      output.segment(segmentOf(last + 1));
      return socket.destroyed;
    })
    .toBe(true);
  await expect.poll(() => output.waitingBytes).toBe(0);
});

test("a reader that stalls is sent its own frames, also when its turn has let go of them and others write [G7]", async () => {
  // The two ways out: below the queue of a socket, and through the response.
  for (const version of ["1.1", "1.0"]) {
    await using opened = await openReader(version);
    const { reader, output } = opened;
    const sent = [];
    for (let seq = 1; output.waitingBytes < READER_BYTES_MAX; seq += 1) {
      // A size that blocks have, so that what is given back is used again.
      const block = takeBlock(2 * FRAME_LENGTH);
      const frame = `id: ${seq}\ndata: ${"x".repeat(FRAME_LENGTH)}\n\n`;
      const end = block.write(`${frame.length.toString(16).padStart(6, "0")}\r\n${frame}\r\n`);
      const segment = new Segment({ firstSeq: seq, lastSeq: seq, block, start: 0, end });
      output.segment(segment);
      sent.push(segment);
      if (seq > FRAMES_MAX) expect.fail("the system takes everything");
    }
    for (const { block } of sent) giveBlock(block);
    for (const { block } of sent) takeBlock(block.length).fill("z");
    output.end(() => undefined);
    let body = "";
    for await (const bytes of reader.setEncoding("latin1")) body += bytes;
    expect(body.includes("z"), version).toBe(false);
    expect(seqsIn(body), version).toEqual(sent.map(({ firstSeq }) => firstSeq));
  }
});
