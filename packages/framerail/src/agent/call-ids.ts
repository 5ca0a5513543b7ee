// Ids of tool calls are the model's, and some providers count from zero in every answer. On the wire and in history an id
// pairs a start with its end for the whole turn, so one that was used before gets a number behind it.

import type { ModelStep } from "./model/model-step.js";

export interface CallIds {
  /** The same step, with ids that no earlier step of the turn had, neither the agent's nor a sub-agent's. */
  makeUnique(step: ModelStep): ModelStep;
}

export function createCallIds(): CallIds {
  const used = new Set<string>();
  const take = (id: string): string => {
    let unique = id;
    for (let copy = 2; used.has(unique); copy += 1) unique = `${id}~${copy}`;
    used.add(unique);
    return unique;
  };
  return {
    makeUnique(step) {
      const renamed = new Map(step.toolCalls.map(({ id }) => [id, take(id)]));
      if ([...renamed].every(([id, unique]) => id === unique)) return step;
      const nameOf = (id: string) => renamed.get(id) ?? id;
      return {
        ...step,
        toolCalls: step.toolCalls.map((call) => ({ ...call, id: nameOf(call.id) })),
        content: step.content.map((part) =>
          part.type === "tool-call" ? { ...part, toolCallId: nameOf(part.toolCallId) } : part,
        ),
      };
    },
  };
}
