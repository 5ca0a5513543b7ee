// What a scripted model says: steps, and when each of them is said. The types, and the schema that files are read by.

import type { Json } from "@framerail/protocol";
import type { Optional, Schema } from "@framerail/protocol/schema";

export interface ScriptedToolCall {
  readonly name: string;
  readonly arguments?: { readonly [name: string]: Json };
}

export interface ScriptStep {
  /** Only for the so-manieth model call of a turn, from 1. */
  readonly call?: number;
  readonly when?: {
    /** Only when the user's last message contains this; case is ignored. */
    readonly message_contains?: string;
    /** Only when the prompt ends with a result of the tool of this name. */
    readonly tool_result?: string;
  };
  readonly reasoning?: string;
  readonly text?: string;
  readonly tool_calls?: readonly ScriptedToolCall[];
  /** Counted from prompt and answer when absent. */
  readonly usage?: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly reasoning_tokens?: number;
    readonly cached_tokens?: number;
  };
  /** Answers with an HTTP status instead, or breaks off with it after so many tokens. */
  readonly fail?: { readonly status: number; readonly after_tokens?: number };
  /** Says what it has to say and then neither goes on nor ends. */
  readonly hang?: boolean;
}

export interface Script {
  readonly model?: string;
  readonly tokens_per_second?: number;
  /** Characters per token. */
  readonly token_length?: number;
  readonly steps: readonly ScriptStep[];
}

const optional = (schema: Schema): Optional => ({ optional: true, schema });
const object = (fields: { readonly [name: string]: Schema | Optional }): Schema => ({ kind: "object", fields });
const text: Schema = { kind: "string" };
const name: Schema = { kind: "string", lengthMin: 1, lengthMax: 256 };
const whole = (min: number): Schema => ({ kind: "number", whole: true, min });

const stepSchema = object({
  call: optional(whole(1)),
  when: optional(object({ message_contains: optional(text), tool_result: optional(name) })),
  reasoning: optional(text),
  text: optional(text),
  tool_calls: optional({
    kind: "array",
    items: object({ name, arguments: optional({ kind: "map", values: { kind: "json" } }) }),
  }),
  usage: optional(
    object({
      input_tokens: whole(0),
      output_tokens: whole(0),
      reasoning_tokens: optional(whole(0)),
      cached_tokens: optional(whole(0)),
    }),
  ),
  fail: optional(object({ status: whole(400), after_tokens: optional(whole(0)) })),
  hang: optional({ kind: "boolean" }),
});

export const scriptSchema = object({
  model: optional(name),
  tokens_per_second: optional(whole(1)),
  token_length: optional(whole(1)),
  steps: { kind: "array", items: stepSchema, countMin: 1 },
});
