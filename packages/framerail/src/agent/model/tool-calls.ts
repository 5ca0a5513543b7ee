// The tool calls of one model stream, put together from deltas and whole calls.
// Owns: ids, arguments and their bounds. Does not own: running a tool, or judging arguments by its schema.
//   T1. A whole call replaces the deltas that announced it; deltas that no call follows are a call of their own, so that
//       a provider that sends only one of the two is understood.
//   T2. Ids are unique within the step: two calls of one id could not get two results.
//   T3. Arguments that are not usable JSON are `undefined` and no failure: the model can be told, and try again.

import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from "@ai-sdk/provider";
import type { FramerailError, Json } from "@framerail/protocol";
import { parseJson } from "@framerail/protocol";
import { compileCheck } from "@framerail/protocol/schema";
import { publicName } from "../public-name.js";
import { STEP_ARGUMENTS_LENGTH_MAX, STEP_TOOL_CALLS_MAX, TOOL_ID_LENGTH_MAX, TOOL_NAME_LENGTH_MAX } from "./limits.js";
import { refuseStream } from "./model-failure.js";
import type { AssistantContent, ModelToolCall } from "./model-step.js";

type ToolPart = Extract<
  LanguageModelV3StreamPart,
  { type: "tool-input-start" | "tool-input-delta" | "tool-call" | "tool-result" }
>;
type PartOf<T extends ToolPart["type"]> = Extract<ToolPart, { type: T }>;

export interface ToolCalls {
  readonly argumentsLength: number;
  /** Takes a part; the id of the call it began, if it began one. */
  take(part: ToolPart): string | undefined;
  /** The calls we are asked to run. */
  list(): ModelToolCall[];
  contentOf(id: string): AssistantContent;
}

export function createToolCalls(model: string): ToolCalls {
  return new Calls(model);
}

interface Call {
  readonly id: string;
  readonly name: string;
  text: string;
  isWhole: boolean;
  /** Run by the provider itself: its result comes in the same stream. */
  byProvider: boolean;
  result?: PartOf<"tool-result">;
  providerOptions?: SharedV3ProviderMetadata;
}

class Calls implements ToolCalls {
  readonly #model: string;
  readonly #calls = new Map<string, Call>();
  argumentsLength = 0;

  constructor(model: string) {
    this.#model = model;
  }

  take(part: ToolPart): string | undefined {
    switch (part.type) {
      case "tool-input-start":
        return this.#begin({ ...part, name: part.toolName }).id;
      case "tool-input-delta":
        this.#takeDelta(part);
        return undefined;
      case "tool-call":
        return this.#takeCall(part);
      case "tool-result":
        this.#takeResult(part);
        return undefined;
    }
  }

  list(): ModelToolCall[] {
    const asked = [...this.#calls.values()].filter(({ byProvider }) => !byProvider);
    return asked.map(({ id, name, text }) => ({ id, name, arguments: readArguments(text), argumentsText: text }));
  }

  contentOf(id: string): AssistantContent {
    const call = this.#calls.get(id);
    if (call === undefined) return [];
    const { name, text, byProvider, result, providerOptions } = call;
    const content: AssistantContent = [
      {
        type: "tool-call",
        toolCallId: id,
        // Providers refuse a prompt with a name that no tool can have, which models make up (`functions.search`), or with
        // arguments that are no JSON object; the tool's result says what was wrong.
        toolName: byProvider ? name : publicName(name),
        input: asObject(readArguments(text)),
        ...(byProvider && { providerExecuted: true }),
        ...(providerOptions && { providerOptions }),
      },
    ];
    if (result !== undefined) {
      const output = { type: result.isError ? "error-json" : "json", value: result.result } as const;
      content.push({ type: "tool-result", toolCallId: id, toolName: name, output });
    }
    return content;
  }

  #begin({ id, name, providerExecuted }: { id: string; name: string; providerExecuted?: boolean | undefined }): Call {
    if (!isName(id, TOOL_ID_LENGTH_MAX)) throw this.#refuse("called a tool without a usable id");
    if (!isName(name, TOOL_NAME_LENGTH_MAX)) throw this.#refuse("called a tool without a usable name");
    if (this.#calls.has(id)) throw this.#refuse("gave one id to two tool calls");
    if (this.#calls.size >= STEP_TOOL_CALLS_MAX) throw this.#refuse(`called more than ${STEP_TOOL_CALLS_MAX} tools`);
    const call: Call = { id, name, text: "", isWhole: false, byProvider: providerExecuted === true };
    this.#calls.set(id, call);
    return call;
  }

  #takeDelta({ id, delta }: PartOf<"tool-input-delta">): void {
    const call = this.#calls.get(id);
    if (call === undefined || call.isWhole) throw this.#refuse("streamed arguments of a tool call that is not open");
    this.#grow(call, delta, call.text);
  }

  #takeCall(part: PartOf<"tool-call">): string | undefined {
    const { toolCallId: id, toolName: name, input, providerMetadata, providerExecuted } = part;
    const announced = this.#calls.get(id);
    if (announced?.isWhole === true) throw this.#refuse("gave one id to two tool calls");
    if (announced !== undefined && announced.name !== name)
      throw this.#refuse("renamed a tool in the middle of its call");
    const call = announced ?? this.#begin({ id, name, providerExecuted });
    if (providerExecuted === true) call.byProvider = true;
    this.argumentsLength -= call.text.length;
    this.#grow(call, input, "");
    call.isWhole = true;
    if (providerMetadata !== undefined) call.providerOptions = providerMetadata;
    return announced === undefined ? id : undefined;
  }

  #takeResult(part: PartOf<"tool-result">): void {
    const call = this.#calls.get(part.toolCallId);
    if (call?.byProvider !== true) throw this.#refuse("gave a result of a tool that it did not run");
    if (part.preliminary !== true) call.result = part;
  }

  #grow(call: Call, added: unknown, before: string): void {
    if (typeof added !== "string") throw this.#refuse("streamed tool arguments that are not text");
    this.argumentsLength += added.length;
    if (this.argumentsLength > STEP_ARGUMENTS_LENGTH_MAX) {
      throw this.#refuse(`wrote more than ${STEP_ARGUMENTS_LENGTH_MAX} characters of tool arguments`);
    }
    call.text = before + added;
  }

  #refuse(says: string): FramerailError {
    return refuseStream(this.#model, says);
  }
}

const checkJson = compileCheck({ kind: "json" });

function readArguments(text: string): Json | undefined {
  // A tool without arguments is called with nothing by some providers, and with {} by others.
  if (text.trim() === "") return {};
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    // Not JSON: no failure of ours, and the text is kept for whoever tells the model (T3).
    return undefined;
  }
  // JSON escapes can spell half of a surrogate pair, which no event may hold.
  return checkJson(value) === undefined ? value : undefined;
}

function asObject(value: Json | undefined): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function isName(value: unknown, lengthMax: number): boolean {
  return typeof value === "string" && value.length > 0 && value.length <= lengthMax && checkJson(value) === undefined;
}
