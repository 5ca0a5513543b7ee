// The decision and the words for every registered status, as one table [W-POL-2].
// Owns: how registry and cohort become one rule. Does not own: rendering, timing.
//   U1. An id is no wire type and no event type: statuses share the one frame `status` [W-POL-6].
//   U2. A deprecated id has a rule like any other: builds made before it was retired still use it [I-6].
//   U3. A group has one window: the cohort's, or the shortest its entries ask for, or the default.

import { FramerailError, isEventType, isFrameType } from "@framerail/protocol";
import type { PolicyName, Registry, StatusEntry } from "../registry/registry.js";
import type { Cohort } from "./cohort.js";
import { isWindowMs, WINDOW_MS_MAX } from "./limits.js";
import type { StatusRenderer, StatusWords } from "./render-status.js";

export interface StatusRule {
  readonly id: string;
  readonly decision: "transform" | "suppress" | "batch";
  readonly words: StatusWords;
  readonly group: string;
  readonly windowMs: number;
}

export interface StatusRulesOptions {
  readonly registry: Registry;
  readonly cohort: Cohort | undefined;
  readonly renderer: StatusRenderer;
  readonly windowMs: number;
}

export function resolveStatusRules(options: StatusRulesOptions): ReadonlyMap<string, StatusRule> {
  const { registry, cohort, renderer } = options;
  const windows = resolveWindows(options);
  const overrides = new Map(Object.entries(cohort?.policies ?? {}));
  const rules = new Map<string, StatusRule>();
  for (const [id, entry] of registry.entries) {
    if (isEventType(id) || isFrameType(id))
      throw new FramerailError("INVALID_REGISTRY", `the status ${id} has the name of an event or a frame`);
    const group = groupOf(entry);
    const windowMs = windows.get(group) ?? options.windowMs;
    rules.set(id, { id, decision: decide(entry, overrides), words: renderer.wordsOf(entry), group, windowMs });
  }
  return rules;
}

function decide(entry: StatusEntry, overrides: ReadonlyMap<string, PolicyName>): StatusRule["decision"] {
  if (entry.default_policy === "suppress") return "suppress";
  const policy = overrides.get(entry.id) ?? overrides.get("status") ?? entry.default_policy;
  // An id alone is not a sentence, so that forwarding a status is rendering it.
  return policy === "forward" ? "transform" : policy;
}

/** Entries without a group batch with themselves alone. */
function groupOf({ id, batch }: StatusEntry): string {
  return batch?.group ?? id;
}

function resolveWindows({ registry, cohort }: StatusRulesOptions): Map<string, number> {
  const windows = new Map<string, number>();
  for (const entry of registry.entries.values()) {
    const ms = entry.batch?.window_ms;
    if (ms === undefined) continue;
    if (!isWindowMs(ms))
      throw new FramerailError("INVALID_REGISTRY", `window_ms of ${entry.id} must be from 1 to ${WINDOW_MS_MAX}`);
    const group = groupOf(entry);
    windows.set(group, Math.min(ms, windows.get(group) ?? ms));
  }
  for (const [group, ms] of Object.entries(cohort?.windows ?? {})) windows.set(group, ms);
  return windows;
}
