// All that one call of one model needs to know.

import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Prompt,
} from "@ai-sdk/provider";
import type { Clock } from "@framerail/protocol";
import type { Writer } from "../writer.js";
import type { PriceTable } from "./price-table.js";

/** What an author may set for every call of a node. */
export type ModelSettings = Partial<
  Pick<
    LanguageModelV3CallOptions,
    | "maxOutputTokens"
    | "temperature"
    | "stopSequences"
    | "topP"
    | "topK"
    | "presencePenalty"
    | "frequencyPenalty"
    | "responseFormat"
    | "seed"
    | "toolChoice"
    | "headers"
    | "providerOptions"
  >
>;

export interface ModelCall {
  readonly model: LanguageModelV3;
  readonly messages: LanguageModelV3Prompt;
  readonly tools: readonly LanguageModelV3FunctionTool[];
  readonly settings: ModelSettings;
  readonly prices: PriceTable | undefined;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
