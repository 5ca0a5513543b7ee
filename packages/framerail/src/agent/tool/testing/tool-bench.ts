// A turn to run tools in: real writer, real publication, real bytes. Its policy shows every event that has a frame, but
// for those a test wants quiet; its time passes by hand where a test asks.

import type { AgentEvent, Clock, EventType, Frame, FrameType } from "@framerail/protocol";
import { FRAME_OF_EVENT, parseJson, readFrame, sseDataStart, systemClock, toFrame } from "@framerail/protocol";
import type { EncodedFrame } from "../../../log/frame-sink.js";
import type { Policy } from "../../../policy/policy.js";
import { publishTurn } from "../../../publish/publish-turn.js";
import { createWriter } from "../../writer.js";
import type { ToolCallContext } from "../run-tool.js";
import type { ToolReport } from "../tool-outcome.js";

export const PRINCIPAL = { tenant_id: "tenant_1", user_id: "user_1" };

export interface ToolBench {
  readonly context: ToolCallContext;
  readonly reports: ToolReport[];
  /** Codes of what was reported, in order. */
  codes(): string[];
  events(): AgentEvent[];
  eventsOf<T extends EventType>(...types: T[]): Extract<AgentEvent, { type: T }>[];
  /** What the wire carries: types without the first, frames, bytes. */
  types(): string[];
  frames(): Frame[];
  wire(): string;
  cancel(): void;
  complete(): void;
}

export interface ToolBenchOptions {
  readonly clock?: Clock;
  readonly quiet?: readonly FrameType[];
  readonly turnId?: string;
}

export function toolBench({ clock = systemClock, quiet = [], turnId = "turn_1" }: ToolBenchOptions = {}): ToolBench {
  const kept: EncodedFrame[] = [];
  const events: AgentEvent[] = [];
  const reports: ToolReport[] = [];
  const turn = publishTurn({
    turnId,
    conversationId: "conv_1",
    agentId: "assistant",
    epoch: 1,
    policy: showAllBut(quiet),
    sink: {
      append: (frame) => void kept.push(frame),
      seal: (terminal) => Promise.resolve(void kept.push(terminal)),
      backlogBytes: 0,
      ready: () => Promise.resolve(),
    },
    taps: [{ take: (event) => void events.push(event) }],
    clock,
  });
  return {
    context: {
      writer: createWriter(turn, "assistant"),
      signal: turn.signal,
      principal: PRINCIPAL,
      clock,
      report: (report) => void reports.push(report),
    },
    reports,
    codes: () => reports.map(({ error }) => error.code),
    events: () => [...events],
    eventsOf: <T extends EventType>(...types: T[]) =>
      events.filter((event): event is Extract<AgentEvent, { type: T }> => (types as string[]).includes(event.type)),
    types: () => kept.map(({ type }) => type).slice(1),
    frames: () => kept.map(readKept),
    wire: () => kept.map(({ sse }) => sse).join(""),
    cancel: () => void turn.latch({ kind: "cancelled", code: "REQUEST_CANCELLED" }),
    complete() {
      turn.latch({ kind: "completed" });
      void turn.seal();
    },
  };
}

function showAllBut(quiet: readonly FrameType[]): Policy {
  return {
    shows: (type) => !quiet.some((frame) => frame === type),
    open: (turn) => ({
      apply(event) {
        const draft = typeof FRAME_OF_EVENT[event.type] === "function" ? toFrame(event) : undefined;
        if (draft === undefined || quiet.includes(draft.type)) return "suppress";
        turn.emit(draft);
        return "forward";
      },
      flush: () => undefined,
      close: () => undefined,
    }),
  };
}

function readKept({ sse }: EncodedFrame): Frame {
  const reading = readFrame(parseJson(sse.slice(sseDataStart(sse), -2)));
  if (reading.kind !== "frame") throw new Error(`${reading.event_type} is no frame`);
  return reading.frame;
}

export interface HandClock extends Clock {
  /** Lets time pass and calls what is due. */
  pass(ms: number): void;
  readonly waiting: number;
}

export function handClock(): HandClock {
  let now = Date.UTC(2026, 4, 15, 18);
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => now,
    schedule(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass(ms) {
      now += ms;
      for (const timer of timers) if (timer.at <= now && timers.delete(timer)) timer.callback();
    },
    get waiting() {
      return timers.size;
    },
  };
}

export const tick = () => new Promise((resolve) => setImmediate(resolve));

/** A promise that a test resolves when it wants to. */
export function createDoor(): { readonly opened: Promise<void>; open(): void } {
  const doors: (() => void)[] = [];
  const opened = new Promise<void>((resolve) => doors.push(resolve));
  return { opened, open: () => doors[0]?.() };
}
