// The process that reads: raw sockets, one buffer for all of them, frames counted and dropped.
// Argument: the ports of the server, as JSON.
//   L1. A connection that ends or fails while it is read ends the process: a bench with fewer readers than it says is none.

import type { Socket } from "node:net";
import { connect } from "node:net";
import { answerParent } from "./child.js";
import { FrameCounter } from "./frame-counter.js";
import { beginTurn, createSession, readReplay, timeFirstFrame } from "./own-calls.js";
import type { Ports } from "./server-process.js";

export type LoadRequest =
  /** Opens so many streams more: of a path, or each of a turn of its own. */
  | { readonly kind: "open"; readonly count: number; readonly path: string | undefined }
  | { readonly kind: "start"; readonly acks: boolean; readonly stamped: boolean }
  | { readonly kind: "sample" }
  | { readonly kind: "latencies" }
  | { readonly kind: "turn"; readonly message: string }
  | { readonly kind: "firstFrames"; readonly count: number; readonly path: string | undefined }
  | { readonly kind: "replay"; readonly path: string; readonly frames: number }
  | { readonly kind: "cancel"; readonly turnId: string };

export interface LoadSample {
  readonly frames: number;
  readonly cpuUs: number;
  /** Connections that have been answered. */
  readonly answered: number;
}

const BUFFER = Buffer.allocUnsafe(65_536);
const ACK_MS = 1;
/** Turns that are begun at the same time. */
const OPENING_MAX = 16;

const { port, ackPort } = JSON.parse(process.argv[2] ?? "{}") as Ports;
const url = `http://127.0.0.1:${port}`;
let frames = 0;
let answered = 0;
let acks: Socket | undefined;
let ackIsDue = false;
let latencies: number[] | undefined;

answerParent<LoadRequest>(async (asked) => {
  switch (asked.kind) {
    case "open":
      return open(asked.count, asked.path);
    case "start":
      [frames, latencies] = [0, asked.stamped ? [] : undefined];
      acks?.destroy();
      acks = asked.acks ? connect(ackPort, "127.0.0.1").setNoDelay(true) : undefined;
      return undefined;
    case "sample":
      return sample();
    case "latencies":
      return latencies ?? [];
    case "turn":
      return beginTurn(url, await createSession(url), asked.message);
    case "firstFrames":
      return timeFirstFrames(asked.count, asked.path);
    case "replay":
      return readReplay(port, asked.path, asked.frames);
    case "cancel":
      return (await fetch(`${url}/v1/turns/${asked.turnId}/cancel`, { method: "POST" })).status;
  }
});

function sample(): LoadSample {
  const { user, system } = process.cpuUsage();
  return { frames, cpuUs: user + system, answered };
}

async function open(count: number, path: string | undefined): Promise<void> {
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      read(path === undefined ? turnRequest(await createSession(url)) : getRequest(path));
    }
  };
  await Promise.all(Array.from({ length: OPENING_MAX }, work));
}

async function timeFirstFrames(count: number, path: string | undefined): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const request = path === undefined ? turnRequest(await createSession(url)) : getRequest(path);
    times.push(await timeFirstFrame(port, request));
  }
  return times;
}

function getRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\n\r\n`;
}

function turnRequest(sessionId: string): string {
  const body = JSON.stringify({ message: "0" });
  const head = `POST /v1/sessions/${sessionId}/turns HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream`;
  return `${head}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function read(request: string): void {
  const counter = new FrameCounter();
  let isAnswered = false;
  const socket = connect({
    port,
    host: "127.0.0.1",
    onread: {
      buffer: BUFFER,
      callback(size) {
        if (!isAnswered) {
          isAnswered = true;
          answered += 1;
          requireOk();
        }
        frames += counter.count(BUFFER, size);
        if (latencies !== undefined) counter.readStamps(BUFFER, size, latencies);
        if (acks !== undefined && !ackIsDue) acknowledge(acks);
        return true;
      },
    },
  });
  // L1
  socket.on("close", () => {
    throw new Error("a stream has ended");
  });
  socket.write(request);
}

function requireOk(): void {
  const head = BUFFER.toString("latin1", 0, 12);
  if (head !== "HTTP/1.1 200") throw new Error(`a stream was answered with ${head}`);
}

function acknowledge(to: Socket): void {
  ackIsDue = true;
  setTimeout(() => {
    ackIsDue = false;
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleBE(frames);
    to.write(bytes);
  }, ACK_MS);
}
