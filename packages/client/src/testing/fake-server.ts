// A server of turns behind a `fetch`: it keeps every turn's frames, honours cursors and idempotency keys, and does to each
// request what the test asks for. It shares no code with the client, nor with the protocol.
// Owns: turns, their frames in time, documents, faults. Does not own: what is right (the tests say).

import type { Clock } from "@framerail/protocol";
import type { Fetch } from "../api.js";

export type Fault =
  /** Never arrives. */
  | { readonly kind: "network" }
  /** Arrives, has its effect, and the answer is lost. */
  | { readonly kind: "lost" }
  /** Arrives; nobody ever answers. */
  | { readonly kind: "hang" }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly code?: string;
    }
  /** Somebody else answers, with a page. */
  | { readonly kind: "page" }
  /** After so many bytes the connection breaks, is closed as if all were well, or goes silent. */
  | { readonly kind: "break" | "close" | "silence"; readonly bytes: number }
  /** Begins so many frames before the cursor. */
  | { readonly kind: "repeat"; readonly frames: number }
  /** Leaves out the first frame. */
  | { readonly kind: "gap" }
  /** Hands over so many bytes at a time. */
  | { readonly kind: "slices"; readonly bytes: number };

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

interface Request {
  readonly seen: Seen;
  readonly fault: Fault | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface FakeTurn {
  readonly id: string;
  readonly key: string;
  /** The frames as JSON, in order. */
  readonly frames: readonly string[];
  readonly startedAt: number;
}

export interface FakeServerOptions {
  readonly clock: Clock;
  /** The frames of every turn, without their envelopes, and how long after the one before each comes. */
  readonly script: readonly (readonly [
    waitMs: number,
    frame: { readonly event_type: string; readonly [field: string]: unknown },
  ])[];
  readonly version?: string;
  /** Asked with every request. */
  fault?(seen: Seen): Fault | undefined;
}

const TYPES: Record<string, string> = { sse: "text/event-stream; charset=utf-8", ndjson: "application/x-ndjson" };

export class FakeServer {
  readonly seen: Seen[] = [];
  readonly turns: FakeTurn[] = [];
  sessions = 0;
  /** Connections that are open. */
  open = 0;
  readonly #options: FakeServerOptions;

  constructor(options: FakeServerOptions) {
    this.#options = options;
  }

  readonly fetch: Fetch = async (url, init) => {
    const headers = init.headers as Record<string, string>;
    const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    const path = url.replace(/^https?:\/\/[^/]+/, "");
    const seen = { method: init.method ?? "GET", path, headers, body };
    this.seen.push(seen);
    const fault = this.#options.fault?.(seen);
    await Promise.resolve();
    if (init.signal?.aborted) throw new TypeError("aborted");
    if (fault?.kind === "network") throw new TypeError("fetch failed");
    if (fault?.kind === "status") return problem(fault.status, fault.code, fault.headers);
    if (fault?.kind === "page") return new Response("<html>", { headers: { "content-type": "text/html" } });
    const answer = this.#answer({ seen, fault, signal: init.signal ?? undefined });
    if (fault?.kind === "hang") return new Promise(() => undefined);
    if (fault?.kind !== "lost") return answer;
    await answer.body?.cancel();
    throw new TypeError("fetch failed");
  };

  /** Begins a turn nobody asked for over HTTP. */
  begin(key = `own-${this.turns.length}`): FakeTurn {
    const { clock, script, version = "0.5" } = this.#options;
    const id = `turn-${this.turns.length + 1}`;
    const frames = script.map(([, frame], index) =>
      JSON.stringify({
        ...frame,
        version,
        timestamp: new Date(clock.now() + index).toISOString(),
        response_id: id,
        seq: index + 1,
      }),
    );
    const turn = { id, key, frames, startedAt: clock.now() };
    this.turns.push(turn);
    return turn;
  }

  /** How many of the turn's frames there are by now. */
  #produced(turn: FakeTurn): number {
    let at = turn.startedAt;
    let count = 0;
    for (const [waitMs] of this.#options.script) {
      at += waitMs;
      if (at > this.#options.clock.now()) break;
      count += 1;
    }
    return count;
  }

  #answer(request: Request): Response {
    const { path, headers } = request.seen;
    if (path === "/v1/sessions") {
      this.sessions += 1;
      return json(201, { session_id: `session-${this.sessions}`, conversation_id: "conversation-1", agent_id: "a" });
    }
    if (/^\/v1\/sessions\/[^/]+\/turns$/.test(path)) {
      const key = headers["idempotency-key"] ?? "";
      const turn = this.turns.find((one) => one.key === key) ?? this.begin(key);
      return this.#stream(turn, 0, request);
    }
    const turn = this.turns.find(({ id }) => path.startsWith(`/v1/turns/${id}`));
    if (turn === undefined) return problem(404, "NOT_FOUND");
    if (path.endsWith("/stream")) {
      const after = Number((headers["last-event-id"] ?? "0").split(".").at(-1));
      if (after > turn.frames.length) return problem(410, "CURSOR_EXPIRED");
      if (after === turn.frames.length) return new Response(null, { status: 204 });
      return this.#stream(turn, after, request);
    }
    return json(200, this.document(turn));
  }

  document(turn: FakeTurn): Record<string, unknown> {
    const produced = this.#produced(turn);
    const hasEnded = produced === turn.frames.length;
    const last = JSON.parse(turn.frames.at(-1) ?? "{}") as { event_type: string; error?: { code: string } };
    const kind = { completed: "completed", cancelled: "cancelled", error: "failed" }[last.event_type];
    const content = turn.frames
      .map((text) => JSON.parse(text) as { event_type: string; chunk?: string })
      .map(({ event_type, chunk }) => (event_type === "text" ? chunk : ""))
      .join("");
    return {
      turn_id: turn.id,
      status: hasEnded ? "ended" : "running",
      outcome: hasEnded ? { kind, ...(last.error && { code: last.error.code }), has_more: false } : null,
      last_seq: produced,
      cursor: `${turn.id}.1.${produced}`,
      message: hasEnded
        ? { role: "assistant", content_items: [{ type: "message", sequence: 0, content, timestamp: 1 }] }
        : null,
    };
  }

  #stream(turn: FakeTurn, after: number, { seen, fault, signal }: Request): Response {
    const { clock, script } = this.#options;
    const transport = seen.headers.accept === "application/x-ndjson" ? "ndjson" : "sse";
    let next = after;
    if (fault?.kind === "repeat") next = Math.max(0, after - fault.frames);
    if (fault?.kind === "gap") next = Math.min(turn.frames.length - 1, after + 1);
    const limit =
      fault !== undefined && "bytes" in fault && fault.kind !== "slices" ? fault.bytes : Number.POSITIVE_INFINITY;
    let left = limit;
    let cancel: () => void = () => undefined;
    let isOpen = true;
    this.open += 1;
    const close = () => {
      if (isOpen) this.open -= 1;
      isOpen = false;
      cancel();
    };
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        signal?.addEventListener("abort", () => {
          if (isOpen) controller.error(new TypeError("aborted"));
          close();
        });
        const send = (text: string): boolean => {
          const bytes = new TextEncoder().encode(text);
          const size = fault?.kind === "slices" ? fault.bytes : bytes.length;
          for (let at = 0; at < bytes.length && left > 0; at += size) {
            const slice = bytes.slice(at, Math.min(at + size, at + left));
            left -= slice.length;
            controller.enqueue(slice);
          }
          if (left > 0 || fault === undefined) return true;
          if (fault.kind === "break") {
            // What was sent is read first, as it is from a socket.
            cancel = clock.schedule(1, () => {
              if (isOpen) controller.error(new TypeError("terminated"));
              close();
            });
          } else if (fault.kind === "close") {
            controller.close();
            close();
          }
          return false;
        };
        const pump = () => {
          for (; next < this.#produced(turn); next += 1) if (!send(write(turn, next, transport))) return;
          if (next === turn.frames.length) {
            if (transport === "sse" && !send("data: [DONE]\n\n")) return;
            controller.close();
            close();
          } else cancel = clock.schedule(Math.max(1, script[next]?.[0] ?? 1), pump);
        };
        if (transport === "ndjson" || send(": ok\n\nretry: 1000\n\n")) pump();
      },
      cancel: close,
    });
    return new Response(body, { headers: { "content-type": TYPES[transport] ?? "", "framerail-turn-id": turn.id } });
  }
}

function write(turn: FakeTurn, index: number, transport: string): string {
  const text = turn.frames[index] ?? "";
  if (transport === "ndjson") return `${text}\n`;
  const { event_type } = JSON.parse(text) as { event_type: string };
  return `id: ${turn.id}.1.${index + 1}\nevent: ${event_type}\ndata: ${text}\n\n`;
}

function json(status: number, value: unknown): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
}

function problem(status: number, code = "INTERNAL", headers: Record<string, string> = {}): Response {
  const type = { "content-type": "application/problem+json", ...headers };
  return new Response(JSON.stringify({ status, code }), { status, headers: type });
}
