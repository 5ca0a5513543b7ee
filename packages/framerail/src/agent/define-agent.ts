// What an agent author calls. A model with instructions, tools and sub-agents, or free-form code; both become the Agent
// that the runtime knows.
//   D1. What is wrong with a definition is said when it is made, by agent and field, before any model is called.

import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { Clock } from "@framerail/protocol";
import { FramerailError, systemClock } from "@framerail/protocol";
import type { Agent, AgentManifest, RunContext, RunEnd, TurnInput } from "./agent.js";
import { callHook, requireValue } from "./author-hooks.js";
import { createCallIds } from "./call-ids.js";
import type { Composer } from "./compose.js";
import { composeText } from "./compose.js";
import type { GraphConfig } from "./graph-config.js";
import { resolveConfig } from "./graph-config.js";
import type { LoopOptions } from "./loop.js";
import { runLoop } from "./loop.js";
import { createModelNode } from "./model/model-node.js";
import type { PriceTable } from "./model/price-table.js";
import { openPrompt } from "./prompt.js";
import { openRunSignal } from "./run-signal.js";
import type { StatusId } from "./status-id.js";
import type { SubAgent } from "./sub-agent.js";
import type { Tool } from "./tool/define-tool.js";
import { runWithWriter } from "./writer.js";

interface CommonOptions {
  readonly id: string;
  /** Status ids it writes under its own id. */
  readonly emits?: readonly StatusId[];
  readonly clock?: Clock;
}

export interface ModelAgentOptions extends CommonOptions {
  /** One model, or several: the next is asked when one fails before it has said anything. */
  readonly model: LanguageModelV3 | readonly [LanguageModelV3, ...LanguageModelV3[]];
  readonly instructions?: string;
  readonly tools?: readonly Tool[];
  readonly subAgents?: readonly SubAgent[];
  /** Makes the pass over a turn's answer. */
  readonly compose?: () => Composer;
  readonly config?: Partial<GraphConfig>;
  readonly prices?: PriceTable;
  /** What operators must hear of: what tools and sub-agents threw, whole. Nobody waits for it, and what it throws is lost. */
  report?(report: { readonly what: string; readonly error: unknown }): void;
}

export interface FreeAgentOptions extends CommonOptions {
  /** Writes the turn's events; a returned pause ends the turn as one. */
  run(turn: TurnInput, context: RunContext): Promise<RunEnd | undefined> | Promise<void>;
}

/** What all turns of an agent share of their loops. */
type AgentLoop = Omit<LoopOptions, "callIds" | "released">;

const ID = /^[a-zA-Z][a-zA-Z0-9_.-]{0,63}$/;

export function defineAgent(options: ModelAgentOptions | FreeAgentOptions): Agent {
  if (typeof options.id !== "string" || !ID.test(options.id)) {
    throw new FramerailError(
      "INVALID_AGENT",
      "an agent's id must be 1 to 64 letters, digits, . - or _, a letter first",
    );
  }
  if ("run" in options) return defineFreeAgent(options);
  return defineModelAgent(options);
}

function defineFreeAgent({ id, emits = [], run }: FreeAgentOptions): Agent {
  if (typeof run !== "function") throw invalid(id, "run must be a function");
  return {
    manifest: { id, emitters: [{ id, emits }] },
    run: async (turn, context) => (await run(turn, context)) ?? { kind: "completed" },
  };
}

function defineModelAgent(options: ModelAgentOptions): Agent {
  const { id, tools = [], subAgents = [], clock = systemClock } = options;
  requireModels(id, options.model);
  requireUniqueNames(id, tools, subAgents);
  const config = resolveConfig(id, options.config);
  const report = (found: { readonly what: string; readonly error: unknown }) => {
    callHook(() => options.report?.(found));
  };
  const shared = {
    clock,
    report: (error: unknown) => report({ what: "model", error }),
    ...(options.prices && { prices: options.prices }),
  };
  const node = createModelNode({ models: modelsOf(options.model), ...shared });
  const nodes = new Map(
    subAgents.map((sub) => [sub.id, sub.model ? createModelNode({ models: [sub.model], ...shared }) : node]),
  );
  const loop: AgentLoop = {
    node,
    tools,
    subAgents,
    config,
    clock,
    nodeOf: (sub) => nodes.get(sub.id) ?? node,
    report,
  };
  return { manifest: manifestOf(options), run: (turn, context) => runModelAgent(options, loop, turn, context) };
}

async function runModelAgent(
  { id, instructions, compose }: ModelAgentOptions,
  loop: AgentLoop,
  turn: TurnInput,
  context: RunContext,
): Promise<RunEnd> {
  const composed = compose === undefined ? undefined : composeText(context.writer, requireValue(compose(), "compose"));
  const { signal, within, abandon, release } = openRunSignal(id, context.signal, loop.config, loop.clock);
  const writer = composed?.writer ?? context.writer;
  const prompt = openPrompt({ instructions, history: turn.history, message: turn.message });
  try {
    const own = { ...loop, callIds: createCallIds(), released: new Set<string>() };
    writer.thinking();
    const run = runWithWriter(writer, () => runLoop(own, prompt, { ...context, writer, signal }, true));
    const { end } = await within(run);
    composed?.finish();
    return end;
  } catch (error) {
    // Why the run was stopped is what happened; what the stopped model or tool said about it is only how.
    const why: unknown = signal.aborted ? signal.reason : error;
    abandon();
    throw why;
  } finally {
    release();
  }
}

function manifestOf({ id, emits = [], subAgents = [] }: ModelAgentOptions): AgentManifest {
  return { id, emitters: [{ id, emits }, ...subAgents.map((sub) => ({ id: sub.id, emits: sub.emits }))] };
}

function modelsOf(model: ModelAgentOptions["model"]): readonly [LanguageModelV3, ...LanguageModelV3[]] {
  return Array.isArray(model) ? (model as [LanguageModelV3, ...LanguageModelV3[]]) : [model as LanguageModelV3];
}

function requireModels(id: string, model: ModelAgentOptions["model"] | undefined): void {
  const models: readonly unknown[] = Array.isArray(model) ? model : [model];
  const good =
    models.length > 0 &&
    models.every((one) => typeof (one as Partial<LanguageModelV3> | undefined)?.doStream === "function");
  if (!good) throw invalid(id, "model must be a language model of the AI SDK, or a list of them");
}

function requireUniqueNames(id: string, tools: readonly Tool[], subAgents: readonly SubAgent[]): void {
  const names = [...tools.map(({ name }) => name), ...subAgents.map((sub) => sub.id)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(id, `two tools or sub-agents are called ${twice}`);
}

function invalid(id: string, says: string): FramerailError {
  return new FramerailError("INVALID_AGENT", `agent ${id}: ${says}`);
}
