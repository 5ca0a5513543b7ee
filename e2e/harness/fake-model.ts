// A provider of chat completions, on a real socket, for agents of other processes. What it is asked is what it plays: the
// last user message may hold `say N words`, `every MS ms`, `call TOOL first`, `then fail`, `then cut`.
// It keeps a log of its own: when a request came, when it was over, and whether the caller closed it.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface ModelCallLog {
  readonly at: number;
  /** The last user message. */
  readonly asked: string;
  /** All of them, as they were sent. */
  readonly said: readonly AskedMessage[];
  words: number;
  endedAt: number | undefined;
  end: "done" | "closed_by_caller" | "failed" | undefined;
}

export interface FakeModel {
  readonly url: string;
  readonly calls: readonly ModelCallLog[];
  /** Those whose last user message holds the text. */
  callsOf(text: string): readonly ModelCallLog[];
  close(): Promise<void>;
}

interface AskedMessage {
  readonly role: string;
  readonly content: unknown;
}

export async function startFakeModel(): Promise<FakeModel> {
  const calls: ModelCallLog[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, calls).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await new Promise<void>((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    callsOf: (text) => calls.filter(({ asked }) => asked.includes(text)),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, calls: ModelCallLog[]): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { messages: AskedMessage[] };
  const asked = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? "");
  const afterTool = messages.at(-1)?.role === "tool";
  const log: ModelCallLog = {
    at: performance.now(),
    asked,
    said: messages,
    words: 0,
    endedAt: undefined,
    end: undefined,
  };
  calls.push(log);
  const closed = new AbortController();
  response.on("close", () => {
    log.endedAt ??= performance.now();
    log.end ??= "closed_by_caller";
    closed.abort();
  });
  const finish = (end: ModelCallLog["end"]) => {
    log.endedAt = performance.now();
    log.end = end;
  };
  if (asked.includes("fail at once")) {
    finish("failed");
    response.writeHead(500, { "content-type": "application/json" }).end('{"error":{"message":"canary-model-error"}}');
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, rest: object = {}) =>
    void response.write(
      `data: ${JSON.stringify({ id: "c", created: 1, choices: [{ index: 0, delta, ...rest }] })}\n\n`,
    );
  const usage = { prompt_tokens: 10, completion_tokens: log.words, total_tokens: 10 };
  const [, tool] = /call (\w+) first/.exec(asked) ?? [];
  if (tool !== undefined && !afterTool) {
    const call = { index: 0, id: `call_${calls.length}`, type: "function", function: { name: tool, arguments: "{}" } };
    send({ role: "assistant", tool_calls: [call] });
    send({}, { finish_reason: "tool_calls" });
  } else {
    const words = Number(/say (\d+) words/.exec(asked)?.[1] ?? 5);
    const ms = Number(/every (\d+) ms/.exec(asked)?.[1] ?? 0);
    for (let word = 1; word <= words && !closed.signal.aborted; word += 1) {
      send({ content: `w${word} ` });
      log.words = word;
      if (ms > 0) await sleep(ms, undefined, { signal: closed.signal }).catch(() => undefined);
    }
    if (closed.signal.aborted) return;
    if (asked.includes("then cut")) {
      finish("failed");
      response.destroy();
      return;
    }
    send({}, { finish_reason: "stop" });
  }
  response.write(`data: ${JSON.stringify({ id: "c", created: 1, choices: [], usage })}\n\n`);
  finish("done");
  response.end("data: [DONE]\n\n");
}
