// A turn's frames as a waterfall: what ran from when to when, by the times that the frames themselves carry.
// Owns: spans, marks and durations. Does not own: how they are drawn (timeline-view.tsx).
//   T1. Nothing is made up: a span begins and ends with frames; one without an end is open. Which tool ran inside which
//       sub-agent is not on the wire, so it is not told.
//   T2. Text is one span from its first to its last piece without a tool in between; so is reasoning.

import type { Frame } from "@framerail/protocol";
import type { ToolEnd } from "./frame-feed.js";

export type SpanKind = "tool" | "sub_agent" | "answer" | "reasoning" | "data";

export interface Span {
  readonly kind: SpanKind;
  readonly id: string;
  readonly name: string;
  readonly fromMs: number;
  /** Undefined while it is open. */
  readonly toMs: number | undefined;
  readonly end: ToolEnd | undefined;
  /** The frame that began it. */
  readonly seq: number;
  readonly frames: number;
}

export interface Mark {
  readonly kind: "status" | "error" | "component" | "terminal";
  readonly label: string;
  readonly atMs: number;
  readonly seq: number;
}

export interface Timeline {
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
  /** From the first frame to the last. */
  readonly durationMs: number;
  readonly firstTextMs: number | undefined;
}

type OpenSpan = { -readonly [Key in keyof Span]: Span[Key] };

/** `subAgents`: the names that are sub-agents of this agent and not its tools. */
export function timelineOf(frames: readonly Frame[], count: number, subAgents: ReadonlySet<string>): Timeline {
  const spans: OpenSpan[] = [];
  const marks: Mark[] = [];
  const open = new Map<string, OpenSpan>();
  let writing: OpenSpan | undefined;
  let firstTextMs: number | undefined;
  const start = Date.parse(frames[0]?.timestamp ?? "");
  let atMs = 0;

  const begin = (kind: SpanKind, id: string, name: string, seq: number): OpenSpan => {
    const span = { kind, id, name, fromMs: atMs, toMs: undefined, end: undefined, seq, frames: 1 };
    spans.push(span);
    return span;
  };
  const write = (kind: "answer" | "reasoning", seq: number) => {
    if (writing?.kind !== kind) writing = begin(kind, `${kind}-${seq}`, kind, seq);
    else writing.frames += 1;
    writing.toMs = atMs;
  };
  const finish = (id: string, end: ToolEnd) => {
    const span = open.get(id);
    if (span !== undefined) Object.assign(span, { toMs: atMs, end });
    open.delete(id);
  };

  for (let index = 0; index < count; index += 1) {
    const frame = frames[index] as Frame;
    const seq = frame.seq ?? index + 1;
    atMs = Math.max(0, Date.parse(frame.timestamp) - start);
    switch (frame.event_type) {
      case "text":
        firstTextMs ??= atMs;
        write("answer", seq);
        break;
      case "reasoning":
        write("reasoning", seq);
        break;
      case "tool_call": {
        // T2
        writing = undefined;
        const { id, name } = frame.tool_call;
        open.set(id, begin(subAgents.has(name) ? "sub_agent" : "tool", id, name, seq));
        break;
      }
      case "tool_completed":
        writing = undefined;
        finish(frame.tool_call.id, frame.tool_call.status ?? "finished");
        break;
      case "data_loading":
        open.set(`data ${frame.data.id}`, begin("data", frame.data.id, frame.data.type, seq));
        break;
      case "data_loaded":
        finish(`data ${frame.data.id}`, "finished");
        break;
      default: {
        const mark = markOf(frame);
        if (mark !== undefined) marks.push({ ...mark, atMs, seq });
      }
    }
  }
  return { spans, marks, durationMs: atMs, firstTextMs };
}

function markOf(frame: Frame): Pick<Mark, "kind" | "label"> | undefined {
  switch (frame.event_type) {
    case "status":
      return { kind: "status", label: frame.data.event_id };
    case "error":
      return { kind: "error", label: frame.error.code };
    case "component":
      return { kind: "component", label: frame.tool_call.name };
    case "completed":
      return { kind: "terminal", label: frame.has_more === true ? "completed, paused" : "completed" };
    case "cancelled":
      return { kind: "terminal", label: frame.error.code };
    default:
      return undefined;
  }
}

/** Milliseconds for a person: `240 ms`, `3.41 s`, `2 min 5 s`. */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
