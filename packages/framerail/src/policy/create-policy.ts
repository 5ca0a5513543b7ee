// Makes the policy of one cohort and one locale: everything that can be looked up is looked up here, so that an event
// of a turn costs one look-up [W-POL-5, W-NFR-4]. Whoever runs turns keeps it and opens it once per turn.
// Owns: composing tables, words and batch; the path of one event. Does not own: any of their rules.
//   P1. One decision per event, by its type or its status id. The emitter is handed through to the report and never
//       looked at [W-FR-4].
//   P2. Forwarding is the silent default: nothing is made for it but the frame. Everything else is reported.
//   P3. An unregistered id is suppressed and reported, and the turn goes on [W-REG-11].
//   P4. After `close` nothing is given out.

import type { AgentEvent, Clock, Draft, EventOf } from "@framerail/protocol";
import type { PolicyName, Registry } from "../registry/registry.js";
import { chooseLocale, type WantedLocale } from "./choose-locale.js";
import { type Cohort, checkCohort } from "./cohort.js";
import { type EventRule, KEPT_INSIDE, resolveEventRules } from "./event-rules.js";
import { resolveTiming, type StatusTiming } from "./limits.js";
import { createMessageLayers } from "./message-layers.js";
import type { Policy, TurnPolicy, TurnPolicyOptions } from "./policy.js";
import { createStatusRenderer, type StatusRenderer, type UnfilledMessage } from "./render-status.js";
import { StatusBatch } from "./status-batch.js";
import { resolveStatusRules, type StatusRule } from "./status-rules.js";

export interface PolicyOptions {
  readonly registry: Registry;
  /** What the reader asked for; the best the registry has is used. */
  readonly locale: WantedLocale;
  /** The defaults for everybody, where absent. */
  readonly cohort?: Cohort | undefined;
  readonly clock: Clock;
  readonly limits?: Partial<StatusTiming>;
  /** Hears of messages that could not be filled with the values of an event. */
  onUnfilled?(message: UnfilledMessage): void;
}

/** Throws INVALID_ARGUMENT for an override or a limit that cannot be, INVALID_REGISTRY for entries without words. */
export function createPolicy(options: PolicyOptions): Policy {
  const { registry, cohort, clock, onUnfilled } = options;
  const timing = resolveTiming(options.limits);
  if (cohort !== undefined) checkCohort(cohort, registry);
  const locale = chooseLocale(options.locale, registry);
  const layers = createMessageLayers(registry, locale, cohort?.messages);
  const renderer = createStatusRenderer({ locale, layers, ...(onUnfilled && { onUnfilled }) });
  const statuses = resolveStatusRules({ registry, cohort, renderer, windowMs: timing.windowMs });
  const events = resolveEventRules(cohort?.policies);
  const tables: Tables = { events, statuses, renderer, timing, clock };
  return {
    shows: (type) => events.get(type)?.toDraft !== undefined,
    open: (turn) => new OpenPolicy(tables, turn),
  };
}

interface Tables {
  readonly events: ReadonlyMap<string, EventRule>;
  readonly statuses: ReadonlyMap<string, StatusRule>;
  readonly renderer: StatusRenderer;
  readonly timing: StatusTiming;
  readonly clock: Clock;
}

class OpenPolicy implements TurnPolicy {
  readonly #tables: Tables;
  readonly #turn: TurnPolicyOptions;
  /** Made for the first status: many turns have none. */
  #batch: StatusBatch | undefined;
  #closed = false;

  constructor(tables: Tables, turn: TurnPolicyOptions) {
    this.#tables = tables;
    this.#turn = turn;
  }

  apply(event: AgentEvent, emitter: string): PolicyName {
    const { toDraft, after } = this.#tables.events.get(event.type) ?? KEPT_INSIDE;
    if (toDraft !== undefined) {
      if (this.#batch !== undefined && after !== "nothing") {
        if (after === "batches") this.#batch.closeWindows();
        else this.#batch.flush();
      }
      this.#emit(toDraft(event));
      return "forward";
    }
    if (event.type === "status") return this.#applyStatus(event, emitter);
    this.#turn.report?.({ event, emitter, decision: "suppress" });
    return "suppress";
  }

  flush(): void {
    this.#batch?.flush();
  }

  close(): void {
    this.#closed = true;
    this.#batch?.close();
  }

  // P4
  #emit(draft: Draft): void {
    if (!this.#closed) this.#turn.emit(draft);
  }

  #applyStatus(event: EventOf<"status">, emitter: string): PolicyName {
    const rule = this.#tables.statuses.get(event.event_id);
    if (rule === undefined) {
      this.#turn.report?.({ event, emitter, decision: "suppress", unregistered: true });
      return "suppress";
    }
    const { decision } = rule;
    this.#turn.report?.({ event, emitter, decision });
    if (decision !== "suppress" && !this.#closed) this.#batchOf().add(rule, event.values);
    return decision;
  }

  #batchOf(): StatusBatch {
    const { renderer, timing, clock } = this.#tables;
    this.#batch ??= new StatusBatch({ clock, timing, renderer, emit: (draft) => this.#emit(draft) });
    return this.#batch;
  }
}
