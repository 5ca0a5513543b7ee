// The model side of an agent's loop: one step asks a model, and the next one when that fails.
// Owns: which model is asked. Does not own: a call (call-model.ts), the loop with its tools.
//   M1. Fallback happens inside one step: a step is one answer, however many models were asked for it [R-3.4-11].
//   M2. Another model is asked only while nothing of the answer was written. Tool calls are given out with the finished
//       step, so a call that broke off in the middle of one has shown nothing.
//   M3. A cancelled step asks nobody else, and one that is cancelled before it begins asks nobody at all.
//   M4. Every call is asked for before it is made, and what it has used is settled after it, however it ended [D-16].

import type { LanguageModelV3, LanguageModelV3FunctionTool, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { Clock } from "@framerail/protocol";
import { FramerailError, NO_USAGE } from "@framerail/protocol";
import { compileCheck } from "@framerail/protocol/schema";
import type { CallBudget, PlannedCall } from "../call-budget.js";
import type { Writer } from "../writer.js";
import type { CallEnd } from "./call-model.js";
import { callModel } from "./call-model.js";
import { estimatePrompt } from "./count-tokens.js";
import { MODEL_ID_LENGTH_MAX, MODELS_MAX, OUTPUT_TOKENS_EXPECTED } from "./limits.js";
import type { ModelCall, ModelSettings } from "./model-call.js";
import { cancelledBy } from "./model-failure.js";
import type { ModelStep } from "./model-step.js";
import type { PriceTable } from "./price-table.js";
import { askPrice } from "./price-table.js";

export interface ModelNodeOptions {
  /** The first is asked first, the others in their order when it fails. */
  readonly models: readonly [LanguageModelV3, ...LanguageModelV3[]];
  readonly prices?: PriceTable;
  readonly clock: Clock;
  readonly settings?: ModelSettings;
  /** Hears of every failed call that another model made up for, whole, for operators. */
  report?(failure: FramerailError): void;
}

export interface ModelStepInput {
  readonly messages: LanguageModelV3Prompt;
  readonly tools: readonly LanguageModelV3FunctionTool[];
  readonly writer: Writer;
  readonly signal: AbortSignal;
  readonly budget?: CallBudget | undefined;
}

export interface ModelNode {
  /** Rejects with RATE_LIMITED, MODEL_FAILED, BUDGET_EXHAUSTED or CANCELLED; when several models failed, as the last one did. */
  run(step: ModelStepInput): Promise<ModelStep>;
}

export function createModelNode(options: ModelNodeOptions): ModelNode {
  const { models, prices, clock, settings = {} } = options;
  requireModels(models);
  return {
    async run(input) {
      const { signal, writer } = input;
      if (signal.aborted) throw cancelledBy(signal, models[0].modelId);
      for (const [index, model] of models.entries()) {
        const end = await withinBudget({ ...input, model, prices, clock, settings }, input.budget);
        if (end.kind === "done") return end.step;
        const { failure, shown } = end;
        const next = models[index + 1];
        if (next === undefined || shown || failure.code === "CANCELLED") throw failure;
        writer.log("warn", `model ${model.modelId} failed with ${failure.code}; model ${next.modelId} is asked`);
        options.report?.(failure);
      }
      throw new FramerailError("INVARIANT_VIOLATION", "a step asked no model");
    },
  };
}

/** Makes the call when the budget allows it, and settles what it has used (M4). */
async function withinBudget(call: ModelCall, budget: CallBudget | undefined): Promise<CallEnd> {
  if (budget === undefined) return callModel(call);
  const { signal, model } = call;
  const planned = planCall(call);
  const settle = await budget.reserve(planned, signal);
  // M3: the step may have been cancelled while it waited for its budget.
  if (signal.aborted) {
    await settle(undefined);
    return { kind: "failed", failure: cancelledBy(signal, model.modelId), shown: false, usedTokens: 0 };
  }
  let used = planned.inputTokens + planned.outputTokens;
  try {
    const end = await callModel(call);
    used = end.usedTokens;
    return end;
  } finally {
    await settle(used);
  }
}

function planCall({ messages, tools, model: { modelId }, settings, prices }: ModelCall): PlannedCall {
  const inputTokens = estimatePrompt(messages, tools);
  const sent = { ...NO_USAGE, input_tokens: inputTokens, total_tokens: inputTokens };
  const outputTokens = settings.maxOutputTokens ?? OUTPUT_TOKENS_EXPECTED;
  return { model: modelId, inputTokens, outputTokens, cost: askPrice(prices, modelId, sent) };
}

const checkModelId = compileCheck({ kind: "string", lengthMin: 1, lengthMax: MODEL_ID_LENGTH_MAX });

function requireModels(models: readonly LanguageModelV3[]): void {
  if (models.length === 0 || models.length > MODELS_MAX) {
    throw new FramerailError("INVALID_AGENT", `an agent needs one to ${MODELS_MAX} models`);
  }
  for (const model of models) {
    if (model?.specificationVersion !== "v3") {
      throw new FramerailError(
        "INVALID_AGENT",
        "a model must be a LanguageModelV3, as the providers of AI SDK 6 make it",
      );
    }
    if (checkModelId(model.modelId) !== undefined) {
      throw new FramerailError("INVALID_AGENT", `a model's id must have 1 to ${MODEL_ID_LENGTH_MAX} characters`);
    }
  }
}
