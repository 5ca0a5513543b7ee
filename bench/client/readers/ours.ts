// Our readers: the decoders of the protocol alone, and the client as applications use it.

import { createClient, type Turn } from "@framerail/client";
import { createSseDecoder, parseJson, readFrame, SSE_DONE } from "@framerail/protocol";
import type { Asked } from "../asked.js";
import { addressOf } from "../asked.js";
import { CHUNK } from "../chunk.js";
import { openBody } from "./plain.js";

/** A screen is painted about this often; nobody looks more often. */
const PAINT_MS = 16;

export async function readByProtocol(asked: Asked): Promise<number> {
  let pieces = 0;
  const decoder = createSseDecoder({
    onEvent({ data }) {
      if (data === SSE_DONE) return;
      const reading = readFrame(parseJson(data));
      if (reading.kind === "frame" && reading.frame.event_type === "text") pieces += 1;
    },
  });
  for await (const bytes of await openBody(asked)) decoder.push(bytes);
  return pieces;
}

/** Looks at the whole state at most once per painted frame, as a screen does. */
export function watchByClient(transport: "sse" | "ndjson"): (asked: Asked) => Promise<number> {
  return (asked) => watch(send(asked, transport), paintsOf(asked), countLetters);
}

/** The same, and reads all of the text each time: what a screen does that lays out a whole answer anew. */
export function readEveryLetter(asked: Asked): Promise<number> {
  return watch(send(asked, "sse"), paintsOf(asked), readLetters);
}

const countLetters = (text: string) => text.length;

function readLetters(text: string): number {
  // A text that is put together only when it is read is put together here.
  if (text !== "" && !CHUNK.endsWith(text.charAt(text.length - 1))) throw new Error("the text is not what was sent");
  return text.length;
}

const paintsOf = ({ pace }: Asked) => everyPaint(pace === "at_once" ? ownMs : wallMs);

const wallMs = () => performance.now();

/** What this process has worked. On a busy machine the clock on the wall would let it look more often for as many frames. */
function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function everyPaint(nowMs: () => number): () => boolean {
  let dueMs = 0;
  let askAgainAt = 0;
  return () => {
    // Asking for own time is dear, and it hardly passes faster than the other.
    if (performance.now() < askAgainAt) return false;
    const leftMs = dueMs - nowMs();
    askAgainAt = performance.now() + Math.max(leftMs, 0);
    if (leftMs > 0) return false;
    dueMs = nowMs() + PAINT_MS;
    return true;
  };
}

/** Looks whenever something has come: an answer that takes hours, in a few seconds. */
export function watchEveryPiece(asked: Asked): Promise<number> {
  return watch(send(asked, "sse"), () => true, countLetters);
}

export async function iterateByClient(asked: Asked): Promise<number> {
  let pieces = 0;
  for await (const { event_type } of send(asked, "sse")) if (event_type === "text") pieces += 1;
  return pieces;
}

function send(asked: Asked, transport: "sse" | "ndjson"): Turn {
  const client = createClient({ url: addressOf(asked, transport), transport, page: null });
  return client.session({ sessionId: "s" }).send("hello");
}

async function watch(turn: Turn, isTime: () => boolean, read: (text: string) => number): Promise<number> {
  let length = 0;
  const look = () => {
    length = read(turn.state.text);
  };
  const leave = turn.subscribe(() => {
    if (isTime()) look();
  });
  await turn.outcome;
  leave();
  readLetters(turn.state.text);
  look();
  return length / CHUNK.length;
}
