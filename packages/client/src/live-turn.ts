// A turn (turn.ts) on its connection: keeps its frames, tells its listeners, and ends its promises.
// Owns: what is handed to the application. Does not own: the way to the server (turn-connection.ts), what frames add up
// to (transcript.ts).
//   U1. Every iterator gets every frame from the first one on, once and in order, whenever it begins.
//   U2. Detach, resume and cancel are different acts [G5]: leaving a loop, a component or a page never cancels a turn.
//   U3. Iterating shows frames as they are. What is meant for a screen (state, outcome) says nothing of an `error` unless
//       the application asked for it [W-ERR-10].
//   U4. A page that nobody sees gives its connection back, and goes on when it is seen again.
//   U5. A promise nobody looks at makes no noise; a listener that throws is heard by the platform, not by the turn.

import type { AssistantMessage, Frame, Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { ConnectionState } from "./connection-state.js";
import { defer, quiet } from "./deferred.js";
import type { TurnDocument, TurnEnd } from "./documents.js";
import { endOfDocument, readTurnDocument, requireEnd, turnPath } from "./documents.js";
import { HIDDEN_MS_MAX } from "./limits.js";
import type { Page } from "./page.js";
import { endOfFrame, Transcript } from "./transcript.js";
import type { Turn, TurnState } from "./turn.js";
import type { ClientReport, ConnectionOptions } from "./turn-connection.js";
import { TurnConnection } from "./turn-connection.js";

export interface TurnOptions extends Omit<ConnectionOptions, "sink"> {
  readonly showErrors: boolean;
  readonly page: Page | undefined;
  readonly signal?: AbortSignal | undefined;
  onReport(report: ClientReport): void;
}

export class LiveTurn implements Turn {
  readonly #options: TurnOptions;
  readonly #connection: TurnConnection;
  readonly #listeners = new Set<() => void>();
  readonly #end = defer<TurnEnd>();
  readonly #release: (() => void)[] = [];
  #transcript: Transcript;
  #frames: Frame[] = [];
  #news = defer<void>();
  #state: TurnState | undefined;
  #outcome: TurnEnd | undefined;
  #failure: FramerailError | undefined;
  #document: TurnDocument | undefined;
  #message: Promise<AssistantMessage | null> | undefined;
  #text: Promise<string> | undefined;
  #left = false;
  #lacksFrames = false;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#connection = new TurnConnection({
      ...options,
      sink: {
        onFrame: (frame) => this.#take(frame),
        onDocument: (document, end, complete) => this.#takeDocument(document, end, complete),
        onReset: () => this.#reset(),
        onFailure: (error) => this.#fail(error),
        onChange: () => this.#changed(),
        onReport: (report) => this.#tell(() => options.onReport(report)),
      },
    });
    this.#transcript = new Transcript(options, this.#connection.seq === 0);
    this.#watchPage();
    this.#watchSignal();
    if (!this.#left) this.#connection.connect();
  }

  get turnId(): string | undefined {
    return this.#connection.turnId;
  }

  get cursor(): string | undefined {
    return this.#connection.cursor;
  }

  get state(): TurnState {
    this.#state ??= {
      ...this.#transcript.view(),
      turnId: this.turnId,
      connection: this.#connectionState(),
      resets: this.#connection.resets,
      outcome: this.#outcome,
      failure: this.#failure,
    };
    return this.#state;
  }

  get outcome(): Promise<TurnEnd> {
    return this.#end.promise;
  }

  get text(): Promise<string> {
    this.#text ??= quiet(this.outcome.then(() => this.#askText()));
    return this.#text;
  }

  get message(): Promise<AssistantMessage | null> {
    this.#message ??= quiet(this.outcome.then(() => this.#askMessage()));
    return this.#message;
  }

  // U1
  async *[Symbol.asyncIterator](): AsyncGenerator<Frame, void> {
    const frames = this.#frames;
    for (let index = 0; ; ) {
      if (frames !== this.#frames)
        throw new FramerailError("CURSOR_EXPIRED", "the turn began again from its first frame");
      const frame = frames[index];
      if (frame !== undefined) {
        index += 1;
        yield frame;
      } else if (this.#failure !== undefined) throw this.#failure;
      else if (this.#lacksFrames)
        throw new FramerailError("CURSOR_EXPIRED", "the rest of the frames are no longer kept");
      else if (this.#outcome !== undefined || this.#left) return;
      else await this.#news.promise;
    }
  }

  subscribe(listener: () => void): () => void {
    // One function may be given twice; each is its own subscription.
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  detach(): void {
    if (this.#isOver()) return;
    this.#left = true;
    this.#connection.detach();
    this.#close();
    this.#end.reject(new FramerailError("CANCELLED", "this reader has left the turn"));
    this.#changed();
  }

  async cancel(): Promise<TurnEnd> {
    if (!this.#isOver() && this.#connection.isUnbegun) {
      // The outcome first: nobody is shown an end without one.
      this.#finish({ kind: "cancelled", code: "REQUEST_CANCELLED" });
      this.#connection.abandon();
    }
    if (this.#outcome !== undefined) return this.#outcome;
    const path = turnPath(await this.#known());
    const { value } = await this.#options.api.insist({ method: "POST", path: `${path}/cancel` });
    if (this.#outcome !== undefined) return this.#outcome;
    const end = endOfDocument(readTurnDocument(value));
    if (end !== undefined) return this.#shown(end);
    // Who reads hears of the end first; who does not, or no longer, asks for it.
    return this.outcome.catch(async () => this.#shown(requireEnd(await this.#ended())));
  }

  async approve(approvalId: string, decision: { readonly approved: boolean; readonly note?: string }): Promise<void> {
    // Once only: a second answer could be refused although the first was heard.
    const path = `/v1/approvals/${encodeURIComponent(approvalId)}`;
    await this.#options.api.ask({ method: "POST", path, body: decision });
  }

  // The news of an end and the connection's own step are a moment apart; nobody is shown that moment.
  #connectionState(): ConnectionState {
    if (this.#outcome !== undefined) return "ended";
    return this.#failure === undefined ? this.#connection.state : "failed";
  }

  #isOver(): boolean {
    return this.#outcome !== undefined || this.#failure !== undefined || this.#left;
  }

  /** The turn's id, as soon as the server has told it. */
  async #known(): Promise<string> {
    while (this.turnId === undefined) {
      if (this.#isOver()) throw this.#failure ?? new FramerailError("NO_TURN", "the server has not named the turn");
      await this.#news.promise;
    }
    return this.turnId;
  }

  #take(frame: Frame): boolean {
    shareStrings(frame, this.#frames.at(-1));
    this.#frames.push(frame);
    this.#transcript.add(frame);
    const end = endOfFrame(frame, this.#options.showErrors);
    if (end !== undefined) this.#finish(end);
    return end !== undefined;
  }

  #takeDocument(document: TurnDocument, end: TurnEnd, complete: boolean): void {
    this.#document = document;
    this.#lacksFrames = !complete;
    this.#transcript.replace(document);
    this.#finish(this.#shown(end));
  }

  // U3
  #shown(end: TurnEnd): TurnEnd {
    return end.kind === "failed" && !this.#options.showErrors ? { kind: "failed" } : end;
  }

  #finish(end: TurnEnd): void {
    this.#outcome = end;
    this.#close();
    this.#end.resolve(end);
    this.#changed();
  }

  #fail(error: FramerailError): void {
    this.#failure = error;
    this.#close();
    this.#end.reject(error);
    this.#changed();
  }

  #reset(): void {
    this.#frames = [];
    this.#transcript = new Transcript(this.#options);
    this.#changed();
  }

  #changed(): void {
    this.#state = undefined;
    const news = this.#news;
    this.#news = defer();
    news.resolve();
    for (const listener of this.#listeners) this.#tell(listener);
  }

  // U5
  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  async #askMessage(): Promise<AssistantMessage | null> {
    return this.turnId === undefined ? null : (await this.#ended()).message;
  }

  async #askText(): Promise<string> {
    if (this.#transcript.isWhole) return this.#transcript.text();
    const whole = new Transcript();
    whole.replace(await this.#ended());
    return whole.text();
  }

  /** The turn's document with its end in it, asked for as often as a request is tried [G8]. */
  async #ended(): Promise<TurnDocument> {
    const check = (value: Json) => requireEnd(readTurnDocument(value));
    const call = { path: turnPath(this.turnId ?? "") };
    this.#document ??= readTurnDocument((await this.#options.api.insist(call, undefined, check)).value);
    return this.#document;
  }

  /** Nothing comes any more, whoever ended it. */
  #close(): void {
    this.#transcript.close();
    for (const release of this.#release.splice(0)) release();
  }

  // U4
  #watchPage(): void {
    const { page, api } = this.#options;
    if (page === undefined) return;
    let cancel: (() => void) | undefined;
    const leave = () => this.#connection.detach();
    const unwatch = page.watch((sight) => {
      cancel?.();
      cancel = undefined;
      if (this.#isOver()) return;
      if (sight === "gone") leave();
      else if (sight === "hidden") cancel = api.clock.schedule(HIDDEN_MS_MAX, leave);
      else if (this.#connection.state === "detached") this.#connection.connect();
    });
    this.#release.push(unwatch, () => cancel?.());
  }

  #watchSignal(): void {
    const { signal } = this.#options;
    const onAbort = () => this.detach();
    signal?.addEventListener("abort", onAbort);
    this.#release.push(() => signal?.removeEventListener("abort", onAbort));
    if (signal?.aborted) onAbort();
  }
}

/** All frames are kept (U1): what each has in common with the one before it is held once, not a hundred thousand times. */
function shareStrings(frame: Writable, last: Frame | undefined): void {
  if (frame.event_type === last?.event_type) frame.event_type = last.event_type;
  if (frame.version === last?.version) frame.version = last.version;
  if (frame.response_id === last?.response_id) frame.response_id = last.response_id;
}

type Writable = { -readonly [K in "event_type" | "version" | "response_id"]: Frame[K] };
