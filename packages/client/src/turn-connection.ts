// One reader's way through one turn: sends the message, reads, and goes on after every cut until the turn has ended.
// Owns: the place in the turn, attempts and waits. Does not own: the steps (connection-state.ts), requests (api.ts), what
// frames mean (live-turn.ts).
//   N1. Every frame is handed over once, in order: a repeat is passed over, a gap or a foreign frame is a cut [G2, G3].
//   N2. A stream that ends without a terminal was cut, however politely it ended [G1].
//   N3. A message whose answer was lost is sent again under the same key, so it never begins a second turn.
//   N4. Only attempts that brought no frame are counted; ATTEMPTS_MAX of them in a row are the end.
//   N5. Whoever leaves is heard no more, and leaves no request and no timer behind.
//   N6. From the moment a message is sent it may have begun a turn, until its answer says for certain that it did not.

import type { ErrorCode, Frame, WireVersion } from "@framerail/protocol";
import { FramerailError, isFramerailError, WIRE_VERSION } from "@framerail/protocol";
import type { Api, Call } from "./api.js";
import { backoffMs } from "./backoff.js";
import type { ConnectionEvent, ConnectionState } from "./connection-state.js";
import { stepConnection } from "./connection-state.js";
import { leftError, pause, withDeadline } from "./deadline.js";
import type { TurnDocument, TurnEnd } from "./documents.js";
import { endOfDocument, readTurnDocument, requireEnd, turnPath } from "./documents.js";
import { ATTEMPTS_MAX, RESETS_MAX, SILENCE_MS_MAX, TURN_LENGTH_MAX } from "./limits.js";
import type { Transport } from "./read-stream.js";
import { CONTENT_TYPES, readStream, requireStream } from "./read-stream.js";
import { readWire } from "./read-wire.js";
import { hasBegunNothing, isTransient, ResponseError } from "./response-error.js";

/** What happens to connections, for logs and meters. */
export type ClientReport =
  | {
      readonly kind: "cut";
      readonly turnId: string | undefined;
      readonly code: ErrorCode;
      readonly attempt: number;
      readonly retryInMs: number;
    }
  | { readonly kind: "resumed"; readonly turnId: string | undefined }
  /** The turn begins again from its first frame: what was shown of it is void. */
  | { readonly kind: "reset"; readonly turnId: string };

/** How a message is sent. */
export interface Opening {
  /** Opens the session where there is none yet. */
  sessionId(signal: AbortSignal): Promise<string>;
  readonly body: object;
  readonly key: string;
}

export interface ConnectionOptions {
  readonly api: Api;
  readonly transport: Transport;
  readonly version: WireVersion;
  /** A message to send, or the turn to read. */
  readonly target: Opening | { readonly turnId: string; readonly after?: string | undefined };
  readonly sink: ConnectionSink;
}

export interface ConnectionSink {
  /** The next frame; true when it ends the turn. */
  onFrame(frame: Frame): boolean;
  /** The turn has ended, and no frame told it. `complete`: no frame is missing before the end. */
  onDocument(document: TurnDocument, end: TurnEnd, complete: boolean): void;
  /** Everything so far is void. */
  onReset(): void;
  onFailure(error: FramerailError): void;
  /** Something that is shown has changed. */
  onChange(): void;
  onReport(report: ClientReport): void;
}

export class TurnConnection {
  readonly #options: ConnectionOptions;
  readonly #opening: Opening | undefined;
  #state: ConnectionState = "idle";
  #turnId: string | undefined;
  #cursor: string | undefined;
  #seq = 0;
  #length = 0;
  #hasSession = false;
  /** Messages that may have begun the turn (N6). */
  #doubts = 0;
  #attempts = 0;
  #resets = 0;
  #streams = 0;
  #retryMs: number | undefined;
  #waitMs = 0;
  /** What came last: after `at_end` or `expired` the turn is asked for. */
  #event: ConnectionEvent | undefined;
  #leaving: AbortController | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { target } = options;
    if ("turnId" in target) {
      this.#turnId = target.turnId;
      this.#cursor = target.after;
      this.#seq = target.after === undefined ? 0 : seqOf(target.after);
    } else this.#opening = target;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get turnId(): string | undefined {
    return this.#turnId;
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** The place of the last frame; 0 before the first one. */
  get seq(): number {
    return this.#seq;
  }

  get resets(): number {
    return this.#resets;
  }

  /** Whether for certain there is no turn (N6). */
  get isUnbegun(): boolean {
    return this.#opening !== undefined && this.#doubts === 0;
  }

  /** Begins, or goes on after a detach. */
  connect(): void {
    if (this.#state !== "idle" && this.#state !== "detached") return;
    this.#attempts = 0;
    this.#move(this.#next());
    void this.#run();
  }

  detach(): void {
    this.#leave("detach");
  }

  /** Ends a turn that never began. */
  abandon(): void {
    this.#leave("terminal");
  }

  // N5
  #leave(event: "detach" | "terminal"): void {
    const leaving = this.#leaving;
    this.#leaving = undefined;
    leaving?.abort(leftError());
    this.#move(event);
  }

  #next(): "open" | "resume" {
    return this.#turnId === undefined ? "open" : "resume";
  }

  #move(event: ConnectionEvent): void {
    const before = this.#state;
    this.#event = event;
    this.#state = stepConnection(before, event);
    if (this.#state !== before) this.#options.sink.onChange();
  }

  async #run(): Promise<void> {
    const leaving = new AbortController();
    this.#leaving = leaving;
    while (!leaving.signal.aborted && this.#state !== "ended" && this.#state !== "failed") {
      let event: ConnectionEvent;
      try {
        event = await this.#act(leaving.signal);
      } catch (error) {
        if (leaving.signal.aborted) return;
        event = this.#judge(error);
      }
      if (!leaving.signal.aborted) this.#move(event);
    }
  }

  async #act(signal: AbortSignal): Promise<ConnectionEvent> {
    if (this.#state === "waiting") {
      await pause(this.#options.api.clock, this.#waitMs, signal);
      return this.#next();
    }
    return this.#state === "checking" ? this.#check(signal) : this.#read(signal);
  }

  #judge(error: unknown): ConnectionEvent {
    const { sink, api } = this.#options;
    const is410 = error instanceof ResponseError && error.status === 410;
    if (is410 && this.#state === "resuming") return "expired";
    this.#attempts += 1;
    // N4
    if (!isTransient(error) || this.#attempts >= ATTEMPTS_MAX) {
      sink.onFailure(
        isFramerailError(error) ? error : new FramerailError("INVARIANT_VIOLATION", "a bug", { cause: error }),
      );
      return "refused";
    }
    const { retryAfterMs } = error instanceof ResponseError ? error : {};
    const attempt = this.#attempts;
    this.#waitMs = backoffMs({ attempt, retryMs: this.#retryMs, retryAfterMs, random: api.random });
    sink.onReport({ kind: "cut", turnId: this.#turnId, code: error.code, attempt, retryInMs: this.#waitMs });
    return "cut";
  }

  /** One connection, from the request to its end. */
  #read(parent: AbortSignal): Promise<ConnectionEvent> {
    const { api, transport, sink } = this.#options;
    return withDeadline({ clock: api.clock, ms: SILENCE_MS_MAX, parent }, async ({ signal, renew }) => {
      const isResumed = this.#turnId !== undefined;
      const call = await this.#call(signal);
      const response = await api.open(call, signal).catch((error: unknown) => {
        // N6
        if (!isResumed && hasBegunNothing(error)) this.#doubts -= 1;
        throw error;
      });
      if (response.status === 204 && isResumed) return "at_end";
      requireStream(response, transport);
      this.#turnId ??= response.headers.get("framerail-turn-id") ?? undefined;
      this.#move("accepted");
      this.#streams += 1;
      if (this.#streams > 1) sink.onReport({ kind: "resumed", turnId: this.#turnId });
      renew();
      let hasEnded = false;
      await readStream(response, {
        transport,
        signal,
        onBytes: renew,
        onFrame: (text, cursor) => {
          hasEnded = this.#take(text, cursor);
          return !hasEnded;
        },
        onPiece: () => sink.onChange(),
        onRetry: (ms) => {
          this.#retryMs = ms;
        },
      });
      // N2
      if (!hasEnded) throw new FramerailError("STREAM_TRUNCATED", "the stream ended before the turn");
      return "terminal";
    });
  }

  async #call(signal: AbortSignal): Promise<Call> {
    const { transport, version } = this.#options;
    const headers = { accept: CONTENT_TYPES[transport], "framerail-version": version };
    if (this.#opening === undefined || this.#turnId !== undefined) {
      const after = this.#cursor === undefined ? {} : { "last-event-id": this.#cursor };
      return { path: `${turnPath(this.#turnId ?? "")}/stream`, headers: { ...headers, ...after } };
    }
    const { body, key } = this.#opening;
    const sessionId = await this.#opening.sessionId(signal);
    // A session is something new too: the message has all attempts before it, whatever the session took.
    if (!this.#hasSession) this.#attempts = 0;
    this.#hasSession = true;
    this.#doubts += 1;
    // N3
    const path = `/v1/sessions/${encodeURIComponent(sessionId)}/turns`;
    return { method: "POST", path, headers: { ...headers, "idempotency-key": key }, body };
  }

  /** Takes the frame, or passes over it; true when it ends the turn. */
  #take(text: string, cursor: string | undefined): boolean {
    const { version, sink } = this.#options;
    const { seq, turnId, frame } = readWire(text, version);
    this.#turnId ??= turnId;
    // N1
    if (turnId !== this.#turnId) throw new FramerailError("PROTOCOL_VIOLATION", "a frame of another turn");
    if (seq <= this.#seq) return false;
    // 0.4 leaves frames out, so only 0.5 has no gaps [D-8].
    if (version === WIRE_VERSION && seq !== this.#seq + 1)
      throw new FramerailError("PROTOCOL_VIOLATION", "frames are missing");
    this.#length += text.length;
    if (this.#length > TURN_LENGTH_MAX) throw new FramerailError("INPUT_TOO_LARGE", "the turn is too large to be kept");
    this.#seq = seq;
    this.#cursor = cursor ?? String(seq);
    this.#attempts = 0;
    return frame !== undefined && sink.onFrame(frame);
  }

  async #check(signal: AbortSignal): Promise<ConnectionEvent> {
    const { api, sink } = this.#options;
    const turnId = this.#turnId ?? "";
    const document = readTurnDocument((await api.ask({ path: turnPath(turnId) }, signal)).value);
    const isAtEnd = this.#event === "at_end";
    // The frames may say that it has ended before the document knows.
    const end = isAtEnd ? requireEnd(document) : endOfDocument(document);
    if (end !== undefined) {
      sink.onDocument(document, end, isAtEnd);
      return "terminal";
    }
    this.#resets += 1;
    if (this.#resets > RESETS_MAX) throw new FramerailError("CURSOR_EXPIRED", "the turn cannot be read on");
    this.#seq = 0;
    this.#length = 0;
    this.#cursor = undefined;
    sink.onReset();
    sink.onReport({ kind: "reset", turnId });
    return "running";
  }
}

/** The place that a cursor names: `<turn>.<epoch>.<seq>`, or the bare number [D-2]. */
function seqOf(cursor: string): number {
  const [, seq] = /(?:^|\.)(\d{1,10})$/.exec(cursor) ?? [];
  if (seq === undefined) throw new FramerailError("INVALID_ARGUMENT", "a cursor is the id of a frame, or its number");
  return Number(seq);
}
