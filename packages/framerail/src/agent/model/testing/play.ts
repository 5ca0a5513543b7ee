// Plays one stream to one model node, for tests.

import type { LanguageModelV3, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { Clock } from "@framerail/protocol";
import { systemClock } from "@framerail/protocol";
import { createModelNode } from "../model-node.js";
import type { OddModelOptions } from "./odd-model.js";
import { oddModel } from "./odd-model.js";
import { createTurnSink } from "./turn-sink.js";

export const HELLO: LanguageModelV3Prompt = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];

export interface StartOptions {
  readonly messages?: LanguageModelV3Prompt;
  readonly clock?: Clock;
}

/** Starts one step of a model, with a turn to look at and a way to abort it. */
export function start(
  model: LanguageModelV3,
  { messages = HELLO, clock = systemClock }: StartOptions = {},
  turn = createTurnSink(),
) {
  const abort = new AbortController();
  const node = createModelNode({ models: [model], clock });
  const running = node.run({ messages, tools: [], writer: turn.writer, signal: abort.signal });
  // Looked at later; a test that aborts must not fail for a rejection that nobody has met yet.
  running.catch(() => undefined);
  return { turn, abort, running };
}

export function play(parts: readonly unknown[], options: Partial<OddModelOptions> = {}) {
  return start(oddModel({ parts, ...options }));
}

/** Lets everything go on that does not wait for time. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
