// A tool: a function that the model may call, with the schema of its input.
// Owns: what a tool is, and that a wrong definition fails when the agent is built, naming the tool. Does not own: a call
// of it (run-tool.ts), tools that show data (render-tool.ts).
//   T1. A tool is frozen, and holds everything the loop and the model need; nothing about it is looked up later.
//   T2. `run` gets what the schema gave out, so its defaults and conversions are done [D-10].

import type { Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { compileCheck } from "@framerail/protocol/schema";
import type { RunContext } from "../agent.js";
import type { Opened } from "./enrichment-envelope.js";
import { TOOL_TIMEOUT_MS, TOOL_TIMEOUT_MS_MAX } from "./limits.js";
import type { OutputOf, StandardSchema } from "./standard-schema.js";
import { isStandardSchema } from "./standard-schema.js";

export interface ToolContext extends RunContext {
  /** Unique within the turn; a good idempotency key for what the tool calls. */
  readonly callId: string;
}

/** `finish`: a call in flight completes when its turn is cancelled, and its result is dropped; `abort`: its signal fires. */
export type CancelMode = "finish" | "abort";

export type JsonObject = { readonly [key: string]: Json };

export interface ToolBasics<S extends StandardSchema> {
  readonly name: string;
  /** What the model reads to decide whether to call it. */
  readonly description: string;
  readonly input: S;
  readonly cancel?: CancelMode;
  /** The kind of tool, shown to clients; `function` unless said otherwise. */
  readonly type?: string;
  /**
   * How long a call may take; 30 s unless said otherwise. It may be longer than the 60 s that an agent may be silent; the run's
   * `execution_timeout` and the 120 s of a turn end it all the same.
   */
  readonly timeoutMs?: number;
  /** For a schema library that cannot tell the JSON Schema of its input. */
  readonly inputJsonSchema?: JsonObject;
}

export interface ToolDefinition<S extends StandardSchema> extends ToolBasics<S> {
  /** Returns what the model gets: a plain JSON value, or an enrichment envelope, which is unwrapped. */
  run(input: OutputOf<S>, context: ToolContext): unknown;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly cancel: CancelMode;
  readonly timeoutMs: number;
  readonly input: StandardSchema;
  readonly inputJsonSchema: JsonObject;
  run(input: unknown, context: ToolContext): unknown;
  /** Shows what `run` gave and says what the model gets instead of it; only render tools have one. */
  present?(input: unknown, data: Extract<Opened, { kind: "data" }>, context: ToolContext): Promise<Json>;
}

export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const checkJson = compileCheck({ kind: "json" });
const TYPE_LENGTH_MAX = 256;

export function defineTool<const S extends StandardSchema>(definition: ToolDefinition<S>): Tool {
  const { name } = definition;
  requireBasics(definition);
  demand(typeof definition.run === "function", name, "needs a function run");
  return Object.freeze({
    ...basicsOf(definition),
    run: (input: unknown, context: ToolContext) => definition.run(input, context),
  });
}

/** What every kind of tool has, with its defaults; expects `requireBasics`. */
export function basicsOf(definition: ToolBasics<StandardSchema>) {
  const { name, description, input, cancel = "finish", type = "function", timeoutMs = TOOL_TIMEOUT_MS } = definition;
  return { name, description, type, cancel, timeoutMs, input, inputJsonSchema: jsonSchemaOf(definition) };
}

export function requireBasics(definition: ToolBasics<StandardSchema>): void {
  const { name, description, input, cancel, type, timeoutMs } = definition;
  demand(typeof name === "string" && TOOL_NAME.test(name), name, `needs a name that matches ${TOOL_NAME.source}`);
  demand(typeof description === "string" && description.trim() !== "", name, "needs a description for the model");
  demand(isStandardSchema(input), name, "needs a Standard Schema as input");
  demand(cancel === undefined || cancel === "finish" || cancel === "abort", name, "has cancel: finish or abort");
  demand(
    type === undefined || (typeof type === "string" && type !== "" && type.length <= TYPE_LENGTH_MAX),
    name,
    `has a type of 1 to ${TYPE_LENGTH_MAX} characters`,
  );
  const inRange = Number.isSafeInteger(timeoutMs) && Number(timeoutMs) >= 1 && Number(timeoutMs) <= TOOL_TIMEOUT_MS_MAX;
  demand(timeoutMs === undefined || inRange, name, `has a timeoutMs from 1 to ${TOOL_TIMEOUT_MS_MAX}`);
}

export function demand(holds: boolean, name: unknown, says: string, cause?: unknown): asserts holds {
  if (holds) return;
  const tool = typeof name === "string" && name !== "" ? name.slice(0, 64) : "without a name";
  throw new FramerailError("INVALID_AGENT", `tool ${tool} ${says}`, { cause });
}

function jsonSchemaOf({ name, input, inputJsonSchema }: ToolBasics<StandardSchema>): JsonObject {
  const schema = inputJsonSchema ?? convert(name, input);
  const isObject = typeof schema === "object" && schema !== null && !Array.isArray(schema);
  demand(isObject && checkJson(schema) === undefined, name, "needs a JSON Schema that is a JSON object");
  return schema as JsonObject;
}

function convert(name: string, input: StandardSchema): unknown {
  const { jsonSchema } = input["~standard"];
  demand(
    typeof jsonSchema?.input === "function",
    name,
    "has a schema that cannot tell its JSON Schema; pass inputJsonSchema",
  );
  try {
    return jsonSchema.input({ target: "draft-07" });
  } catch (cause) {
    return demand(false, name, "has an input that JSON Schema cannot describe; pass inputJsonSchema", cause);
  }
}
