// From what a turn does to what is counted of it: dispatch's observer on telemetry's meter.

import type { AgentEvent, Draft, TurnOutcome } from "@framerail/protocol";
import { steadyMs } from "../clock.js";
import type { TurnObserver } from "../dispatch/observe-turn.js";
import type { PolicyName } from "../registry/registry.js";
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
  const onUnregistered = watchUnregistered({
    count: () => metrics.unregisteredStatus(),
    warn: ({ message, emitter, event_id }) => logger.warn(message, { agent_id: emitter, event_id }),
  });
  return ({ agentId }) => new Observer({ metrics, agentId, report: onUnregistered });
}

class Observer implements TurnObserver {
  readonly #metrics: Metrics;
  readonly #agentId: string;
  readonly #meter: TurnMeter;
  /** The agent's own, which most events are of. */
  readonly #own: StreamMeter;
  readonly #startedAt = steadyMs();
  readonly report: TurnObserver["report"];

  constructor({ metrics, agentId, report }: Pick<TurnObserver, "report"> & { metrics: Metrics; agentId: string }) {
    this.#metrics = metrics;
    this.#agentId = agentId;
    this.#meter = metrics.turn({ sub_agent_id: agentId });
    this.#own = this.#meter.emitter(agentId);
    this.report = report;
  }

  decided(event: AgentEvent, emitter: string, decision: PolicyName): void {
    const meter = emitter === this.#agentId ? this.#own : this.#meter.emitter(emitter);
    meter.policy(event.type, decision);
  }

  frame(draft: Draft, seq: number, size: number): void {
    this.#own.frame(draft.type, size);
    if (seq === 1) this.#meter.ttfe(steadyMs() - this.#startedAt);
    if (draft.type === "status") this.#meter.status(draft.payload.data.event_id);
    if (draft.type === "error") this.#meter.errorFrame(draft.payload.error.code);
  }

  startWrite(): number {
    return this.#own.startWrite();
  }

  endWrite(started: number): void {
    this.#own.endWrite(started);
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
