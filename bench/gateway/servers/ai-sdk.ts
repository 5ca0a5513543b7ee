// The AI SDK: its UI message stream written by hand, and streamText on a model that costs nothing. The id of the text is
// long, so that a frame weighs what the others' do.

import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { createUIMessageStream, pipeUIMessageStreamToResponse, streamText } from "ai";
import type { Pacer } from "../pacer.js";
import { serveStreams } from "../server.js";

const ID = "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11".repeat(4);

export function startUiStream(pacer: Pacer): Promise<number> {
  return serveStreams((response) => {
    const stream = createUIMessageStream({
      async execute({ writer }) {
        writer.write({ type: "text-start", id: ID });
        pacer.add((delta) => writer.write({ type: "text-delta", id: ID, delta }));
        await new Promise(() => undefined);
      },
    });
    void pipeUIMessageStreamToResponse({ response, stream });
  });
}

export function startStreamText(pacer: Pacer): Promise<number> {
  const model: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "bench",
    modelId: "bench",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("only streams are asked for")),
    doStream: () => Promise.resolve({ stream: new ReadableStream({ start: (controller) => void open(controller) }) }),
  };
  const open = (controller: ReadableStreamDefaultController<LanguageModelV3StreamPart>) => {
    controller.enqueue({ type: "stream-start", warnings: [] });
    controller.enqueue({ type: "text-start", id: ID });
    pacer.add((delta) => controller.enqueue({ type: "text-delta", id: ID, delta }));
  };
  return serveStreams((response) => {
    void streamText({ model, prompt: "Hello" }).pipeUIMessageStreamToResponse(response);
  });
}
