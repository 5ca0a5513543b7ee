// An agent service in somebody else's hands: a real HTTP server whose answers a test writes byte by byte. It remembers
// what it was asked and when its caller went away.

import { EventEmitter, once } from "node:events";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Call {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Resolves when the caller's socket is closed. */
  readonly closed: Promise<void>;
  readonly response: ServerResponse;
}

export interface FakeUpstream extends AsyncDisposable {
  readonly url: string;
  readonly calls: Call[];
  /** The next call, or the one that has come already. */
  called(): Promise<Call>;
}

export async function startFakeUpstream(answer: (call: Call) => void): Promise<FakeUpstream> {
  const calls: Call[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => {
    const closed = new Promise<void>((resolve) => request.socket.once("close", () => resolve()));
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", headers } = request;
      const call = { method, headers, body: Buffer.concat(chunks).toString(), closed, response };
      calls.push(call);
      answer(call);
      arrivals.emit("call");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`,
    calls,
    async called() {
      while (calls[0] === undefined) await once(arrivals, "call");
      return calls[0];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export type LineEnd = "\n" | "\r\n" | "\r";

export const SSE_TYPE = { "content-type": "text/event-stream; charset=utf-8" };
export const NDJSON_TYPE = { "content-type": "application/x-ndjson" };

export function sse(events: readonly object[], lineEnd: LineEnd = "\n"): string {
  return events.map((event) => `data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`).join("");
}

export function ndjson(events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

/** Answers with these events as SSE and closes cleanly. */
export function answerSse(events: readonly object[], lineEnd: LineEnd = "\n"): (call: Call) => void {
  return ({ response }) => void response.writeHead(200, SSE_TYPE).end(sse(events, lineEnd));
}
