// The process of the server: plain HTTP that sends prepared answers, as fast as they are read or one event at a time.
// `POST /<wire>/<pieces>/<pace>/…`: whatever follows is the reader's own business. Asked by its
// parent, it tells its port.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { answerParent } from "../gateway/child.js";
import { encodeAnswer, type Wire } from "./answers.js";
import type { Pace } from "./asked.js";

/** What is written at once where everything is there already. */
const WRITE_BYTES = 16_384;
/** Between two events that are sent one by one: longer than a reader takes for one. */
const EVENT_MS = 1;

const CONTENT_TYPES: Readonly<Record<Wire, string>> = {
  sse: "text/event-stream",
  ndjson: "application/x-ndjson",
  "ai-sdk": "text/event-stream",
};

const answers = new Map<string, Promise<readonly Buffer[]>>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, wire, pieces, pace] = (request.url ?? "").split("/") as [string, Wire, string, Pace];
  const key = `${wire} ${pieces} ${pace}`;
  const made = answers.get(key) ?? encodeAnswer(wire, Number(pieces)).then((events) => cut(events, pace));
  answers.set(key, made);
  const parts = await made;
  request.resume();
  response.writeHead(200, {
    "content-type": CONTENT_TYPES[wire],
    "framerail-turn-id": "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11",
  });
  response.socket?.setNoDelay(true);
  for (const part of parts) {
    if (!response.write(part)) await new Promise<void>((resolve) => void response.once("drain", resolve));
    if (pace === "one_by_one") await sleep(EVENT_MS);
  }
  response.end();
}

function cut(events: readonly Buffer[], pace: Pace): readonly Buffer[] {
  if (pace === "one_by_one") return events;
  const all = Buffer.concat(events);
  const parts: Buffer[] = [];
  for (let from = 0; from < all.length; from += WRITE_BYTES) parts.push(all.subarray(from, from + WRITE_BYTES));
  return parts;
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1");
const listening = once(server, "listening");

answerParent(async () => {
  await listening;
  return (server.address() as AddressInfo).port;
});
