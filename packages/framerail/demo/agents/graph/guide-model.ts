// A chat model of LangChain that needs no key: it tells the trains, word by word. Any chat model of LangChain takes its place.

import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { takeTime } from "../../demo-model.js";

const ANSWER =
  "Take the 09:42: it is direct, and you arrive at 13:05. If you would rather be early, the 08:12 gets you there at 11:40, with one change in Leipzig.";
const WORD_MS = 60;

export class GuideModel extends BaseChatModel {
  _llmType(): string {
    return "guide";
  }

  async _generate(): Promise<ChatResult> {
    return { generations: [{ text: ANSWER, message: new AIMessage(ANSWER) }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const words = ANSWER.split(/(?<= )/);
    const input_tokens = Math.ceil(messages.map(({ text }) => text).join("").length / 4);
    const usage_metadata = { input_tokens, output_tokens: words.length, total_tokens: input_tokens + words.length };
    for (const [index, text] of words.entries()) {
      await takeTime(WORD_MS, options.signal);
      const message = new AIMessageChunk({ content: text });
      // LangChain derives the type of this field from a schema of the message, which is not worth having here.
      if (index === words.length - 1) Object.assign(message, { usage_metadata });
      const chunk = new ChatGenerationChunk({ text, message });
      yield chunk;
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}
