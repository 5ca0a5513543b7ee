// The writer: the one object through which every event of a turn passes [W-SW-1, W-SW-2]. Agents, sub-agents and tools
// are handed theirs; `writer()` finds the same one at any async depth.
// Owns: the typed methods, the ambient scope. Does not own: what becomes of an event (publish/), who the turn is for.
//   S1. A writer belongs to one turn and one emitter, and never switches [D-6].
//   S2. Methods return at once. An author who produces much awaits `ready()` between pieces: the log sets the pace.
//   S3. Outside a turn `writer()` throws NO_TURN; it never finds another turn's writer [W-SW-4].
//   S4. An agent may have a copy of this package of its own, beside the one that runs it: a writer is known by a symbol, and
//       the scope is one for all copies.

import { AsyncLocalStorage } from "node:async_hooks";
import type { AgentEvent, EventOf, Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { StatusId } from "./status-id.js";

type Fields<T extends AgentEvent["type"]> = Omit<EventOf<T>, "type">;

export interface Writer {
  /** The agent, sub-agent or tool owner whose events these are; status ids are checked against it. */
  readonly emitter: string;
  text(content: string): void;
  reasoning(content: string): void;
  thinking(content?: string): void;
  /** A registered id, never prose; `values` fill the sentence. */
  status(id: StatusId, values?: { readonly [name: string]: Json }): void;
  toolCall(call: Fields<"tool_call">): void;
  toolResult(result: Fields<"tool_result">): void;
  toolCallEnd(end: Fields<"tool_call_end">): void;
  dataLoading(data: Fields<"data_loading">): void;
  dataLoaded(data: Fields<"data_loaded">): void;
  component(component: Fields<"component">): void;
  log(level: EventOf<"log">["level"], message: string): void;
  /** Any event of the vocabulary; what the other methods call. */
  write(event: AgentEvent): void;
  /** Resolves when the log has caught up; at once while it keeps pace. */
  ready(): Promise<void>;
}

/** Where a writer's events go: publish/ implements it, one per turn. */
export interface EventSink {
  accept(event: AgentEvent, emitter: string): void;
  ready(): Promise<void>;
}

export function createWriter(sink: EventSink, emitter: string): Writer {
  return new SinkWriter(sink, emitter);
}

// S4
const GIVE_SINK = Symbol.for("framerail.give_sink");
const SCOPE = Symbol.for("framerail.writer_scope");

/** Where a writer's events go. For the runtime, which makes further writers of the same turn; authors never see a sink. */
export function sinkOf(own: Writer): EventSink {
  if (!(GIVE_SINK in own)) throw new FramerailError("INVALID_ARGUMENT", "this writer was not made by the runtime");
  return (own as SinkWriter)[GIVE_SINK]();
}

// A class: a turn has one at least, and thirteen functions of its own would be most of what an idle turn holds.
class SinkWriter implements Writer {
  readonly emitter: string;
  readonly #sink: EventSink;

  constructor(sink: EventSink, emitter: string) {
    this.emitter = emitter;
    this.#sink = sink;
  }

  [GIVE_SINK](): EventSink {
    return this.#sink;
  }

  write(event: AgentEvent): void {
    this.#sink.accept(event, this.emitter);
  }

  text(content: string): void {
    this.#sink.accept({ type: "text", content }, this.emitter);
  }

  reasoning(content: string): void {
    this.#sink.accept({ type: "reasoning", content }, this.emitter);
  }

  thinking(content?: string): void {
    this.write(content === undefined ? { type: "thinking" } : { type: "thinking", content, role: "reasoning" });
  }

  status(event_id: StatusId, values?: { readonly [name: string]: Json }): void {
    this.write(values === undefined ? { type: "status", event_id } : { type: "status", event_id, values });
  }

  toolCall(call: Fields<"tool_call">): void {
    this.write({ type: "tool_call", ...call });
  }

  toolResult(result: Fields<"tool_result">): void {
    this.write({ type: "tool_result", ...result });
  }

  toolCallEnd(end: Fields<"tool_call_end">): void {
    this.write({ type: "tool_call_end", ...end });
  }

  dataLoading(data: Fields<"data_loading">): void {
    this.write({ type: "data_loading", ...data });
  }

  dataLoaded(data: Fields<"data_loaded">): void {
    this.write({ type: "data_loaded", ...data });
  }

  component(component: Fields<"component">): void {
    this.write({ type: "component", ...component });
  }

  log(level: EventOf<"log">["level"], message: string): void {
    this.write({ type: "log", level, message });
  }

  ready(): Promise<void> {
    return this.#sink.ready();
  }
}

const shared = globalThis as { [SCOPE]?: AsyncLocalStorage<Writer> };
shared[SCOPE] ??= new AsyncLocalStorage<Writer>();
const scope = shared[SCOPE];

/** The writer of the turn that this code runs in, at any depth. */
export function writer(): Writer {
  const found = scope.getStore();
  if (found === undefined) throw new FramerailError("NO_TURN", "writer() was called outside a turn");
  return found;
}

/** Runs `body` in the scope of `own`, whatever scope the caller is in. */
export function runWithWriter<T>(own: Writer, body: () => T): T {
  return scope.run(own, body);
}
