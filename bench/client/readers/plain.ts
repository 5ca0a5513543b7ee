// Readers without a library of anybody's runtime: the floor, and what people put together by hand.

import { createParser } from "eventsource-parser";
import type { Asked } from "../asked.js";
import { addressOf } from "../asked.js";
import { CHUNK } from "../chunk.js";

const DONE = "[DONE]";

export async function openBody(asked: Asked): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(addressOf(asked, "sse"), { method: "POST", body: "{}" });
  if (response.body === null) throw new Error("the answer has no body");
  return response.body;
}

/** Understands nothing of the wire: what any reader in Node pays before it begins. */
export async function readBytes(asked: Asked): Promise<number> {
  const decoder = new TextDecoder();
  let length = 0;
  for await (const bytes of await openBody(asked)) length += decoder.decode(bytes, { stream: true }).length;
  return length > asked.pieces * CHUNK.length ? asked.pieces : 0;
}

/** eventsource-parser and JSON.parse: nothing is checked, nothing is kept. */
export async function readByParser(asked: Asked): Promise<number> {
  const decoder = new TextDecoder();
  let pieces = 0;
  const parser = createParser({
    onEvent({ data }) {
      if (data === DONE) return;
      const frame = JSON.parse(data) as { readonly event_type: string; readonly chunk?: string };
      if (frame.event_type === "text" && frame.chunk !== undefined) pieces += 1;
    },
  });
  for await (const bytes of await openBody(asked)) parser.feed(decoder.decode(bytes, { stream: true }));
  return pieces;
}
