// Judges what an agent says it may write against the registry, when it is built and before any model is called
// [W-FR-11, W-REG-8]. Chat, scheduled jobs and whatever else emits are judged alike, by the same registry [W-REG-13].
// Owns: the three refusals and their words. Does not own: ids made up at run time (policy/ suppresses and counts them).
//   E1. Every emitter and every id is looked at, and every miss is named.
//   E2. A deprecated id refuses a new build unless its grace is asked for; an older build still renders it [I-6].

import type { Registry } from "./registry.js";
import { sayDeprecated } from "./registry.js";

/** What an agent's manifest says of its emissions: the agent under its own id, and its sub-agents. */
export interface DeclaredEmissions {
  readonly id: string;
  readonly emitters: readonly { readonly id: string; readonly emits: readonly string[] }[];
}

export interface EmissionProblem {
  readonly kind: "unknown" | "deprecated" | "wrong_emitter";
  readonly id: string;
  readonly emitter: string;
  readonly message: string;
}

export interface JudgeOptions {
  /** Lets a build go on that still declares deprecated ids, for the time its emitters need to stop. */
  readonly allowDeprecated?: boolean;
}

export function judgeEmissions(
  manifest: DeclaredEmissions,
  registry: Registry,
  options: JudgeOptions = {},
): EmissionProblem[] {
  const problems: EmissionProblem[] = [];
  for (const { id: emitter, emits } of manifest.emitters) {
    for (const id of new Set(emits)) {
      const found = judgeOne(emitter, id, registry, options);
      if (found !== undefined) problems.push({ ...found, id, emitter });
    }
  }
  return problems;
}

function judgeOne(
  emitter: string,
  id: string,
  { entries }: Registry,
  { allowDeprecated = false }: JudgeOptions,
): Pick<EmissionProblem, "kind" | "message"> | undefined {
  const entry = entries.get(id);
  if (entry === undefined)
    return { kind: "unknown", message: `"${emitter}" emits "${id}", which is not in the status registry` };
  // Whose it is comes first: a foreign id stays foreign when it is deprecated, and no grace makes it one's own.
  if (!entry.emitter_subagents.includes(emitter)) {
    const permitted = entry.emitter_subagents.join(", ") || "nobody";
    const message = `"${emitter}" emits "${id}", which only ${permitted} may emit (${entry.file}:${entry.line})`;
    return { kind: "wrong_emitter", message };
  }
  if (entry.lifecycle === "deprecated" && !allowDeprecated)
    return {
      kind: "deprecated",
      message: `"${emitter}" emits "${id}", which is ${sayDeprecated(entry)} (${entry.file}:${entry.line})`,
    };
  return undefined;
}
