// A script's step as the parts of a stream, token by token. Pure: the same step gives the same parts.

import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import { APICallError } from "@ai-sdk/provider";
import type { ScriptedToolCall, ScriptStep } from "./script.js";

const HALF_LIMIT = 0x10000;

export interface ScriptedPart {
  readonly part: LanguageModelV3StreamPart;
  /** Tokens said up to and including this part: when it is due. */
  readonly tokens: number;
}

export interface StepPartsOptions {
  readonly step: ScriptStep;
  readonly tokenLength: number;
  /** Starts the ids of the step's tool calls. */
  readonly idPrefix: string;
  /** For a step that does not tell its usage. */
  promptTokens(): number;
}

/** The parts of a step, without its finish when it hangs, and up to an error when it breaks off. */
export function* stepParts(options: StepPartsOptions): Generator<ScriptedPart, void> {
  const { step } = options;
  const tokensMax = step.fail?.after_tokens ?? Number.POSITIVE_INFINITY;
  let tokens = 0;
  let reasoningTokens = 0;
  yield { part: { type: "stream-start", warnings: [] }, tokens };
  for (const part of contentParts(options)) {
    if ("delta" in part) {
      if (tokens >= tokensMax) break;
      tokens += 1;
      if (part.type === "reasoning-delta") reasoningTokens += 1;
    }
    yield { part, tokens };
  }
  if (step.fail !== undefined) yield { part: { type: "error", error: scriptedFailure(step.fail.status) }, tokens };
  else if (step.hang !== true) {
    const usage = usageOf(options, tokens, reasoningTokens);
    const unified = step.tool_calls?.length ? "tool-calls" : "stop";
    yield { part: { type: "finish", usage, finishReason: { unified, raw: undefined } }, tokens };
  }
}

/** What the HTTP client of a provider throws for a status. */
export function scriptedFailure(status: number): APICallError {
  return new APICallError({
    message: `the script answers with status ${status}`,
    url: "script:",
    requestBodyValues: {},
    statusCode: status,
  });
}

function* contentParts({ step, tokenLength, idPrefix }: StepPartsOptions): Generator<LanguageModelV3StreamPart, void> {
  for (const type of ["reasoning", "text"] as const) {
    const said = step[type];
    if (said === undefined) continue;
    yield { type: `${type}-start`, id: type };
    for (const delta of tokensOf(said, tokenLength)) yield { type: `${type}-delta`, id: type, delta };
    yield { type: `${type}-end`, id: type };
  }
  for (const [index, call] of (step.tool_calls ?? []).entries()) {
    yield* toolCallParts(call, `${idPrefix}_${index + 1}`, tokenLength);
  }
}

function* toolCallParts(
  { name, arguments: given = {} }: ScriptedToolCall,
  id: string,
  tokenLength: number,
): Generator<LanguageModelV3StreamPart, void> {
  const input = JSON.stringify(given);
  yield { type: "tool-input-start", id, toolName: name };
  for (const delta of tokensOf(input, tokenLength)) yield { type: "tool-input-delta", id, delta };
  yield { type: "tool-input-end", id };
  yield { type: "tool-call", toolCallId: id, toolName: name, input };
}

/** Pieces of `length` code units, one more where a character would be cut. */
function* tokensOf(text: string, length: number): Generator<string, void> {
  for (let start = 0; start < text.length; ) {
    const last = Math.min(start + length, text.length) - 1;
    const end = last + ((text.codePointAt(last) as number) >= HALF_LIMIT ? 2 : 1);
    yield text.slice(start, end);
    start = end;
  }
}

function usageOf({ step, promptTokens }: StepPartsOptions, tokens: number, reasoning: number): LanguageModelV3Usage {
  const told = step.usage;
  const input = told?.input_tokens ?? promptTokens();
  const cached = told?.cached_tokens ?? 0;
  const output = told?.output_tokens ?? tokens;
  const thought = told === undefined ? reasoning : (told.reasoning_tokens ?? 0);
  return {
    inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: 0 },
    outputTokens: { total: output, text: output - thought, reasoning: thought },
  };
}
