// A chat model of LangChain that needs no key: a bank teller for points, who says one of four things by what the
// conversation ends with. It streams as real ones do: arguments of a call in pieces, the usage with the last piece.
// Any chat model of LangChain takes its place in agent.ts.

import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { ToolCallChunk } from "@langchain/core/messages/tool";
import type { ChatResult } from "@langchain/core/outputs";
import { ChatGenerationChunk } from "@langchain/core/outputs";

interface Piece {
  readonly content: string;
  readonly tool_call_chunks?: ToolCallChunk[];
}

const USAGE = { input_tokens: 20, output_tokens: 8, total_tokens: 28 };

/** What the teller says next. */
function answerTo(messages: readonly BaseMessage[]): readonly Piece[] {
  const last = messages.at(-1);
  if (last?.type === "tool") return say(`You have ${last.text} points. `, "Shall I redeem 500 of them?");
  if (last?.type !== "system") return callBalance(`call_${messages.length}`);
  return last.text === "redeemed" ? say("Done: 500 points ", "are redeemed.") : say("Fine, I redeem nothing.");
}

function say(...pieces: readonly string[]): readonly Piece[] {
  return pieces.map((content) => ({ content }));
}

function callBalance(id: string): readonly Piece[] {
  return [
    { content: "", tool_call_chunks: [{ index: 0, id, name: "points_balance", args: "" }] },
    { content: "", tool_call_chunks: [{ index: 0, args: '{"card":' }] },
    { content: "", tool_call_chunks: [{ index: 0, args: '"card_7"}' }] },
  ];
}

export class TellerModel extends BaseChatModel {
  _llmType(): string {
    return "teller";
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const text = answerTo(messages)
      .map(({ content }) => content)
      .join("");
    return Promise.resolve({ generations: [{ text, message: new AIMessage(text) }] });
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const pieces = answerTo(messages);
    for (const [index, piece] of pieces.entries()) {
      const message = new AIMessageChunk({ ...piece });
      // LangChain derives the type of this field from a schema of the message, which is not worth having here.
      if (index === pieces.length - 1) Object.assign(message, { usage_metadata: USAGE });
      const chunk = new ChatGenerationChunk({ text: piece.content, message });
      yield chunk;
      await run?.handleLLMNewToken(piece.content, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}
