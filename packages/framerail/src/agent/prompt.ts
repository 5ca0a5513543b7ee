// The model's view of a turn: instructions, what was said before, the message, and what tools answered on the way.

import type { LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { Json } from "@framerail/protocol";
import type { PastMessage } from "./agent.js";

export interface Opening {
  readonly instructions: string | undefined;
  readonly history: readonly PastMessage[];
  readonly message: string;
}

export function openPrompt({ instructions, history, message }: Opening): LanguageModelV3Prompt {
  const system: LanguageModelV3Message[] =
    instructions === undefined ? [] : [{ role: "system", content: instructions }];
  const past = history.map(
    ({ role, content }): LanguageModelV3Message => ({ role, content: [{ type: "text", text: content }] }),
  );
  return [...system, ...past, { role: "user", content: [{ type: "text", text: message }] }];
}

export interface ToolAnswer {
  readonly id: string;
  readonly name: string;
  readonly result: Json;
  readonly isError: boolean;
}

export function toolMessage(answers: readonly ToolAnswer[]): LanguageModelV3Message {
  return {
    role: "tool",
    content: answers.map(({ id, name, result, isError }) => ({
      type: "tool-result",
      toolCallId: id,
      toolName: name,
      // The provider's type is mutable JSON; ours is the same, read-only.
      output: { type: isError ? "error-json" : "json", value: result as never },
    })),
  };
}
