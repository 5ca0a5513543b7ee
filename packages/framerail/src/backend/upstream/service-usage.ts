// What a service's turn has cost. It may tell each model call, its own sum over the turn, or both; the accounts are kept
// by calls, and the runtime tells the sum of them [C-14].
// Owns: what of the sum no call has told. Does not own: the accounts (ledger/), the frame (publish/).

import type { AgentEvent, EventOf, Usage } from "@framerail/protocol";
import { addUsage, NO_USAGE } from "@framerail/protocol";
import { clampParts } from "../../agent/model/count-tokens.js";

export interface ServiceUsage {
  hear(event: AgentEvent): void;
  /** What the latest sum has beyond the calls; undefined where that is nothing. */
  untold(): Usage | undefined;
}

export function createServiceUsage(): ServiceUsage {
  let told = NO_USAGE;
  let sum = NO_USAGE;
  return {
    hear(event) {
      if (event.type === "metrics") told = addUsage(told, event.tokens);
      else if (event.type === "usage") sum = event;
      else if (event.type === "end_stream" && event.tokens_used !== undefined) sum = sumOfEnd(event.tokens_used, sum);
    },
    untold() {
      const beyond = (field: keyof Usage) => Math.max(0, sum[field] - told[field]);
      const [input_tokens, output_tokens] = [beyond("input_tokens"), beyond("output_tokens")];
      const total_tokens = input_tokens + output_tokens;
      if (total_tokens === 0) return undefined;
      const [reasoning_tokens, cached_tokens] = [beyond("reasoning_tokens"), beyond("cached_tokens")];
      // Where calls have told the most of a whole, what is left of it may be less than what is left of its part.
      return clampParts({ input_tokens, output_tokens, total_tokens, reasoning_tokens, cached_tokens });
    },
  };
}

type TokensUsed = NonNullable<EventOf<"end_stream">["tokens_used"]>;

// An end counts nothing from a cache; a sum before it may have. Added, so that no figure is more than an event may hold.
function sumOfEnd({ prompt_tokens, completion_tokens, reasoning_tokens }: TokensUsed, { cached_tokens }: Usage): Usage {
  const used = { input_tokens: prompt_tokens, output_tokens: completion_tokens, reasoning_tokens, cached_tokens };
  return addUsage(NO_USAGE, { ...used, total_tokens: 0 });
}
