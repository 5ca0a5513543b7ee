// The five counters of one model call: the provider's where it told them, an estimate where it did not [C-14].
//   N1. A call always has counters, also one that failed or was cut off: what was sent is charged [R-6-5].
//   N2. A count that is no count (missing, NaN, negative, a fraction) is as good as none: estimated, and marked so.
//   N3. Estimates are characters divided by four, rounded up; a file counts a fixed number. Meant for a ledger that must
//       not be empty, not for an invoice.
//   N4. A part is never more than its whole, whoever tells it.

import type { LanguageModelV3FunctionTool, LanguageModelV3Prompt, LanguageModelV3Usage } from "@ai-sdk/provider";
import type { Usage } from "@framerail/protocol";

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_FILE = 1_000;

export interface CountedTokens {
  readonly tokens: Usage;
  readonly estimated: boolean;
}

/** What a call read and wrote, to estimate from; asked for only when the provider's own counts are not there. */
export interface CallSize {
  inputTokens(): number;
  readonly outputLength: number;
  readonly reasoningLength: number;
}

export function countTokens(told: LanguageModelV3Usage | undefined, size: CallSize): CountedTokens {
  const toldInput = asCount(told?.inputTokens?.total);
  const toldOutput = asCount(told?.outputTokens?.total);
  const input = toldInput ?? size.inputTokens();
  const output = toldOutput ?? estimateTokens(size.outputLength);
  const toldReasoning = asCount(told?.outputTokens?.reasoning);
  const reasoning = toldReasoning ?? (toldOutput === undefined ? estimateTokens(size.reasoningLength) : 0);
  const tokens = clampParts({
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    reasoning_tokens: reasoning,
    cached_tokens: asCount(told?.inputTokens?.cacheRead) ?? 0,
  });
  return { tokens, estimated: toldInput === undefined || toldOutput === undefined };
}

/** Reasoning is part of the output, and what was cached of the input: more of a part than of its whole is not believed (N4). */
export function clampParts(usage: Usage): Usage {
  const { input_tokens, output_tokens, reasoning_tokens, cached_tokens } = usage;
  if (reasoning_tokens <= output_tokens && cached_tokens <= input_tokens) return usage;
  return {
    ...usage,
    reasoning_tokens: Math.min(reasoning_tokens, output_tokens),
    cached_tokens: Math.min(cached_tokens, input_tokens),
  };
}

export function estimateTokens(length: number): number {
  return Math.ceil(length / CHARACTERS_PER_TOKEN);
}

/** What a prompt with its tools reads as, about. */
export function estimatePrompt(prompt: LanguageModelV3Prompt, tools: readonly LanguageModelV3FunctionTool[]): number {
  let length = lengthOf(tools);
  let files = 0;
  for (const { content } of prompt) {
    if (typeof content === "string") length += content.length;
    else {
      for (const part of content) {
        if (part.type === "file") files += 1;
        else length += "text" in part ? part.text.length : lengthOf(part);
      }
    }
  }
  return estimateTokens(length) + files * TOKENS_PER_FILE;
}

function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    // What is no JSON fails the call itself, which hears of it; it must not cost the call its counters too (N1).
    return 0;
  }
}

function asCount(value: number | undefined): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined;
}
