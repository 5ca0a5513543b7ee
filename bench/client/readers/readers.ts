// The readers by name. Each is loaded where it runs and nowhere else: a library that is only imported can slow a process too.

import type { Read } from "../asked.js";

export const FLOOR = "fetch and TextDecoder";
export const PARSER = "eventsource-parser";
export const PROTOCOL = "ours, decoders alone";
export const CLIENT = "ours, client";
export const CLIENT_NDJSON = "ours, client, NDJSON";
export const CLIENT_FRAMES = "ours, frame by frame";
export const EVERY_LETTER = "ours, client, every letter read";
export const EVERY_PIECE = "ours, client, always looking";
export const CHUNKS = "AI SDK, chunks";
export const MESSAGES = "AI SDK, messages";

const plain = () => import("./plain.js");
const ours = () => import("./ours.js");
const aiSdk = () => import("./ai-sdk.js");

const READERS = new Map<string, () => Promise<Read>>([
  [FLOOR, async () => (await plain()).readBytes],
  [PARSER, async () => (await plain()).readByParser],
  [PROTOCOL, async () => (await ours()).readByProtocol],
  [CLIENT, async () => (await ours()).watchByClient("sse")],
  [CLIENT_NDJSON, async () => (await ours()).watchByClient("ndjson")],
  [CLIENT_FRAMES, async () => (await ours()).iterateByClient],
  [EVERY_LETTER, async () => (await ours()).readEveryLetter],
  [EVERY_PIECE, async () => (await ours()).watchEveryPiece],
  [CHUNKS, async () => (await aiSdk()).readChunks],
  [MESSAGES, async () => (await aiSdk()).readMessages],
]);

export async function loadReader(name: string): Promise<Read> {
  const load = READERS.get(name);
  if (load === undefined) throw new Error(`there is no reader called ${name}`);
  return load();
}
