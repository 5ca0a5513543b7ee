// What one model call gave, as the loop between model and tools reads it.

import type { LanguageModelV3FinishReason, LanguageModelV3Message } from "@ai-sdk/provider";
import type { Json, Usage } from "@framerail/protocol";

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** Undefined when the model did not write JSON that can be used; `argumentsText` says what it wrote. */
  readonly arguments: Json | undefined;
  readonly argumentsText: string;
}

/** The parts of an assistant message, as a prompt takes them. */
export type AssistantContent = Extract<LanguageModelV3Message, { role: "assistant" }>["content"];

export interface ModelStep {
  readonly text: string;
  readonly reasoning: string;
  /** What we are asked to run; tools that the provider ran itself stand only in `content`. */
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: LanguageModelV3FinishReason["unified"];
  readonly usage: Usage;
  /** The assistant message to append to the prompt of the next call. */
  readonly content: AssistantContent;
}
