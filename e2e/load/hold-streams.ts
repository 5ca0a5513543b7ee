// A process that holds many streams open: started by start-holder.ts, which sends it what to open. It reads them and keeps
// times, or it takes nothing at all from its sockets.

import type { Socket } from "node:net";
import { connect } from "node:net";

export interface HoldOrder {
  readonly port: number;
  /** One stream for each. */
  readonly paths: readonly string[];
  /** Takes nothing of what it is sent. */
  readonly stalls: boolean;
}

export interface HoldReport {
  /** Streams of which bytes have come. */
  readonly begun: number;
  readonly closed: number;
  /** Of all streams, the longest time between two things that came, or since the last one. */
  readonly silentMsMax: number;
  /** Streams that have heard something since `since`. */
  readonly heard: number;
  /** What a stalled reader finds in its socket when it begins to read at last. */
  readonly leftOver?: string;
}

export type HoldRequest =
  | { readonly open: HoldOrder }
  | { readonly reportSince: number }
  /** Reads one stalled stream to its end. */
  | { readonly readOne: true };

const AT_ONCE_MAX = 40;
const LEFT_OVER_MAX = 8_000_000;

interface Held {
  readonly socket: Socket;
  lastAt: number;
  silentMs: number;
  closed: boolean;
}

const all: Held[] = [];

function hold(port: number, path: string, stalls: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const held: Held = { socket, lastAt: 0, silentMs: 0, closed: false };
    all.push(held);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      held.closed = true;
      resolve();
    });
    const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\n\r\n`;
    if (stalls) {
      socket.pause();
      socket.write(request, () => resolve());
      return;
    }
    socket.write(request);
    socket.on("data", () => {
      const now = Date.now();
      if (held.lastAt > 0) held.silentMs = Math.max(held.silentMs, now - held.lastAt);
      held.lastAt = now;
      resolve();
    });
  });
}

async function openAll({ port, paths, stalls }: HoldOrder): Promise<void> {
  const left = paths.values();
  const lane = async () => {
    for (const path of left) await hold(port, path, stalls);
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, lane));
}

function report(since: number): HoldReport {
  const now = Date.now();
  const begun = all.filter(({ lastAt }) => lastAt > 0);
  return {
    begun: begun.length,
    closed: all.filter(({ closed }) => closed).length,
    silentMsMax: begun.reduce((most, { silentMs, lastAt }) => Math.max(most, silentMs, now - lastAt), 0),
    heard: all.filter(({ lastAt }) => lastAt >= since).length,
  };
}

async function readOne(): Promise<string> {
  const [held] = all;
  const chunks: Buffer[] = [];
  let size = 0;
  held?.socket.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LEFT_OVER_MAX) chunks.push(chunk);
  });
  const closed = new Promise<void>((resolve) => void held?.socket.once("close", () => resolve()));
  held?.socket.resume();
  if (held?.closed === false) await closed;
  return Buffer.concat(chunks).toString("utf8");
}

async function answer(request: HoldRequest): Promise<void> {
  if ("open" in request) await openAll(request.open);
  const since = "reportSince" in request ? request.reportSince : 0;
  process.send?.({ ...report(since), ...("readOne" in request && { leftOver: await readOne() }) } satisfies HoldReport);
}

process.on("message", (request: HoldRequest) => void answer(request));
process.on("disconnect", () => process.exit());
