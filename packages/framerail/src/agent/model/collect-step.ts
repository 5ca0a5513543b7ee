// The parts of one model stream, put together: text and reasoning are written as they come, tool calls are given out
// with the finished step.
// Owns: what a part means, what a stream may not do. Does not own: reading it (call-model.ts), counting (count-tokens.ts).
//   P1. Half of a surrogate pair at the end of a delta is held back until its other half comes; what is written is
//       well-formed, and empty deltas write nothing.
//   P2. What a provider may add tomorrow (a part of an unknown type) is passed over and told to operators, once; what
//       breaks the rules of a known part is MODEL_FAILED.
//   P3. Everything kept is bounded (limits.ts).
//   P4. The finish is the last part looked at.

import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";
import type { Clock, FramerailError } from "@framerail/protocol";
import { splitText } from "@framerail/protocol";
import { endsInHalf } from "../ends-in-half.js";
import type { Writer } from "../writer.js";
import { STEP_TEXT_LENGTH_MAX } from "./limits.js";
import { failureOf, refuseStream } from "./model-failure.js";
import type { AssistantContent, ModelStep } from "./model-step.js";
import { createToolCalls, type ToolCalls } from "./tool-calls.js";

const UNKNOWN_TYPE_BYTES_MAX = 64;

export interface StepCollector {
  /** The call's `finish`, once it came. */
  readonly finish: { readonly usage: LanguageModelV3Usage; readonly reason: LanguageModelV3FinishReason } | undefined;
  /** Whether a reader may have seen something of this call. */
  readonly shown: boolean;
  readonly firstTokenAt: number | undefined;
  readonly outputLength: number;
  readonly reasoningLength: number;
  take(part: LanguageModelV3StreamPart): void;
  step(): Omit<ModelStep, "usage">;
}

export interface StepCollectorOptions {
  readonly model: string;
  readonly writer: Writer;
  readonly clock: Clock;
}

export function createStepCollector(options: StepCollectorOptions): StepCollector {
  return new Collector(options);
}

interface Block {
  readonly type: "text" | "reasoning";
  text: string;
  /** Half of a surrogate pair (P1). */
  held: string;
  providerOptions?: SharedV3ProviderMetadata;
}

class Collector implements StepCollector {
  readonly #options: StepCollectorOptions;
  /** In the order in which they began; both lists keep places, so that the content comes out in one order. */
  readonly #blocks = new Map<string, Block>();
  readonly #content: (Block | { readonly toolCallId: string })[] = [];
  readonly #toolCalls: ToolCalls;
  #lengths = { text: 0, reasoning: 0 };
  #toldUnknown = false;
  finish: StepCollector["finish"];
  shown = false;
  firstTokenAt: number | undefined;

  constructor(options: StepCollectorOptions) {
    this.#options = options;
    this.#toolCalls = createToolCalls(options.model);
  }

  get outputLength(): number {
    return this.#lengths.text + this.#lengths.reasoning + this.#toolCalls.argumentsLength;
  }

  get reasoningLength(): number {
    return this.#lengths.reasoning;
  }

  take(part: LanguageModelV3StreamPart): void {
    if (typeof (part as { type?: unknown } | null | undefined)?.type !== "string") {
      throw this.#refuse("streamed something that is not a part");
    }
    switch (part.type) {
      case "text-delta":
        this.#takeDelta("text", part);
        break;
      case "reasoning-delta":
        this.#takeDelta("reasoning", part);
        break;
      case "text-start":
      case "text-end":
        this.#takeBorder("text", part);
        break;
      case "reasoning-start":
      case "reasoning-end":
        this.#takeBorder("reasoning", part);
        break;
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-call":
      case "tool-result":
        this.#takeTool(part);
        break;
      case "finish":
        this.#takeFinish(part);
        break;
      case "error":
        throw failureOf(this.#options.model, part.error);
      case "tool-input-end":
      case "stream-start":
      case "response-metadata":
      case "raw":
      case "source":
      case "file":
      case "tool-approval-request":
        break;
      default:
        this.#tellUnknown((part as { type: string }).type);
    }
  }

  step(): Omit<ModelStep, "usage"> {
    if (this.finish === undefined) throw this.#refuse("ended its stream without a finish");
    const blocks = [...this.#blocks.values()];
    const textOf = (type: Block["type"]) => blocks.map((block) => (block.type === type ? block.text : "")).join("");
    return {
      text: textOf("text"),
      reasoning: textOf("reasoning"),
      toolCalls: this.#toolCalls.list(),
      finishReason: this.finish.reason.unified,
      content: this.#content.flatMap((place): AssistantContent => {
        if ("toolCallId" in place) return this.#toolCalls.contentOf(place.toolCallId);
        const { type, text, providerOptions } = place;
        // A block without text may still carry what the provider wants back, such as encrypted reasoning.
        if (text === "" && providerOptions === undefined) return [];
        return [{ type, text, ...(providerOptions && { providerOptions }) }];
      }),
    };
  }

  #takeDelta(type: Block["type"], part: { id: string; delta: string; providerMetadata?: SharedV3ProviderMetadata }) {
    const block = this.#blockOf(type, part);
    if (typeof part.delta !== "string") throw this.#refuse(`streamed a ${type} delta that is not text`);
    this.#lengths[type] += part.delta.length;
    if (this.#lengths.text + this.#lengths.reasoning > STEP_TEXT_LENGTH_MAX) {
      throw this.#refuse(`wrote more than ${STEP_TEXT_LENGTH_MAX} characters`);
    }
    this.#write(block, block.held + part.delta, false);
  }

  #takeBorder(type: Block["type"], part: { type: string; id: string; providerMetadata?: SharedV3ProviderMetadata }) {
    const block = this.#blockOf(type, part);
    if (part.type.endsWith("-end")) this.#write(block, block.held, true);
  }

  #write(block: Block, text: string, isLast: boolean): void {
    const cut = !isLast && endsInHalf(text) ? text.length - 1 : text.length;
    block.held = text.slice(cut);
    if (cut === 0) return;
    this.firstTokenAt ??= this.#options.clock.now();
    const piece = splitText(text.slice(0, cut), Number.MAX_SAFE_INTEGER)[0];
    block.text += piece;
    this.shown = true;
    this.#options.writer[block.type](piece);
  }

  #blockOf(type: Block["type"], part: { id: string; providerMetadata?: SharedV3ProviderMetadata }): Block {
    const key = `${type} ${part.id}`;
    let block = this.#blocks.get(key);
    if (block === undefined) {
      block = { type, text: "", held: "" };
      this.#blocks.set(key, block);
      this.#content.push(block);
    }
    if (part.providerMetadata !== undefined) block.providerOptions = part.providerMetadata;
    return block;
  }

  #takeTool(part: Parameters<ToolCalls["take"]>[0]): void {
    this.firstTokenAt ??= this.#options.clock.now();
    const begun = this.#toolCalls.take(part);
    if (begun !== undefined) this.#content.push({ toolCallId: begun });
  }

  #takeFinish({ usage, finishReason }: Extract<LanguageModelV3StreamPart, { type: "finish" }>): void {
    this.finish = { usage, reason: finishReason };
    if (typeof finishReason?.unified !== "string") throw this.#refuse("finished without a reason");
    if (finishReason.unified === "error") throw this.#refuse("finished with an error");
    for (const block of this.#blocks.values()) this.#write(block, block.held, true);
  }

  #tellUnknown(type: string): void {
    if (this.#toldUnknown) return;
    this.#toldUnknown = true;
    const [name] = splitText(type, UNKNOWN_TYPE_BYTES_MAX);
    const { model, writer } = this.#options;
    writer.log("warn", `model ${model} streamed a part of unknown type ${name}, which is passed over`);
  }

  #refuse(says: string): FramerailError {
    return refuseStream(this.#options.model, says);
  }
}
