import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createClient } from "./index.js";
import type { ClientReport } from "./turn-connection.js";

const close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of close.splice(0)) await one();
});

async function listen(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  close.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const TURN = "3f0c";
const timestamp = "2026-05-15T18:00:00.000Z";
const CHUNKS = ["Grüße ", "aus ", "Köln ", "🧭"];
const FRAMES = [
  { event_type: "response_id" },
  ...CHUNKS.map((chunk) => ({ event_type: "text", chunk })),
  { event_type: "completed" },
].map((frame, index) => ({ ...frame, version: "0.5", timestamp, response_id: TURN, seq: index + 1 }));
const events = FRAMES.map(
  (frame) => `id: ${TURN}.1.${frame.seq}\nevent: ${frame.event_type}\ndata: ${JSON.stringify(frame)}\n\n`,
);

test("over real sockets a turn is read to its end, through a reset in the middle of a character [G1, G3]", async () => {
  const seen: string[] = [];
  const url = await listen((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers["last-event-id"] ?? ""}`);
    request.resume();
    if (request.url === "/v1/sessions") {
      response.writeHead(201, { "content-type": "application/json" });
      response.end(JSON.stringify({ session_id: "s", conversation_id: "c", agent_id: "a" }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "framerail-turn-id": TURN });
    const after = Number((request.headers["last-event-id"] as string | undefined)?.split(".").at(-1) ?? 0);
    const bytes = Buffer.from(`: ok\n\nretry: 60\n\n${events.slice(after).join("")}data: [DONE]\n\n`);
    if (request.method === "GET") {
      response.end(bytes);
      return;
    }
    const middle = bytes.indexOf("ü") + 1;
    response.write(bytes.subarray(0, middle), () => setTimeout(() => response.destroy(), 20));
  });
  const reports: ClientReport[] = [];
  const client = createClient({ url, onReport: (report) => reports.push(report) });
  const turn = client.session({ agentId: "a" }).send("hello");
  const frames: unknown[] = [];
  for await (const frame of turn) frames.push(frame);
  expect(frames).toEqual(FRAMES);
  expect(await turn.text).toBe(CHUNKS.join(""));
  expect(seen).toEqual([
    "POST /v1/sessions ",
    "POST /v1/sessions/s/turns ",
    `GET /v1/turns/${TURN}/stream ${TURN}.1.1`,
  ]);
  expect(reports).toMatchObject([{ kind: "cut", attempt: 1 }, { kind: "resumed" }]);
  expect((reports[0] as { retryInMs: number }).retryInMs).toBeLessThanOrEqual(60);
});

test("a reader that leaves closes its socket", async () => {
  let left: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    left = resolve;
  });
  const url = await listen((request, response) => {
    request.resume();
    response.on("close", left);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(events[0]);
  });
  const turn = createClient({ url }).turn(TURN);
  for await (const frame of turn) if (frame.event_type === "response_id") turn.detach();
  await closed;
  await expect(turn.outcome).rejects.toMatchObject({ code: "CANCELLED" });
});
