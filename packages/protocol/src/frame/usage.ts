// The five token counters, the same on the wire, in the ledger and in events [C-14]. Reasoning is part of the output
// and cached is part of the input, so a budget that adds input and output counts nothing twice.

import type { Infer } from "../schema/schema.js";
import { count, object } from "../schema/schema.js";

export const usageFields = {
  input_tokens: count({ says: "Tokens read, cached ones included." }),
  output_tokens: count({ says: "Tokens written, reasoning included." }),
  total_tokens: count({ says: "Input plus output." }),
  reasoning_tokens: count({ says: "The part of the output that was reasoning." }),
  cached_tokens: count({ says: "The part of the input that came from a cache." }),
} as const;

export const usageRule = {
  path: "total_tokens",
  says: "must be input_tokens + output_tokens",
  holds: (usage: Usage) => usage.total_tokens === usage.input_tokens + usage.output_tokens,
};

export const usageSchema = /* @__PURE__ */ object(usageFields);

export type Usage = Infer<typeof usageSchema>;

export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  reasoning_tokens: 0,
  cached_tokens: 0,
};

/** Two of them are still a whole number that JSON keeps, so that no sum of what calls tell is refused [G1]. */
const SUM_MAX = /* @__PURE__ */ Math.floor(Number.MAX_SAFE_INTEGER / 2);

const add = (a: number, b: number): number => Math.min(a + b, SUM_MAX);

/** The turn's usage is the sum over its model calls. */
export function addUsage(a: Usage, b: Usage): Usage {
  const [input, output] = [add(a.input_tokens, b.input_tokens), add(a.output_tokens, b.output_tokens)];
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    reasoning_tokens: add(a.reasoning_tokens, b.reasoning_tokens),
    cached_tokens: add(a.cached_tokens, b.cached_tokens),
  };
}
