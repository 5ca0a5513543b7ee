// The tokens of one model call, as LangChain tells them: in the last piece, or in parts over several [G9].

import type { Usage } from "@framerail/protocol";
import { addUsage, NO_USAGE } from "@framerail/protocol";
import { estimateTokens } from "../../agent/model/count-tokens.js";
import type { Fields } from "./graph.js";
import { isFields } from "./graph.js";

export function readUsage(message: Fields): Usage | undefined {
  const { usage_metadata: told } = message;
  if (!isFields(told)) return undefined;
  const input_tokens = tokens(told.input_tokens);
  const output_tokens = tokens(told.output_tokens);
  return {
    input_tokens,
    output_tokens,
    // Added up here: a provider's total may count what it bills otherwise, and ours must be the sum [C-14].
    total_tokens: input_tokens + output_tokens,
    reasoning_tokens: isFields(told.output_token_details) ? tokens(told.output_token_details.reasoning) : 0,
    cached_tokens: isFields(told.input_token_details) ? tokens(told.input_token_details.cache_read) : 0,
  };
}

export function sumUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  return a && b ? addUsage(a, b) : (a ?? b);
}

/** For a call that was cut off, or whose provider tells nothing: the output by its length, the input unknown. */
export function estimateUsage(characters: number): Usage {
  const output_tokens = estimateTokens(characters);
  return { ...NO_USAGE, output_tokens, total_tokens: output_tokens };
}

function tokens(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}
