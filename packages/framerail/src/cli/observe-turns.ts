// From what a turn does to what is counted of it: dispatch's observer on telemetry's meter.

import type { AgentEvent, Draft, TurnOutcome } from "@framerail/protocol";
import { steadyMs } from "../clock.js";
import type { TurnObserver } from "../dispatch/observe-turn.js";
import type { PublishObserver } from "../publish/publish-turn.js";
import type { PolicyName } from "../registry/registry.js";
import { DIMENSION_VALUES_MAX } from "../telemetry/limits.js";
import type { Logger } from "../telemetry/logger.js";
import type { Metrics } from "../telemetry/metrics.js";
import type { StreamMeter, TurnMeter } from "../telemetry/turn-meter.js";
import { watchUnregistered } from "../telemetry/unregistered-status.js";

export interface ObserveOptions {
  readonly metrics: Metrics;
  /** Hears of status ids that nobody registered. */
  readonly logger: Logger;
}

export function observeTurns({ metrics, logger }: ObserveOptions): (turn: ObservedTurn) => TurnObserver {
  const report = watchUnregistered({
    count: () => metrics.unregisteredStatus(),
    warn: ({ message, emitter, event_id }) => logger.warn(message, { agent_id: emitter, event_id }),
  });
  const counters = new Map<string, EventCounter>();
  const counterOf = (agentId: string) => {
    const events = counters.get(agentId) ?? new EventCounter(metrics, agentId);
    counters.set(agentId, events);
    return events;
  };
  return ({ agentId }) => new Observer({ metrics, agentId, events: counterOf(agentId), report });
}

/** Counts the events of all turns of an agent. */
class EventCounter implements PublishObserver {
  readonly #metrics: Metrics;
  readonly #agentId: string;
  /** The agent's own, which most events are of. */
  readonly #own: StreamMeter;
  readonly #others = new Map<string, StreamMeter>();

  constructor(metrics: Metrics, agentId: string) {
    this.#metrics = metrics;
    this.#agentId = agentId;
    this.#own = metrics.stream({ sub_agent_id: agentId });
  }

  decided(event: AgentEvent, emitter: string, decision: PolicyName): void {
    const meter = emitter === this.#agentId ? this.#own : this.#meterOf(emitter);
    meter.policy(event.type, decision);
    // Not by frame: of statuses that are joined, the frame has the id of the first alone.
    if (event.type === "status" && decision !== "suppress") meter.status(event.event_id);
  }

  frame(draft: Draft, size: number): void {
    this.#own.frame(draft.type, size);
    if (draft.type === "error") this.#own.errorFrame(draft.payload.error.code);
  }

  startWrite(): number {
    return this.#own.startWrite();
  }

  endWrite(started: number): void {
    this.#own.endWrite(started);
  }

  #meterOf(emitter: string): StreamMeter {
    const known = this.#others.get(emitter);
    if (known !== undefined) return known;
    const meter = this.#metrics.stream({ sub_agent_id: emitter });
    // Past the maximum all are "other", and are looked up again each time rather than kept.
    if (this.#others.size < DIMENSION_VALUES_MAX) this.#others.set(emitter, meter);
    return meter;
  }
}

interface ObserverOptions extends Pick<TurnObserver, "events" | "report"> {
  readonly metrics: Metrics;
  readonly agentId: string;
}

class Observer implements TurnObserver {
  readonly events: PublishObserver;
  readonly report: TurnObserver["report"];
  readonly #metrics: Metrics;
  readonly #meter: TurnMeter;
  readonly #startedAt = steadyMs();

  constructor({ metrics, agentId, events, report }: ObserverOptions) {
    this.events = events;
    this.report = report;
    this.#metrics = metrics;
    this.#meter = metrics.turn({ sub_agent_id: agentId });
  }

  opened(): void {
    this.#meter.ttfe(steadyMs() - this.#startedAt);
  }

  async commit<T>(work: () => Promise<T>): Promise<T> {
    const began = steadyMs();
    try {
      return await work();
    } finally {
      this.#metrics.commitTook(steadyMs() - began);
    }
  }

  ended(outcome: TurnOutcome | undefined): void {
    countEnd(this.#meter, outcome);
  }
}

interface ObservedTurn {
  readonly agentId: string;
}

function countEnd(meter: TurnMeter, outcome: TurnOutcome | undefined): void {
  if (outcome === undefined) {
    meter.end("left");
    return;
  }
  if (outcome.kind === "cancelled") {
    meter.terminal("cancelled");
    meter.cancelled(outcome.code);
  } else meter.terminal(outcome.kind === "failed" ? "error" : "completed");
  meter.end(outcome.kind);
}
