// A client of one turn that wants to see its end: it reads, goes on with Last-Event-ID where it was cut, at the next of
// the servers it knows, and keeps every byte it got.
// Owns: the readings. Does not own: what is right about them (checker/).
//   K1. It goes on after the last whole frame it has, as a browser does: of a frame that was cut it keeps nothing.
//   K2. It stops at the end of a stream with a terminal, at 204, and at an answer that will not change (400, 404, 410).

import { open } from "./caller.js";
import { readSse } from "./sse-reader.js";

export interface Reading {
  readonly cursor: string | undefined;
  /** 0: there was no answer. */
  readonly status: number;
  readonly body: string;
  /** The server ended it as HTTP ends a body. */
  readonly complete: boolean;
}

export interface ClientRecord {
  readonly turnId: string;
  readonly readings: readonly Reading[];
  /** It read to its own end; one that did not has lost its patience. */
  readonly stayed: boolean;
  /** When the terminal came, on this process's clock. */
  readonly endedAt: number | undefined;
}

export interface TurnClientOptions {
  readonly turnId: string;
  /** Asked before every connection: where to go now. `attempt` counts from 0. */
  readonly server: (attempt: number) => string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A connection that says nothing for so long is left for the next; the heartbeat counts. */
  readonly silenceMs: number;
  /** After this the client gives up. */
  readonly patienceMs: number;
  /** Leaves its first connection after so many frames, and comes back. */
  readonly leaveAfter?: number;
  /** Hears of every frame. */
  onFrame?(frame: { readonly event_type: string; readonly seq: number }): void;
}

const AGAIN_MS = 50;
const FINAL_STATUS: ReadonlySet<number> = new Set([204, 400, 401, 403, 404, 410]);

export async function followTurn(options: TurnClientOptions): Promise<ClientRecord> {
  const { turnId, patienceMs } = options;
  const readings: Reading[] = [];
  const until = performance.now() + patienceMs;
  let cursor: string | undefined;
  let endedAt: number | undefined;
  for (let attempt = 0; performance.now() < until; attempt += 1) {
    const reading = await read(options, { cursor, attempt, until });
    readings.push(reading);
    const { events } = readSse(reading.body);
    cursor = events.findLast(({ id }) => id !== undefined)?.id ?? cursor;
    if (events.some(({ data }) => isTerminal(data))) endedAt ??= performance.now();
    // K2
    if (endedAt !== undefined || FINAL_STATUS.has(reading.status)) {
      return { turnId, readings, stayed: true, endedAt };
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  return { turnId, readings, stayed: false, endedAt };
}

interface Connection {
  readonly cursor: string | undefined;
  readonly attempt: number;
  readonly until: number;
}

async function read(options: TurnClientOptions, { cursor, attempt, until }: Connection): Promise<Reading> {
  const { turnId, server, headers = {}, silenceMs, leaveAfter = Number.POSITIVE_INFINITY, onFrame } = options;
  const leave = new AbortController();
  const patience = setTimeout(() => leave.abort(), Math.max(1, until - performance.now()));
  let silence = setTimeout(() => leave.abort(), silenceMs);
  const chunks: Buffer[] = [];
  let seen = 0;
  const hear = () => {
    clearTimeout(silence);
    silence = setTimeout(() => leave.abort(), silenceMs);
    const { events } = readSse(Buffer.concat(chunks).toString("utf8"));
    for (const { id, data } of events.slice(seen)) if (id !== undefined) onFrame?.(JSON.parse(data));
    seen = events.length;
    if (attempt === 0 && seen >= leaveAfter) leave.abort();
  };
  try {
    const response = await open(`${server(attempt)}/v1/turns/${turnId}/stream`, {
      headers: { ...headers, ...(cursor !== undefined && { "last-event-id": cursor }) },
      signal: leave.signal,
    });
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        hear();
      }
    } catch {
      // Cut, or left: `complete` says so.
    }
    const body = Buffer.concat(chunks).toString("utf8");
    return { cursor, status: response.statusCode ?? 0, body, complete: response.complete };
  } catch {
    return { cursor, status: 0, body: "", complete: false };
  } finally {
    clearTimeout(patience);
    clearTimeout(silence);
  }
}

function isTerminal(data: string): boolean {
  if (!data.startsWith("{")) return false;
  const { event_type, is_final } = JSON.parse(data) as { event_type: string; is_final?: boolean };
  return event_type === "completed" || event_type === "cancelled" || (event_type === "error" && is_final === true);
}
