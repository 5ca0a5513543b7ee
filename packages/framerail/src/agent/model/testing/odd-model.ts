// A model whose stream is given part by part, for what no HTTP provider's library would let through: parts of no kind,
// two finishes, counts that are not numbers.

import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";

export interface OddModelOptions {
  readonly id?: string;
  readonly parts: readonly unknown[];
  /** `hang`: neither goes on nor ends, whatever its signal says. */
  readonly end?: "close" | "hang";
  /** Called when the stream is cancelled by its reader. */
  onCancel?(): void;
  /** Awaited before the stream is given out. */
  readonly opensAfter?: Promise<void>;
}

export function oddModel({ id = "odd", parts, end = "close", onCancel, opensAfter }: OddModelOptions): LanguageModelV3 {
  return {
    specificationVersion: "v3",
    provider: "odd",
    modelId: id,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("does not generate")),
    async doStream() {
      await opensAfter;
      const left = parts.values();
      const stream = new ReadableStream<LanguageModelV3StreamPart>(
        {
          pull(controller) {
            const next = left.next();
            if (!next.done) controller.enqueue(next.value as LanguageModelV3StreamPart);
            else if (end === "close") controller.close();
            else return new Promise<void>(() => {});
            return undefined;
          },
          cancel: () => onCancel?.(),
        },
        { highWaterMark: 0 },
      );
      return { stream };
    },
  };
}

export const text = (delta: string, id = "1") => ({ type: "text-delta", id, delta });
export const toolCall = (input: unknown, toolCallId = "call_1", toolName = "search") => {
  return { type: "tool-call", toolCallId, toolName, input };
};

export const finish = (input: unknown = 10, output: unknown = 5, unified = "stop") => ({
  type: "finish",
  usage: { inputTokens: { total: input }, outputTokens: { total: output } },
  finishReason: { unified, raw: undefined },
});
