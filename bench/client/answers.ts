// The answers that readers read: the same pieces of text, as bytes of our wire (SSE and NDJSON) and of the AI SDK's. Made by
// each one's own encoder, so that a reader reads what it would read in production.

import { createFrameEncoder, createSseFraming, SSE_DONE_FRAME } from "@framerail/protocol";
import { JsonToSseTransformStream, type UIMessageChunk } from "ai";
import { CHUNK } from "./chunk.js";

export type Wire = "sse" | "ndjson" | "ai-sdk";

const TURN_ID = "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11";
/** Between two pieces, by their timestamps. */
const PIECE_MS = 20;
const STARTED_AT = Date.parse("2026-05-15T18:00:00.000Z");

/** The answer, cut where an event ends: `pieces` of them are text, and what opens and ends the answer stands around. */
export async function encodeAnswer(wire: Wire, pieces: number): Promise<readonly Buffer[]> {
  const events = wire === "ai-sdk" ? await encodeAiSdk(pieces) : encodeOurs(wire, pieces);
  return events.map((event) => Buffer.from(event));
}

function encodeOurs(wire: "sse" | "ndjson", pieces: number): string[] {
  let now = STARTED_AT;
  const clock = { now: () => now, schedule: () => () => undefined };
  const framing = createSseFraming({ idPrefix: `${TURN_ID}.1.` });
  const encoder = createFrameEncoder({ responseId: TURN_ID, clock, ...(wire === "sse" && { framing }) });
  const events = [encoder.encode("response_id", 1, {})];
  for (let piece = 0; piece < pieces; piece += 1) {
    now += PIECE_MS;
    events.push(encoder.encode("text", piece + 2, { chunk: CHUNK }));
  }
  events.push(encoder.encode("completed", pieces + 2, {}));
  return wire === "sse" ? [...events, SSE_DONE_FRAME] : events.map((line) => `${line}\n`);
}

async function encodeAiSdk(pieces: number): Promise<string[]> {
  const chunks = new ReadableStream<UIMessageChunk>({
    start(controller) {
      controller.enqueue({ type: "start" });
      controller.enqueue({ type: "text-start", id: "1" });
      for (let piece = 0; piece < pieces; piece += 1) controller.enqueue({ type: "text-delta", id: "1", delta: CHUNK });
      controller.enqueue({ type: "text-end", id: "1" });
      controller.enqueue({ type: "finish" });
      controller.close();
    },
  });
  const events: string[] = [];
  for await (const event of chunks.pipeThrough(new JsonToSseTransformStream())) events.push(event);
  return events;
}
