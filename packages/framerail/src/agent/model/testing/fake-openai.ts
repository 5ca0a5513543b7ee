// A provider of chat completions on a real socket: answers each request with what the test laid out for its model, and
// keeps a diary of what the client did.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3 } from "@ai-sdk/provider";

export interface FakeAnswer {
  readonly status?: number;
  /** Chunks of the stream: objects are sent as `data:` lines, strings as they are. */
  readonly chunks?: readonly (object | string)[];
  /** `done` ends as the protocol says, `cut` destroys the socket, `end` ends without the sentinel; `hang` does nothing. */
  readonly end?: "done" | "cut" | "end" | "hang";
  /** Sends nothing at all, not even headers. */
  readonly silent?: boolean;
  readonly error?: object;
}

export interface FakeRequest {
  readonly model: string;
  readonly body: { readonly messages: readonly unknown[]; readonly tools?: readonly unknown[] };
  readonly socket: Socket;
  /** Resolves with the time (performance.now) at which the client closed an answer that was not at its end. */
  readonly closedByClient: Promise<number>;
}

export interface FakeOpenAi {
  readonly requests: FakeRequest[];
  model(id: string): LanguageModelV3;
  answer(model: string, answer: FakeAnswer): void;
  /** Resolves when so many requests have come. */
  whenRequested(count: number): Promise<void>;
  /** Sockets that are open now, also those that the client's pool keeps for later. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export async function startFakeOpenAi(): Promise<FakeOpenAi> {
  const answers = new Map<string, FakeAnswer>();
  const requests: FakeRequest[] = [];
  let wake = () => {};
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      requests.push({
        model: body.model,
        body,
        socket: request.socket,
        closedByClient: new Promise((resolve) => {
          response.on("close", () => response.writableFinished || resolve(performance.now()));
        }),
      });
      wake();
      play(answers.get(body.model) ?? { status: 404, error: { message: "no such model" } }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const provider = createOpenAICompatible({
    name: "fake",
    baseURL: `http://127.0.0.1:${port}/v1`,
    apiKey: "sk-very-secret",
    includeUsage: true,
  });
  return {
    requests,
    model: (id) => provider.chatModel(id),
    answer: (model, answer) => void answers.set(model, answer),
    async whenRequested(count) {
      while (requests.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<FakeRequest["body"] & { readonly model: string }> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk as string;
  return JSON.parse(text) as FakeRequest["body"] & { readonly model: string };
}

function play({ status = 200, chunks = [], end = "done", silent, error }: FakeAnswer, response: ServerResponse): void {
  if (silent) return;
  if (status !== 200) {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  for (const chunk of chunks) response.write(typeof chunk === "string" ? chunk : `data: ${JSON.stringify(chunk)}\n\n`);
  if (end === "done") response.end("data: [DONE]\n\n");
  else if (end === "end") response.end();
  else if (end === "cut") setTimeout(() => response.destroy(), 20);
}

/** One chunk of a chat completion. */
export function chunk(delta: object, finish_reason: string | null = null): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_770_000_000,
    model: "fake-large",
    choices: [{ index: 0, delta, finish_reason }],
  };
}

export const usageChunk = (usage: object): object => ({ ...chunk({}), choices: [], usage });
