// A turn on a workbench: a policy that shows every event that has a frame, a sink that keeps what it gets, a clock that
// stands still until it is told.

import type { AgentEvent, Clock, Frame } from "@framerail/protocol";
import { FRAME_OF_EVENT, parseJson, readFrame, sseDataStart, systemClock, toFrame } from "@framerail/protocol";
import type { Agent, RunContext, RunEnd, TurnInput } from "../../agent/agent.js";
import type { EncodedFrame, FrameSink } from "../../log/frame-sink.js";
import type { Policy } from "../../policy/policy.js";
import type { PublishReport } from "../../publish/publish-turn.js";
import { agentStep } from "../../worker/run-agent.js";
import type { RunTurnOptions } from "../run-turn.js";
import { runTurn } from "../run-turn.js";

export const forwardAll: Policy = {
  shows: (type) => typeof FRAME_OF_EVENT[type] === "function",
  open: (turn) => ({
    apply(event) {
      if (event.type === "status") {
        turn.emit({ type: "status", payload: { data: { event_id: event.event_id, message: event.event_id } } });
        return "transform";
      }
      const draft = typeof FRAME_OF_EVENT[event.type] === "function" ? toFrame(event) : undefined;
      if (draft === undefined) return "suppress";
      turn.emit(draft);
      return "forward";
    },
    flush: () => undefined,
    close: () => undefined,
  }),
};

export interface KeptFrames extends FrameSink {
  backlogBytes: number;
  readonly kept: EncodedFrame[];
  frames(): Frame[];
  types(): string[];
  wire(): string;
}

export function keepFrames(): KeptFrames {
  const kept: EncodedFrame[] = [];
  const read = ({ sse }: EncodedFrame): Frame => {
    const reading = readFrame(parseJson(sse.slice(sseDataStart(sse), -2)));
    if (reading.kind !== "frame") throw new Error(`${reading.event_type} is no frame`);
    return reading.frame;
  };
  return {
    kept,
    backlogBytes: 0,
    append: (frame) => void kept.push(frame),
    seal(terminal) {
      this.append(terminal);
      return Promise.resolve();
    },
    ready: () => Promise.resolve(),
    frames: () => kept.map(read),
    types: () => kept.map(({ type }) => type),
    wire: () => kept.map(({ sse }) => sse).join(""),
  };
}

export interface HandClock extends Clock {
  /** Lets time pass and calls what is due, in order. */
  pass(ms: number): void;
  readonly waiting: number;
}

export function handClock(start = Date.UTC(2026, 4, 15, 18)): HandClock {
  let now = start;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    schedule(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    pass(ms) {
      const until = now + ms;
      for (;;) {
        const due = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((other) => other !== due);
        now = due.at;
        due.callback();
      }
      now = until;
    },
    get waiting() {
      return timers.length;
    },
  };
}

export const INPUT: TurnInput = { turn_id: "turn_1", conversation_id: "conv_1", message: "hello", history: [] };
export const PRINCIPAL = { tenant_id: "tenant_1", user_id: "user_1" };

/** An agent of free-form code. */
export function agentOf(run: (context: RunContext, input: TurnInput) => Promise<unknown>, id = "assistant"): Agent {
  return {
    manifest: { id, emitters: [{ id, emits: [] }] },
    run: async (input, context) => ((await run(context, input)) as RunEnd | undefined) ?? { kind: "completed" },
  };
}

export function recordEvents() {
  const events: { event: AgentEvent; emitter: string }[] = [];
  return { events, tap: { take: (event: AgentEvent, emitter: string) => void events.push({ event, emitter }) } };
}

/** Starts a turn of the agent on the bench. */
export function start(agent: Agent, options: Partial<RunTurnOptions> = {}) {
  const sink = keepFrames();
  const { events, tap } = recordEvents();
  const reports: PublishReport[] = [];
  const failures: unknown[] = [];
  const turn = runTurn({
    step: agentStep(agent, INPUT, PRINCIPAL),
    turnId: INPUT.turn_id,
    conversationId: INPUT.conversation_id,
    agentId: agent.manifest.id,
    policy: forwardAll,
    sink,
    taps: [tap],
    epoch: 1,
    clock: systemClock,
    report: (report) => reports.push(report),
    onFailure: (error) => failures.push(error),
    ...options,
  });
  return { turn, sink, events, reports, failures };
}
/** Plays a turn of the agent to its end. */
export const play = async (agent: Agent, options: Partial<RunTurnOptions> = {}) => {
  const started = start(agent, options);
  return { outcome: await started.turn.ended, ...started };
};
/** Until everything that could happen now has happened. */
export const tick = () => new Promise((resolve) => setImmediate(resolve));
