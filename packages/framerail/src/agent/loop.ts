// The loop of a model and its tools: ask the model, run what it calls, tell it the answers, until it answers without
// calling or a limit is reached [P-40]. The same loop runs an agent and each of its sub-agents.
// Owns: the order of nodes, the limits, what is asked next. Does not own: asking (model/), running a tool (tool/), how
// failures are told (failure-axes.ts), sub-agents' definitions (sub-agent.ts).
//   L1. Cancellation is looked at between nodes, and reaches the model's request at once; nothing new starts after it [C-21].
//   L2. Tools of one step run side by side and answer in the order they were asked, whatever order they end in [P-55].
//   L3. A failing tool is an answer to the model, not the end of the loop [P-13].

import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { Clock, Json } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { RunContext, RunEnd } from "./agent.js";
import type { CallIds } from "./call-ids.js";
import type { DispatchedPart, SingleFailure } from "./failure-axes.js";
import { judgeDispatch } from "./failure-axes.js";
import type { GraphConfig } from "./graph-config.js";
import type { ModelNode } from "./model/model-node.js";
import type { ModelToolCall } from "./model/model-step.js";
import type { ToolAnswer } from "./prompt.js";
import { openPrompt, toolMessage } from "./prompt.js";
import { publicName } from "./public-name.js";
import type { SubAgent } from "./sub-agent.js";
import { captureText } from "./sub-agent.js";
import type { Tool } from "./tool/define-tool.js";
import { runTool, runUnknownTool } from "./tool/run-tool.js";
import { openRecord, readArguments } from "./tool/tool-call.js";
import { failed, sayRefused } from "./tool/tool-outcome.js";

export interface LoopOptions {
  readonly node: ModelNode;
  readonly tools: readonly Tool[];
  readonly subAgents: readonly SubAgent[];
  /** The model node of a sub-agent: its own model's, or this one. */
  nodeOf(subAgent: SubAgent): ModelNode;
  readonly config: GraphConfig;
  /** One per turn, shared with the sub-agents' loops. */
  readonly callIds: CallIds;
  /** Sub-agents whose onCancel was called in this turn: once, however many calls of one run. */
  readonly released: Set<string>;
  readonly clock: Clock;
  /** What operators must hear of. */
  report(report: { readonly what: string; readonly error: unknown }): void;
}

export interface LoopResult {
  readonly end: RunEnd;
  /** Failures of tools that the loop survived and has not told yet. */
  readonly failures: readonly SingleFailure[];
}

type Answered = ToolAnswer & { readonly failures: readonly SingleFailure[]; readonly part?: DispatchedPart };

/** Tells failures as they come when `tell` is given; else collects them for whoever dispatched this loop. */
export async function runLoop(
  options: LoopOptions,
  prompt: LanguageModelV3Prompt,
  context: RunContext,
  tell: boolean,
): Promise<LoopResult> {
  const messages = [...prompt];
  const functions = describeTools(options);
  const failures: SingleFailure[] = [];
  for (let iteration = 0; iteration < options.config.max_iterations; iteration += 1) {
    requireRunning(context.signal);
    const given = await inNode(options, context, "model", () =>
      options.node.run({ ...context, messages, tools: functions }),
    );
    const step = options.callIds.makeUnique(given);
    messages.push({ role: "assistant", content: step.content });
    if (step.toolCalls.length === 0) return { end: { kind: "completed" }, failures };
    requireRunning(context.signal);
    const answers = await inNode(options, context, "tools", () =>
      Promise.all(step.toolCalls.map((call) => answerCall(options, call, context))),
    );
    requireRunning(context.signal);
    const told = [
      ...answers.filter(({ part }) => part === undefined).flatMap((answer) => answer.failures),
      ...judgeDispatch(answers.flatMap(({ part }) => (part === undefined ? [] : [part]))),
    ];
    for (const error of told) {
      if (tell) context.writer.write({ type: "part_failed", error });
      else if (error.code !== "PARTIAL_FAN_OUT") failures.push(error);
    }
    messages.push(toolMessage(answers));
  }
  return { end: { kind: "paused", limit: "state_limit" }, failures };
}

function describeTools({ tools, subAgents }: LoopOptions) {
  const ofTools = tools.map(({ name, description, inputJsonSchema }) => {
    return { type: "function" as const, name, description, inputSchema: inputJsonSchema };
  });
  const ofSubAgents = subAgents.map(({ id, description }) => {
    return { type: "function" as const, name: id, description, inputSchema: TASK_SCHEMA };
  });
  return [...ofTools, ...ofSubAgents];
}

const TASK_SCHEMA = {
  type: "object" as const,
  properties: { task: { type: "string" as const, description: "What to do, in one or two sentences." } },
  required: ["task"],
  additionalProperties: false,
};

async function answerCall(options: LoopOptions, call: ModelToolCall, context: RunContext): Promise<Answered> {
  const subAgent = options.subAgents.find(({ id }) => id === call.name);
  if (subAgent !== undefined) return answerBySubAgent(options, subAgent, call, context);
  const tool = options.tools.find(({ name }) => name === call.name);
  const asked = { id: call.id, argumentsText: call.argumentsText };
  const what = `tool ${call.name} of ${context.writer.emitter}`;
  const report = ({ error }: { readonly error: unknown }) => options.report({ what, error });
  const own = { ...context, clock: options.clock, report };
  const outcome = await (tool ? runTool(tool, asked, own) : runUnknownTool(call.name, namesOf(options), asked, own));
  const { result, isError, failure } = outcome;
  const failures = failure === undefined || failure.code === "PARTIAL_FAN_OUT" ? [] : [failure];
  // As the prompt names the call.
  return { id: call.id, name: publicName(call.name), result, isError, failures };
}

const namesOf = ({ tools, subAgents }: LoopOptions) => [
  ...tools.map(({ name }) => name),
  ...subAgents.map(({ id }) => id),
];

async function answerBySubAgent(
  options: LoopOptions,
  subAgent: SubAgent,
  call: ModelToolCall,
  context: RunContext,
): Promise<Answered> {
  const task = taskOf(call.arguments);
  if (task === undefined) return refuseTask(options, subAgent, call, context);
  const { id: subAgentId } = subAgent;
  const names = { tool_call_id: call.id, tool_name: subAgentId, tool_type: "sub_agent" };
  const startedAt = options.clock.now();
  context.writer.toolCall({ ...names, arguments: call.arguments ?? null, timestamp: startedAt });
  const part = await runSubAgent(options, subAgent, task, context);
  const isError = part.failed !== undefined;
  const result: Json = isError
    ? { error: `${subAgentId} could not do this` }
    : { answer: part.answer, incomplete: part.incomplete };
  if (!context.signal.aborted) {
    const duration_ms = Math.max(0, options.clock.now() - startedAt);
    context.writer.toolResult({ tool_call_id: call.id, result, is_error: isError, duration_ms });
    context.writer.toolCallEnd(names);
  }
  return { id: call.id, name: subAgentId, result, isError, failures: [], part };
}

/** The answer to a call that does not say what it asks for: told to the model, so that it can try again (L3). */
function refuseTask(options: LoopOptions, { id }: SubAgent, call: ModelToolCall, { writer }: RunContext): Answered {
  const reading = readArguments({ id: call.id, argumentsText: call.argumentsText });
  const { clock } = options;
  const record = openRecord({ writer, clock, callId: call.id, name: id, type: "sub_agent", reading });
  const issue = reading.ok ? { message: "must say what to do", path: ["task"] } : { message: reading.message };
  const says = sayRefused(id, [issue]);
  options.report({ what: `sub-agent ${id}`, error: new FramerailError("INVALID_TOOL_INPUT", says) });
  const { result, isError } = record.close(failed(says));
  return { id: call.id, name: id, result, isError, failures: [] };
}

async function runSubAgent(
  options: LoopOptions,
  subAgent: SubAgent,
  task: string,
  context: RunContext,
): Promise<DispatchedPart & { readonly answer: string; readonly incomplete: boolean }> {
  const { writer, text } = captureText(context.writer, subAgent.id);
  const release = () => void releaseSubAgent(options, subAgent);
  context.signal.addEventListener("abort", release, { once: true });
  const own: LoopOptions = { ...options, node: options.nodeOf(subAgent), tools: subAgent.tools, subAgents: [] };
  try {
    const prompt = openPrompt({ instructions: subAgent.instructions, history: [], message: task });
    const { end, failures } = await runLoop(own, prompt, { ...context, writer }, false);
    const incomplete = failures.length > 0 || end.kind === "paused";
    return { subAgentId: subAgent.id, failures, answer: text(), incomplete };
  } catch (error) {
    // What ends the turn is no failure of the sub-agent [D-16].
    if (context.signal.aborted || isExhausted(error)) throw error;
    options.report({ what: `sub-agent ${subAgent.id}`, error });
    return { subAgentId: subAgent.id, failures: [], failed: { error }, answer: "", incomplete: true };
  } finally {
    context.signal.removeEventListener("abort", release);
  }
}

function isExhausted(error: unknown): boolean {
  return isFramerailError(error) && error.code === "BUDGET_EXHAUSTED";
}

async function releaseSubAgent(options: LoopOptions, { id, onCancel }: SubAgent): Promise<void> {
  if (options.released.has(id)) return;
  options.released.add(id);
  try {
    await onCancel();
  } catch (error) {
    options.report({ what: `onCancel of sub-agent ${id}`, error });
  }
}

function taskOf(args: Json | undefined): string | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  // Who is asked for nothing in particular does what its instructions say.
  if (Object.keys(args).length === 0) return "";
  const task = "task" in args ? args.task : undefined;
  return typeof task === "string" && task.trim() !== "" ? task : undefined;
}

async function inNode<T>(
  options: LoopOptions,
  { writer, signal }: RunContext,
  node: "model" | "tools",
  body: () => Promise<T>,
): Promise<T> {
  if (!options.config.emit_node_events) return body();
  const startedAt = options.clock.now();
  writer.write({ type: "node_enter", node_id: node, node_type: node, timestamp: startedAt });
  try {
    return await body();
  } finally {
    if (!signal.aborted) {
      writer.write({ type: "node_exit", node_id: node, duration_ms: Math.max(0, options.clock.now() - startedAt) });
    }
  }
}

function requireRunning(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const reason: unknown = signal.reason;
  throw reason instanceof Error ? reason : new FramerailError("CANCELLED", "the turn was cancelled");
}
