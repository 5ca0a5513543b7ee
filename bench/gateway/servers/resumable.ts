// resumable-stream on Redis: SSE text in a web stream that other processes can join. The one who made a stream reads it
// without Redis; the one who resumes it reads every chunk by Redis, which is what our log on Redis gives every reader.

import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { Redis } from "ioredis";
import { createResumableStreamContext } from "resumable-stream/ioredis";
import { CHUNK } from "../chunk.js";
import type { Pacer } from "../pacer.js";
import type { Services } from "../server.js";
import { SSE_HEADERS, serveStreams } from "../server.js";
import { FRAME } from "./plain.js";

const [HEAD = "", TAIL = ""] = FRAME.split(CHUNK);

export const startResumable = (pacer: Pacer, services: Services) => start(pacer, services, false);
export const startResumed = (pacer: Pacer, services: Services) => start(pacer, services, true);

function start(pacer: Pacer, { redisUrl }: Services, resumes: boolean): Promise<number> {
  const context = createResumableStreamContext({
    waitUntil: null,
    publisher: new Redis(redisUrl),
    subscriber: new Redis(redisUrl),
  });
  const makeStream = () =>
    new ReadableStream<string>({
      start(controller) {
        pacer.add((chunk) => controller.enqueue(`${HEAD}${chunk}${TAIL}`));
      },
    });
  const answer = async (response: ServerResponse) => {
    const id = randomUUID();
    const made = await context.createNewResumableStream(id, makeStream);
    if (!resumes) return send(made, (text) => void response.write(text));
    const joined = await context.resumeExistingStream(id);
    await Promise.all([send(made, () => undefined), send(joined, (text) => void response.write(text))]);
  };
  return serveStreams((response) => {
    response.writeHead(200, SSE_HEADERS).flushHeaders();
    void answer(response);
  });
}

async function send(stream: ReadableStream<string> | null | undefined, write: (text: string) => void): Promise<void> {
  if (!stream) throw new Error("there is no such stream");
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    if (value !== "") write(value);
  }
}
