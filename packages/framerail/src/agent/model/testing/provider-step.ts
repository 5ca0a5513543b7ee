// One step against the fake provider, through the library that speaks to real ones.

import type { LanguageModelV3, LanguageModelV3FunctionTool, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { FramerailError } from "@framerail/protocol";
import { systemClock } from "@framerail/protocol";
import type { ModelNodeOptions } from "../model-node.js";
import { createModelNode } from "../model-node.js";
import type { FakeOpenAi } from "./fake-openai.js";
import { createTurnSink } from "./turn-sink.js";

export const messages: LanguageModelV3Prompt = [
  { role: "system", content: "You find offers." },
  { role: "user", content: [{ type: "text", text: "What is on offer near me?" }] },
];
export const tools: LanguageModelV3FunctionTool[] = [
  { type: "function", name: "search", inputSchema: { type: "object", properties: { query: { type: "string" } } } },
];

/** Starts a step of the models of these ids. */
export function startStep(fake: FakeOpenAi, models: readonly string[], options: Partial<ModelNodeOptions> = {}) {
  const [first, ...rest] = models.map((id) => fake.model(id)) as [LanguageModelV3, ...LanguageModelV3[]];
  const node = createModelNode({ models: [first, ...rest], clock: systemClock, ...options });
  const turn = createTurnSink();
  const abort = new AbortController();
  const asked = fake.requests.length;
  const running = node.run({ messages, tools, writer: turn.writer, signal: abort.signal });
  // Looked at later; a test that aborts must not fail for a rejection that nobody has met yet.
  running.catch(() => undefined);
  return {
    turn,
    abort,
    running,
    request: () =>
      fake.whenRequested(asked + 1).then(() => fake.requests[asked] ?? Promise.reject(new Error("no request came"))),
  };
}

export function thrownBy(running: Promise<unknown>): Promise<FramerailError> {
  return running.then(
    () => Promise.reject(new Error("the step did not fail")),
    (error: FramerailError) => error,
  );
}
