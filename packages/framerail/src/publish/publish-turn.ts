// One turn on its way out: event → taps → policy → guard → bytes → log. The only place that names all of these; each of
// them knows none of its neighbours. Direct calls all the way: no promise, no queue, no iterator per event.
// Owns: the order of the stages, seq, and the two halves of the end. Does not own: when a turn ends (dispatch/run-turn.ts), what
// a stage does.
//   T1. Taps see every event before policy, so that history, usage and audit also have what is suppressed [C-42].
//   T2. The first end wins. From then on only accounting (metrics, logs) is heard, by taps alone; the rest is late.
//   T3. Ending comes in two halves: `latch` sends everything but the terminal, at once; `seal` sends the terminal, after
//       whatever must be stored first is stored [G4].
//   T4. A batch is given out, the turn's usage is told (not for a cancelled turn, C-44) and open tools are closed
//       before the terminal [W-FR-9a, W-EV-11, I-23].
//   T5. An event that is none is refused to whoever wrote it, and changes nothing.
//   T6. A tap that throws is reported and costs neither the turn nor the other taps their event.
//   T7. The clock is read once per event, for the taps and for the frame: a reading costs as much as a stage.
//   T8. Text, the frame of every token, is written as bytes to where the log keeps it; other frames are made as text.
//   T9. While the writer is held back the agent cannot be heard: it has not fallen silent [D-6].

import type { AgentEvent, Clock, Draft, TurnOutcome, Usage } from "@framerail/protocol";
import {
  addUsage,
  checkEvent,
  createFrameEncoder,
  createSseFraming,
  createTurnGuard,
  EVENT_TYPES,
  FramerailError,
  NO_USAGE,
  splitText,
  TEXT_CHUNK_BYTES_MAX,
} from "@framerail/protocol";
import { markOf, msSince } from "../clock.js";
import type { EncodedFrame, FrameSink } from "../log/frame-sink.js";
import type { Policy, PolicyReport, TurnPolicy, TurnPolicyOptions } from "../policy/policy.js";
import type { PolicyName } from "../registry/registry.js";
import { BACKLOG_BYTES_HIGH, BACKLOG_FACTOR_MAX } from "./limits.js";

/** Sees every event of a turn as it was written, and when. */
export interface Tap {
  take(event: AgentEvent, emitter: string, at: number): void;
}

/** Counts what becomes of events. Turns may share one, which is then in the processor's cache for each of them. */
export interface PublishObserver {
  /** What policy decided about an event. */
  decided(event: AgentEvent, emitter: string, decision: PolicyName): void;
  /** A frame went to the log. `size` in bytes; characters will do, for most text they are the same. */
  frame(draft: Draft, size: number): void;
  /** Around one write of the step; `started` is what the first gave. */
  startWrite(): number;
  endWrite(started: number): void;
}

export interface PublishTurnOptions {
  readonly turnId: string;
  readonly conversationId: string;
  /** Part of every cursor: which owner of the turn wrote it [D-2]. */
  readonly epoch: number;
  /** Under whose name the runtime itself writes. */
  readonly agentId: string;
  readonly policy: Policy;
  readonly sink: FrameSink;
  readonly taps: readonly Tap[];
  readonly clock: Clock;
  readonly observer?: PublishObserver | undefined;
  /** What operators must hear of. */
  report?(report: PublishReport): void;
}

export type PublishReport =
  | ({ readonly kind: "policy" } & PolicyReport)
  | { readonly kind: "late"; readonly event_type: string; readonly emitter: string }
  | { readonly kind: "violation"; readonly message: string }
  /** Whoever wrote did not wait for `ready`: the turn fails. */
  | { readonly kind: "pace_exceeded" }
  | { readonly kind: "tap_failed"; readonly event_type: string; readonly error: unknown };

export interface TurnPublication {
  readonly outcome: TurnOutcome | undefined;
  /** How long ago, at the time `now`, the last event came, or the writer was last held back (T9). */
  silentMs(now: number): number;
  /** Aborted at the latch, unless the turn completed; the reason is the FramerailError given to `latch`. */
  readonly signal: AbortSignal;
  /** Takes the next event of one of the turn's emitters; throws INVALID_EVENT at whoever wrote what is none. */
  accept(event: AgentEvent, emitter: string): void;
  /** Resolves when the log has caught up. */
  ready(): Promise<void>;
  /** Ends the turn but for its terminal frame. False when it had ended before. */
  latch(outcome: TurnOutcome, reason?: FramerailError): boolean;
  /** The terminal frame as it will go out; undefined while the turn runs. */
  readonly terminal: EncodedFrame | undefined;
  /** Sends the terminal frame, once, and resolves when readers may have it; the turn must have been latched. */
  seal(): Promise<void>;
}

/** Whoever runs the turn. */
export interface LatchListener {
  /** The outcome is certain. What goes out before the terminal goes in this tick, and whatever fails there changes nothing. */
  latched(): void;
}

export function publishTurn(options: PublishTurnOptions, listener?: LatchListener): TurnPublication {
  return new Publication(options, listener);
}

/** Still heard after the end, by taps: what the work that was cut off has cost [C-44]. */
const ACCOUNTING: ReadonlySet<string> = new Set(["metrics", "log"]);
/** The runtime alone opens and ends turns. */
const RUNTIME_ONLY: ReadonlySet<string> = new Set(["init_stream", "end_stream", "error"]);
const WRITABLE: ReadonlySet<unknown> = new Set(EVENT_TYPES.filter((type) => !RUNTIME_ONLY.has(type)));

/** Text up to here fits one frame, whatever its characters: three bytes at most for each unit. */
const TEXT_LENGTH_WHOLE = TEXT_CHUNK_BYTES_MAX / 3;

const NO_TAPS: readonly Tap[] = [];

/** The event that is on its way (T7): in one place for all turns, since its stages are through before another comes. */
const taken: { by: Publication | undefined; at: number } = { by: undefined, at: 0 };

class Publication implements TurnPublication, TurnPolicyOptions {
  // What every event needs stands here by itself: options are put together by callers in many shapes, and a load that
  // meets many costs more than a stage.
  readonly #options: PublishTurnOptions;
  readonly #listener: LatchListener | undefined;
  readonly #clock: Clock;
  readonly #tap: Tap | undefined;
  /** Most turns have one tap, which is not looked for among others. */
  readonly #otherTaps: readonly Tap[];
  readonly #sink: FrameSink;
  readonly #observer: PublishObserver | undefined;
  readonly #guard = createTurnGuard();
  readonly #encoder;
  readonly #policy: TurnPolicy;
  readonly #abort = new AbortController();
  #heardMark = 0;
  #held = 0;
  #seq = 0;
  #usage: Usage = NO_USAGE;
  #latching = false;
  #ended = false;
  #terminalDraft: Draft | undefined;
  #terminal: EncodedFrame | undefined;
  #sealed: Promise<void> | undefined;

  constructor(options: PublishTurnOptions, listener: LatchListener | undefined) {
    const { turnId, conversationId, epoch, clock, policy } = options;
    this.#options = options;
    this.#listener = listener;
    this.#clock = clock;
    [this.#tap] = options.taps;
    this.#otherTaps = options.taps.length > 1 ? options.taps.slice(1) : NO_TAPS;
    this.#sink = options.sink;
    this.#observer = options.observer;
    const framing = createSseFraming({ idPrefix: `${turnId}.${epoch}.` });
    this.#encoder = createFrameEncoder({ responseId: turnId, clock, framing });
    this.#policy = policy.open(this);
    this.#take(
      { type: "init_stream", run_id: turnId, conversation_id: conversationId, timestamp: clock.now() },
      options.agentId,
    );
  }

  get outcome(): TurnOutcome | undefined {
    return this.#guard.outcome;
  }

  get terminal(): EncodedFrame | undefined {
    return this.#terminal;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  silentMs(now: number): number {
    return this.#held > 0 ? 0 : msSince(this.#heardMark, now);
  }

  // T9
  async ready(): Promise<void> {
    this.#held += 1;
    try {
      await this.#sink.ready();
    } finally {
      this.#held -= 1;
      this.#heardMark = markOf(this.#clock.now());
    }
  }

  accept(event: AgentEvent, emitter: string): void {
    const observer = this.#observer;
    if (observer === undefined) {
      this.#accept(event, emitter);
      return;
    }
    const started = observer.startWrite();
    this.#accept(event, emitter);
    observer.endWrite(started);
  }

  #accept(event: AgentEvent, emitter: string): void {
    requireEvent(event);
    if ((event.type === "text" || event.type === "reasoning") && event.content.length > TEXT_LENGTH_WHOLE) {
      for (const content of splitText(event.content)) this.#take({ type: event.type, content }, emitter);
    } else this.#take(event, emitter);
  }

  latch(outcome: TurnOutcome, reason?: FramerailError): boolean {
    if (this.#latching || this.outcome !== undefined) return false;
    this.#sendLast(outcome);
    const drafts = this.#guard.end(outcome);
    this.#ended = true;
    this.#listener?.latched();
    const terminal = drafts.pop();
    for (const draft of drafts) {
      this.#tapCloser(draft);
      this.#append(draft);
    }
    if (terminal !== undefined) {
      this.#terminalDraft = terminal;
      this.#terminal = this.#encode(terminal);
    }
    this.#policy.close();
    if (outcome.kind !== "completed")
      this.#abort.abort(reason ?? new FramerailError("CANCELLED", "the turn has ended"));
    return true;
  }

  // T4. These frames, too, may go past the pace: that must not end the turn a second time, from inside its end (T2).
  #sendLast({ kind }: TurnOutcome): void {
    this.#latching = true;
    try {
      this.#policy.flush();
      if (kind !== "cancelled" && this.#usage.total_tokens > 0) {
        this.#take({ type: "usage", ...this.#usage }, this.#options.agentId);
      }
    } finally {
      this.#latching = false;
    }
  }

  seal(): Promise<void> {
    const terminal = this.#terminal;
    if (terminal === undefined) throw new FramerailError("INVARIANT_VIOLATION", "a turn is sealed before it ended");
    if (this.#sealed === undefined) {
      this.#observer?.frame(this.#terminalDraft as Draft, terminal.sse.length);
      this.#sealed = this.#sink.seal(terminal);
    }
    return this.#sealed;
  }

  #take(event: AgentEvent, emitter: string): void {
    const ended = this.#ended;
    if (ended && !ACCOUNTING.has(event.type)) {
      this.#options.report?.({ kind: "late", event_type: event.type, emitter });
      return;
    }
    const at = this.#clock.now();
    this.#heardMark = markOf(at);
    taken.by = this;
    taken.at = at;
    try {
      this.#tell(event, emitter, at);
      if (event.type === "metrics") this.#usage = addUsage(this.#usage, event.tokens);
      if (ended) return;
      const decision = this.#policy.apply(event, emitter);
      this.#observer?.decided(event, emitter, decision);
    } finally {
      taken.by = undefined;
    }
  }

  // T7: what is shown between events, a batch by its timer for instance, is shown at its own time.
  #now(): number {
    return taken.by === this ? taken.at : this.#clock.now();
  }

  /** What policy shows. */
  emit(draft: Draft): void {
    switch (this.#guard.admit(draft.type, draft.payload)) {
      case "pass":
        this.#append(draft);
        break;
      case "violation": {
        const message = this.#guard.violation()?.message ?? "a frame was refused";
        this.#options.report?.({ kind: "violation", message });
        this.#fail("protocol_violation", new FramerailError("PROTOCOL_VIOLATION", message));
        break;
      }
      default:
        this.#options.report?.({ kind: "late", event_type: draft.type, emitter: this.#options.agentId });
    }
  }

  /** What policy decided, where that is not the silent default. */
  report(report: PolicyReport): void {
    this.#options.report?.({ kind: "policy", ...report });
  }

  #encode({ type, payload }: Draft): EncodedFrame {
    const seq = this.#seq + 1;
    const sse = this.#encoder.encode(type, seq, payload, this.#now());
    this.#seq = seq;
    return { seq, type, sse };
  }

  #append(draft: Draft): void {
    const size = (draft.type === "text" && this.#appendText(draft.payload.chunk)) || this.#appendFrame(draft);
    this.#observer?.frame(draft, size);
    if (this.#sink.backlogBytes > BACKLOG_BYTES_HIGH * BACKLOG_FACTOR_MAX) this.#failPace();
  }

  #failPace(): void {
    const reason = new FramerailError("PACE_EXCEEDED", "the writer did not wait for ready()");
    // The last frames of a turn that ends may go past it, too.
    if (this.#fail("invariant_violation", reason)) this.#options.report?.({ kind: "pace_exceeded" });
  }

  #appendFrame(draft: Draft): number {
    const frame = this.#encode(draft);
    this.#sink.append(frame);
    return frame.sse.length;
  }

  // T8. 0: it is for the other way.
  #appendText(chunk: string): number {
    const bytesMax = this.#encoder.textBytesMax(chunk);
    const room = bytesMax === undefined ? undefined : this.#sink.claim?.(bytesMax);
    const seq = this.#seq + 1;
    const size = room === undefined ? 0 : this.#encoder.encodeText(chunk, seq, this.#now(), room);
    if (size === 0) return 0;
    this.#seq = seq;
    this.#sink.commit?.(seq, size);
    return size;
  }

  #fail(cause: "protocol_violation" | "invariant_violation", reason: FramerailError): boolean {
    return this.latch({ kind: "failed", error: { code: "INTERNAL_ERROR" }, cause }, reason);
  }

  // I-23: a pair that the end closes is closed at the writer layer too, for history and audit.
  #tapCloser({ type, payload }: Draft): void {
    if (type !== "tool_completed") return;
    const { id, name, type: tool_type, status } = payload.tool_call;
    const end = {
      type: "tool_call_end",
      tool_call_id: id,
      tool_name: name,
      tool_type,
      ...(status && { status }),
    } as const;
    this.#tell(end, this.#options.agentId, this.#now());
  }

  #tell(event: AgentEvent, emitter: string, at: number): void {
    if (this.#tap !== undefined) this.#tellTap(this.#tap, event, emitter, at);
    for (const tap of this.#otherTaps) this.#tellTap(tap, event, emitter, at);
  }

  // T6
  #tellTap(tap: Tap, event: AgentEvent, emitter: string, at: number): void {
    try {
      tap.take(event, emitter, at);
    } catch (error) {
      this.#options.report?.({ kind: "tap_failed", event_type: event.type, error });
    }
  }
}

function requireEvent(event: AgentEvent): void {
  const type: unknown = (event as { type?: unknown } | undefined)?.type;
  const isText = type === "text" || type === "reasoning";
  const issue =
    isText || WRITABLE.has(type)
      ? checkEvent(event)
      : { path: "type", rule: "one_of", message: "type must be the name of an event that an agent may write" };
  if (issue) throw new FramerailError("INVALID_EVENT", `an event cannot be written: ${issue.message}`, { issue });
}
