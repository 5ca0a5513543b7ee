// A chat model of LangChain that streams the pieces it is given, one script per call: usage, tool calls in pieces and
// content blocks included, which LangChain's own fakes leave out.

import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { ToolCall, ToolCallChunk } from "@langchain/core/messages/tool";
import type { ChatResult } from "@langchain/core/outputs";
import { ChatGenerationChunk } from "@langchain/core/outputs";

export interface Piece {
  readonly content: string | { type: string; [field: string]: string }[];
  readonly tool_call_chunks?: ToolCallChunk[];
  readonly tool_calls?: ToolCall[];
  readonly usage_metadata?: UsageMetadata;
  readonly response_metadata?: { readonly model_name: string };
  /** A part of the message that no callback hears of, as the last one of some providers is. */
  readonly isUntold?: true;
}

/** Runs between pieces: to wait, to fail, to look at the signal. */
export type Between = (signal: AbortSignal | undefined) => Promise<void>;

export class ScriptedChatModel extends BaseChatModel {
  readonly scripts: (Piece | Between)[][];
  readonly asked: BaseMessage[][] = [];

  constructor(...scripts: (Piece | Between)[][]) {
    super({ maxRetries: 0 });
    this.scripts = scripts;
  }

  _llmType(): string {
    return "scripted";
  }

  async _generate(): Promise<ChatResult> {
    return Promise.resolve({ generations: [{ text: "", message: new AIMessage("") }] });
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    { signal }: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    this.asked.push(messages);
    for (const piece of this.scripts.shift() ?? []) {
      if (typeof piece === "function") {
        await piece(signal);
        continue;
      }
      // LangChain types usage by the shape of a message, which a fake has none of.
      const { usage_metadata, isUntold, ...fields } = piece;
      const message = new AIMessageChunk(fields);
      if (usage_metadata) Object.assign(message, { usage_metadata });
      const text = typeof message.content === "string" ? message.content : "";
      const chunk = new ChatGenerationChunk({ text, message });
      yield chunk;
      if (isUntold) continue;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}
