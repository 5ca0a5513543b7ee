import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { formatTimestamp, systemClock } from "@framerail/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { handClock } from "../../dispatch/testing/turn-bench.js";
import type { EncodedFrame } from "../../log/frame-sink.js";
import { openJournal } from "../../log/memory/journal-file.js";
import { createMemoryLog } from "../../log/memory/memory-log.js";
import type { TurnAppender, TurnLog } from "../../log/turn-log.js";
import { DRAIN_MS_MAX, HEARTBEAT_MS } from "../limits.js";
import { openOutput } from "./stream-output.js";
import { TurnStream } from "./turn-stream.js";
import { wireFormat } from "./wire-format.js";

const TURN = randomUUID();
const OPENING = ": ok\n\nretry: 1000\n\n";
const DONE = "data: [DONE]\n\n";
const frame = (seq: number, type = "text", payload: object = { chunk: `piece ${seq} é` }): EncodedFrame => {
  const envelope = { event_type: type, version: "0.5", timestamp: formatTimestamp(seq), response_id: TURN, seq };
  const sse = `id: ${TURN}.1.${seq}\nevent: ${type}\ndata: ${JSON.stringify({ ...envelope, ...payload })}\n\n`;
  return { seq, type: "text", sse };
};
const sseOf = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => frame(first + index).sse).join("");

let folder: string;
let log: TurnLog;
let appender: TurnAppender;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "framerail-stream-"));
  log = createMemoryLog({ journal: openJournal(folder, () => undefined) });
  appender = log.open({ orgId: randomUUID(), turnId: TURN, epoch: 1 });
});
afterEach(async () => {
  await log.close();
  rmSync(folder, { recursive: true });
});
const append = (first: number, last: number) => {
  for (let seq = first; seq <= last; seq += 1) appender.append(frame(seq));
};

/** A real server whose every answer is a stream of the turn. */
async function serve(
  options: { clock?: typeof systemClock; transport?: "sse" | "ndjson"; version?: "0.5" | "0.4" } = {},
) {
  const ends: string[] = [];
  const streams: TurnStream[] = [];
  const format = wireFormat(options.transport ?? "sse", options.version ?? "0.5");
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const view = (await log.attach(TURN)) ?? expect.fail("no turn");
    response.writeHead(200, { "content-type": format.contentType });
    const stream = new TurnStream({
      view,
      afterSeq: Number(new URL(incoming.url ?? "", "http://x").searchParams.get("after") ?? 0),
      output: openOutput(response),
      format,
      clock: options.clock ?? systemClock,
      readBack: (afterSeq) => view.readBack(afterSeq),
      onEnd: (how) => ends.push(how),
    });
    streams.push(stream);
    response.on("close", () => stream.close());
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = (after = 0) => `http://127.0.0.1:${port}/?after=${after}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url, port, ends, streams, close, [Symbol.asyncDispose]: close };
}

async function get(url: string): Promise<IncomingMessage> {
  const asked = request(url).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response;
}
const until = async (holds: () => boolean) => {
  for (let round = 0; round < 2_000 && !holds(); round += 1) await sleep(2);
  expect(holds()).toBe(true);
};

describe("a reader of a turn", () => {
  test("gets every frame from its cursor, live and replayed, then the sentinel and a clean end [G2] [G3] [W-FR-9c]", async () => {
    await using server = await serve();
    append(1, 3);
    const early = get(server.url()).then(readAll);
    await sleep(20);
    append(4, 9);
    const middle = get(server.url(2)).then(readAll);
    await sleep(20);
    append(10, 10);
    await appender.seal(frame(11));
    const late = await readAll(await get(server.url(7)));
    expect(await early).toBe(`${OPENING}${sseOf(1, 11)}${DONE}`);
    expect(await middle).toBe(`${OPENING}${sseOf(3, 11)}${DONE}`);
    expect(late).toBe(`${OPENING}${sseOf(8, 11)}${DONE}`);
    expect(server.ends).toEqual(["ended", "ended", "ended"]);
  });

  test("gets the same over HTTP/1.0 and beside a pipelined request, through the response [D-17]", async () => {
    await using server = await serve();
    append(1, 2);
    await appender.seal(frame(3));
    const raw = async (ask: string) => {
      const socket = connect(server.port, "127.0.0.1");
      socket.write(ask);
      return readAll(socket);
    };
    const old = await raw("GET / HTTP/1.0\r\nhost: x\r\n\r\n");
    expect(old.slice(old.indexOf("\r\n\r\n") + 4)).toBe(`${OPENING}${sseOf(1, 3)}${DONE}`);
    expect(old).not.toMatch(/transfer-encoding/i);
    const two = await raw(
      "GET / HTTP/1.1\r\nhost: x\r\n\r\nGET /?after=2 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    );
    const [, first = "", second = ""] = two.split("HTTP/1.1 200 OK");
    for (const [part, from] of [
      [first, 1],
      [second, 3],
    ] as const) {
      const body = part.slice(part.indexOf("\r\n\r\n") + 4).replace(/^[0-9a-f]+\r\n|\r\n[0-9a-f]+\r\n(?:\r\n)?/g, "");
      expect(body).toBe(`${OPENING}${sseOf(from, 3)}${DONE}`);
    }
  });

  test("reads lines that are byte-equal to the data of the frames, with no sentinel [D-7]", async () => {
    await using server = await serve({ transport: "ndjson" });
    append(1, 3);
    await appender.seal(frame(4));
    const lines = (await readAll(await get(server.url(1)))).split("\n");
    expect(lines).toEqual([...[2, 3, 4].map((seq) => /data: (.*)/.exec(frame(seq).sse)?.[1]), ""]);
  });

  test("of version 0.4 gets its own words, without status [D-8] [W-RB-3]", async () => {
    await using server = await serve({ version: "0.4" });
    appender.append(frame(1, "response_id", {}));
    appender.append(frame(2, "status", { data: { event_id: "searching", message: "Searching" } }));
    appender.append(frame(3, "text", { chunk: "Hi" }));
    await appender.seal(frame(4, "cancelled", { error: { code: "IDLE_TIMEOUT" } }));
    const body = await readAll(await get(server.url()));
    const events = [...body.matchAll(/^id: \S+\.(\d+)\nevent: (\w+)\ndata: (.*)$/gm)].map(([, seq, type, data]) => [
      seq,
      type,
      JSON.parse(data ?? ""),
    ]);
    expect(events).toMatchObject([
      ["1", "response_id", { version: "0.4" }],
      ["3", "text", { version: "0.4", type: "chunk", chunk: "Hi" }],
      ["4", "error", { version: "0.4", error: { code: "IDLE_TIMEOUT" }, is_final: true }],
    ]);
    expect(body.endsWith(DONE)).toBe(true);
  });

  test("is shown a sign of life between frames, and none while frames come [W-FR-1]", async () => {
    const clock = handClock();
    await using server = await serve({ clock });
    append(1, 1);
    const response = await get(server.url());
    let body = "";
    response.on("data", (piece: Buffer) => (body += piece.toString("utf8")));
    await until(() => body.includes("piece 1"));
    clock.pass(HEARTBEAT_MS - 1);
    append(2, 2);
    await until(() => body.includes("piece 2"));
    clock.pass(HEARTBEAT_MS - 1);
    await sleep(10);
    expect(body).toBe(`${OPENING}${sseOf(1, 2)}`);
    clock.pass(1);
    await until(() => body.endsWith(": \n\n"));
    clock.pass(HEARTBEAT_MS);
    await until(() => body.endsWith(": \n\n: \n\n"));
    await appender.seal(frame(3));
    await until(() => body.endsWith(DONE));
  });

  test("that takes nothing is given no more, and is cut with nobody waiting for it [G8]", async () => {
    const clock = handClock();
    await using server = await serve({ clock });
    const stalled = connect(server.port, "127.0.0.1");
    stalled.pause();
    stalled.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    append(1, 1);
    await until(() => server.streams.length === 1);
    const quick = get(server.url()).then(readAll);
    const chunk = "x".repeat(20_000);
    for (let seq = 2; seq <= 800; seq += 1) {
      appender.append(frame(seq, "text", { chunk }));
      await appender.ready();
      if (seq % 10 === 0) await sleep(0);
    }
    const held = server.streams[0]?.seq ?? 0;
    expect(held).toBeLessThan(800);
    await appender.seal(frame(801));
    expect((await quick).endsWith(DONE)).toBe(true);
    clock.pass(DRAIN_MS_MAX);
    await until(() => server.ends.includes("slow"));
    stalled.resume();
    const cut = await readAll(stalled).catch(() => "reset");
    expect(cut.endsWith(DONE)).toBe(false);
    const rest = await readAll(await get(server.url(held)));
    expect(rest.startsWith(`${OPENING}id: ${TURN}.1.${held + 1}\n`)).toBe(true);
    expect(rest.endsWith(DONE)).toBe(true);
  });

  test("that leaves takes its watcher and its timers with it", async () => {
    const clock = handClock();
    await using server = await serve({ clock });
    append(1, 1);
    const response = await get(server.url());
    await until(() => clock.waiting === 1);
    response.destroy();
    await until(() => clock.waiting === 0);
    append(2, 2);
    await sleep(10);
    expect(server.streams[0]?.seq).toBe(1);
  });
});
