// A turn on the workbench that is counted the way the stages of a turn count: policy tells its decisions, the sink its
// frames, the end its outcome.

import type { TurnOutcome } from "@framerail/protocol";
import { parseJson, readFrame, sseDataStart, systemClock } from "@framerail/protocol";
import type { Agent } from "../../agent/agent.js";
import type { RunTurnOptions } from "../../dispatch/run-turn.js";
import { agentOf, forwardAll, keepFrames, start, tick } from "../../dispatch/testing/turn-bench.js";
import type { EncodedFrame, FrameSink } from "../../log/frame-sink.js";
import type { Policy } from "../../policy/policy.js";
import type { Dimensions } from "../dimensions.js";
import type { Metrics } from "../metrics.js";
import type { StreamMeter, TurnMeter } from "../turn-meter.js";

/** Writes a status that is shown, one that nobody registered, what stays inside, and forty pieces of text. */
export const busyAgent = agentOf(async ({ writer }) => {
  writer.status("composing_answer");
  writer.status("made_up_here");
  writer.write({ type: "support_content", content: {} });
  for (let index = 0; index < 40; index += 1) writer.text(`piece ${index} `);
  await tick();
  writer.write({ type: "log", level: "info", message: "hello" });
});

export interface MeteredOptions extends Partial<Pick<RunTurnOptions, "policy" | "report">> {
  readonly dimensions?: Dimensions;
}

/** Starts the turn; `ended` resolves when it is over and counted. */
export function startMetered(metrics: Metrics, agent: Agent, options: MeteredOptions = {}) {
  const { dimensions = { sub_agent_id: agent.manifest.id }, policy = forwardAll, ...rest } = options;
  const meter = metrics.turn(dimensions);
  const meterOf = (sub_agent_id: string) => metrics.stream({ ...dimensions, sub_agent_id });
  const own = metrics.stream(dimensions);
  const writer = { current: own };
  const sink = keepFrames();
  const { turn, events } = start(agent, {
    ...rest,
    clock: systemClock,
    policy: meterPolicy(policy, meterOf, writer),
    sink: meterSink(sink, meter, own, writer),
  });
  const ended: Promise<TurnOutcome> = turn.ended.then((outcome) => {
    meter.end(outcome.kind);
    return outcome;
  });
  return { turn, meter, sink, events, ended };
}

function meterPolicy(
  policy: Policy,
  meterOf: (emitter: string) => StreamMeter,
  writer: { current: StreamMeter },
): Policy {
  return {
    ...policy,
    open(options) {
      const inner = policy.open(options);
      return {
        apply(event, emitter) {
          const meter = meterOf(emitter);
          writer.current = meter;
          const started = meter.startWrite();
          const decision = inner.apply(event, emitter);
          meter.endWrite(started);
          meter.policy(event.type, decision);
          if (event.type === "status" && decision !== "suppress") meter.status(event.event_id);
          return decision;
        },
        flush: () => inner.flush(),
        close: () => inner.close(),
      };
    },
  };
}

function meterSink(sink: FrameSink, meter: TurnMeter, own: StreamMeter, writer: { current: StreamMeter }): FrameSink {
  return {
    get backlogBytes() {
      return sink.backlogBytes;
    },
    ready: () => sink.ready(),
    append(frame) {
      sink.append(frame);
      meter.ttfe(0.4);
      count(frame, meter, writer.current);
    },
    seal(terminal) {
      count(terminal, meter, own);
      return sink.seal(terminal);
    },
  };
}

function count({ type, sse }: EncodedFrame, meter: TurnMeter, writer: StreamMeter): void {
  writer.frame(type, sse.length);
  const reading = readFrame(parseJson(sse.slice(sseDataStart(sse), -2)));
  if (reading.kind !== "frame") throw new Error(`${reading.event_type} is no frame`);
  const { frame } = reading;
  if (frame.event_type === "completed") meter.terminal("completed");
  if (frame.event_type === "error") {
    writer.errorFrame(frame.error.code);
    if (frame.is_final) meter.terminal("error");
  }
  if (frame.event_type === "cancelled") {
    meter.terminal("cancelled");
    meter.cancelled(frame.error.code);
  }
}
