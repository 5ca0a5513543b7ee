// A model that says what a script tells it to, at the pace of a real one, for demos, tests and benches. It goes through
// the same interface as every provider's model, so nothing else knows that it is not one.
// Owns: choosing the step, pace, abort. Does not own: reading files (read-script.ts), parts (script-parts.ts).
//   Y1. It keeps no state: what it says depends on the prompt alone, so that turns that run at the same time do not
//       disturb each other and a run can be repeated. The number of a call is counted in the prompt.
//   Y2. Of the steps that fit, the one with the narrowest condition speaks: a call's number before a tool's result before
//       a message before none; among equals the first. So the answer to a tool's result needs no exception in the step
//       that called the tool.
//   Y3. Pace is kept against the start of the stream: a late timer does not make the rest late.
//   Y4. An abort ends the stream at once, also one that hangs.

import { createHash } from "node:crypto";
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { UnsupportedFunctionalityError } from "@ai-sdk/provider";
import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { estimatePrompt } from "./count-tokens.js";
import type { Script, ScriptStep } from "./script.js";
import type { ScriptedPart } from "./script-parts.js";
import { scriptedFailure, stepParts } from "./script-parts.js";

const MODEL_ID = "scripted";
const TOKENS_PER_SECOND = 50;
const TOKEN_LENGTH = 4;
const ID_DIGEST_LENGTH = 12;

export interface ScriptedModelOptions {
  readonly script: Script;
  readonly clock: Clock;
  /** Times the script's own pace; Infinity waits for nothing. */
  readonly speed?: number;
}

export function scriptedModel({ script, clock, speed = 1 }: ScriptedModelOptions): LanguageModelV3 {
  if (!(speed > 0)) {
    const issue = { path: "speed", rule: "minimum", message: "speed must be a number above zero" };
    throw new FramerailError("INVALID_ARGUMENT", `a scripted model: ${issue.message}`, { issue });
  }
  const tokenMs = 1_000 / ((script.tokens_per_second ?? TOKENS_PER_SECOND) * speed);
  return {
    specificationVersion: "v3",
    provider: "framerail",
    modelId: script.model ?? MODEL_ID,
    supportedUrls: {},
    async doGenerate() {
      throw new UnsupportedFunctionalityError({ functionality: "a scripted answer that does not stream" });
    },
    async doStream({ prompt, abortSignal }: LanguageModelV3CallOptions) {
      abortSignal?.throwIfAborted();
      const step = chooseStep(script, prompt);
      const { fail } = step;
      if (fail !== undefined && fail.after_tokens === undefined) throw scriptedFailure(fail.status);
      const parts = stepParts({
        step,
        tokenLength: script.token_length ?? TOKEN_LENGTH,
        idPrefix: step.tool_calls === undefined ? "" : `call_${digestOf(prompt)}`,
        promptTokens: () => estimatePrompt(prompt, []),
      });
      return { stream: paceParts(parts, { clock, tokenMs, hangs: step.hang === true, abortSignal }) };
    },
  };
}

function chooseStep({ steps }: Script, prompt: LanguageModelV3Prompt): ScriptStep {
  const facts = factsOf(prompt);
  let chosen: ScriptStep | undefined;
  let best = -1;
  for (const step of steps) {
    const narrowness = fitOf(step, facts);
    if (narrowness <= best) continue;
    best = narrowness;
    chosen = step;
  }
  if (chosen !== undefined) return chosen;
  throw new FramerailError("INVALID_AGENT", `the script has no step for call ${facts.call} of this turn`);
}

/** How narrow the condition of a step that fits is (Y2); -1 for one that does not. */
function fitOf({ call, when = {} }: ScriptStep, facts: PromptFacts): number {
  const { message_contains: words, tool_result: tool } = when;
  if (call !== undefined && call !== facts.call) return -1;
  if (tool !== undefined && !facts.results.includes(tool)) return -1;
  if (words !== undefined && !facts.message.includes(words.toLowerCase())) return -1;
  return (call === undefined ? 0 : 4) + (tool === undefined ? 0 : 2) + (words === undefined ? 0 : 1);
}

interface PromptFacts {
  readonly call: number;
  /** The user's last message, in lower case. */
  readonly message: string;
  /** Tools whose results the prompt ends with. */
  readonly results: readonly string[];
}

function factsOf(prompt: LanguageModelV3Prompt): PromptFacts {
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const message = prompt[asked];
  const last = prompt.at(-1);
  const texts = message?.role === "user" ? message.content.map((part) => (part.type === "text" ? part.text : "")) : [];
  const results = last?.role === "tool" ? last.content : [];
  return {
    call: prompt.slice(asked + 1).filter(({ role }) => role === "assistant").length + 1,
    message: texts.join(" ").toLowerCase(),
    results: results.flatMap((part) => (part.type === "tool-result" ? [part.toolName] : [])),
  };
}

// Two calls of one turn, or of two sub-agents in it, have different prompts, and so different ids without any state.
function digestOf(prompt: LanguageModelV3Prompt): string {
  return createHash("sha256").update(JSON.stringify(prompt)).digest("hex").slice(0, ID_DIGEST_LENGTH);
}

interface Pace {
  readonly clock: Clock;
  readonly tokenMs: number;
  readonly hangs: boolean;
  readonly abortSignal: AbortSignal | undefined;
}

function paceParts(
  parts: Iterator<ScriptedPart, void>,
  { clock, tokenMs, hangs, abortSignal }: Pace,
): ReadableStream<LanguageModelV3StreamPart> {
  const startedAt = clock.now();
  let leave = () => {};
  let cancelTimer = () => {};
  return new ReadableStream<LanguageModelV3StreamPart>(
    {
      start(controller) {
        const stop = () => {
          cancelTimer();
          controller.error(abortSignal?.reason);
        };
        abortSignal?.addEventListener("abort", stop, { once: true });
        leave = () => abortSignal?.removeEventListener("abort", stop);
      },
      async pull(controller) {
        const next = parts.next();
        if (next.done) {
          // A stream that hangs waits for its reader to give up.
          if (hangs) return new Promise<void>(() => {});
          leave();
          controller.close();
          return;
        }
        const waitMs = startedAt + next.value.tokens * tokenMs - clock.now();
        if (waitMs > 0) await new Promise<void>((resolve) => (cancelTimer = clock.schedule(waitMs, resolve)));
        controller.enqueue(next.value.part);
      },
      cancel() {
        cancelTimer();
        leave();
      },
    },
    { highWaterMark: 0 },
  );
}
