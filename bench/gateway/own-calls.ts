// Calls of our own API, and single streams that are timed.

import { connect } from "node:net";
import { FrameCounter } from "./frame-counter.js";

const AGENT = "bench";
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json" };

export async function createSession(url: string): Promise<string> {
  const session = await post(`${url}/v1/sessions`, { agent_id: AGENT });
  return session.session_id as string;
}

/** Begins a turn that nobody reads yet, and gives its id. */
export async function beginTurn(url: string, sessionId: string, message: string): Promise<string> {
  const turn = await post(`${url}/v1/sessions/${sessionId}/turns`, { message });
  return turn.turn_id as string;
}

async function post(url: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** Milliseconds from the request, on a connection that is there, to the first bytes with a frame's data. */
export function timeFirstFrame(port: number, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    let startedAt = 0;
    socket.on("error", reject);
    socket.on("connect", () => {
      startedAt = performance.now();
      socket.write(request);
    });
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      if (!text.includes("\ndata: ")) return;
      socket.destroy();
      resolve(performance.now() - startedAt);
    });
  });
}

/** Milliseconds until so many frames of a stream have come. */
export function readReplay(port: number, path: string, frames: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const counter = new FrameCounter();
    const startedAt = performance.now();
    let seen = 0;
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`the replay ended after ${seen} of ${frames} frames`)));
    socket.on("data", (bytes) => {
      seen += counter.count(bytes, bytes.length);
      if (seen < frames) return;
      resolve(performance.now() - startedAt);
      socket.destroy();
    });
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\n\r\n`);
  });
}
