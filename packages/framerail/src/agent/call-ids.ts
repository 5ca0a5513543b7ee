// Ids of tool calls are the model's, and some providers count from zero in every answer. On the wire and in history an id
// pairs a start with its end for the whole turn, so one that was used before gets a number behind it.

import { endsInHalf } from "./ends-in-half.js";
import { TOOL_ID_LENGTH_MAX } from "./model/limits.js";
import type { ModelStep } from "./model/model-step.js";

export interface CallIds {
  /** The same step, with ids that no earlier step of the turn had, neither the agent's nor a sub-agent's. */
  makeUnique(step: ModelStep): ModelStep;
}

export function createCallIds(): CallIds {
  const ids = createUniqueIds();
  return {
    makeUnique(step) {
      const renamed = new Map(step.toolCalls.map(({ id }) => [id, ids.take(id)]));
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

export interface UniqueIds {
  /** The id, or one made of it that was not given out before. */
  take(id: string): string;
  /** Given out so far. */
  readonly count: number;
}

export function createUniqueIds(): UniqueIds {
  // With the number that its latest copy has, so that the search for a free one need not begin anew.
  const used = new Map<string, number>();
  return {
    take(id) {
      let copy = used.get(id) ?? 1;
      let unique = id;
      while (used.has(unique)) {
        copy += 1;
        unique = withNumber(id, copy);
      }
      used.set(id, copy);
      if (unique !== id) used.set(unique, 1);
      return unique;
    },
    get count() {
      return used.size;
    },
  };
}

function withNumber(id: string, copy: number): string {
  const end = `~${copy}`;
  const start = id.slice(0, TOOL_ID_LENGTH_MAX - end.length);
  return (endsInHalf(start) ? start.slice(0, -1) : start) + end;
}
