// The decision for every event type, as one table: a look-up is all that a turn does [W-FR-4, W-NFR-4].
// Owns: what is forwarded or kept inside, and what must not overtake a batch. Does not own: statuses (status-rules.ts).
//   V1. Default-deny: a type that the protocol does not map to a frame stays inside, and so does an unknown one [W-R-6].
//   V2. A batch comes before what answers it: text, data, components and errors; other frames pass it [D-11].

import type { AgentEvent, Draft, EventType } from "@framerail/protocol";
import { EVENT_TYPES, FRAME_OF_EVENT } from "@framerail/protocol";
import type { Cohort } from "./cohort.js";

/** What has to go out before an event's frame: nothing, the batches, or every status that waits. */
export type Precedence = "nothing" | "batches" | "every_status";

export interface EventRule {
  /** Undefined: the event stays inside, or is a status. Every rule has the field, so that all are of one shape. */
  readonly toDraft: ((event: AgentEvent) => Draft) | undefined;
  readonly after: Precedence;
}

const COMES_AFTER: { readonly [T in EventType]?: Precedence } = {
  text: "batches",
  data_loaded: "batches",
  component: "batches",
  part_failed: "batches",
  error: "every_status",
  end_stream: "every_status",
};

export const KEPT_INSIDE: EventRule = { toDraft: undefined, after: "nothing" };

export function resolveEventRules(policies: Cohort["policies"] = {}): ReadonlyMap<string, EventRule> {
  return new Map(EVENT_TYPES.map((type) => [type, resolveRule(type, policies)]));
}

function resolveRule(type: EventType, policies: NonNullable<Cohort["policies"]>): EventRule {
  const mapping = FRAME_OF_EVENT[type];
  if (typeof mapping !== "function" || policies[type] === "suppress") return KEPT_INSIDE;
  return { toDraft: mapping as (event: AgentEvent) => Draft, after: COMES_AFTER[type] ?? "nothing" };
}
