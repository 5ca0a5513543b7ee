// The AI SDK's reader on its own wire: the chunks of its chat transport, and the messages that are made of them, which is
// what its hooks show.

import { DefaultChatTransport, readUIMessageStream, type UIMessageChunk } from "ai";
import type { Asked } from "../asked.js";
import { addressOf } from "../asked.js";
import { CHUNK } from "../chunk.js";

function openChunks(asked: Asked): Promise<ReadableStream<UIMessageChunk>> {
  const transport = new DefaultChatTransport({ api: addressOf(asked, "ai-sdk") });
  const options = { chatId: "c", messageId: undefined, messages: [], abortSignal: undefined };
  return transport.sendMessages({ trigger: "submit-message", ...options });
}

export async function readChunks(asked: Asked): Promise<number> {
  let pieces = 0;
  for await (const { type } of await openChunks(asked)) if (type === "text-delta") pieces += 1;
  return pieces;
}

export async function readMessages(asked: Asked): Promise<number> {
  let length = 0;
  for await (const { parts } of readUIMessageStream({ stream: await openChunks(asked) })) {
    const [part] = parts;
    if (part?.type === "text") length = part.text.length;
  }
  return length / CHUNK.length;
}
