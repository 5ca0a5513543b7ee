// Bugs to plant in agents and dispatch: each guard and bound with the smallest change that breaks it.
// One long file, because it is one list: a table of places in the order of the sources, with nothing to follow from
// row to row. Every row names the test file that must go red.

import { MODEL_PLANTS } from "./model-plants.js";
import { plantIn } from "./plant-in.js";
import type { Row } from "./plant-rows.js";
import { rowsOf } from "./plant-rows.js";
import type { Plant } from "./plants.js";
import { TOOL_PLANTS } from "./tool-plants.js";

const agent = (source: string, test: string, ...rows: Row[]) => rowsOf("agent", source, test, rows);
const held = plantIn("publish/publish-turn.ts", "dispatch/idle-watch.test.ts");
const dispatch = (source: string, test: string, ...rows: Row[]) => rowsOf("dispatch", source, test, rows);

const AGENTS = [
  ...agent(
    "define-agent",
    "define-agent",
    ["an agent's id has a form", "|| !ID.test(options.id)", ""],
    ["a model is looked at when the agent is defined", "  requireModels(id, options.model);\n", ""],
    ["an empty list of models", "models.length > 0 &&", ""],
    ["names of tools and sub-agents are unique", "  requireUniqueNames(id, tools, subAgents);\n", ""],
    ["a sub-agent called like a tool", "...subAgents.map((sub) => sub.id)];", "];"],
    ["a free agent's run is a function", 'if (typeof run !== "function") throw', "if (false) throw"],
    ["a free agent that returns nothing completes", ' ?? { kind: "completed" },', " as never,"],
    [
      "why a run was stopped is what happened",
      "const why: unknown = signal.aborted ? signal.reason : error;",
      "const why: unknown = error;",
      "told-failures",
    ],
    ["what runs beside the part that failed ends", "    abandon();\n", "", "told-failures"],
    ["a run lets its signal go", "    release();\n", "", "leaks"],
    ["the model is said to think first", "    writer.thinking();\n", "", "loop"],
    [
      "a sub-agent has its own model",
      "sub.model ? createModelNode({ models: [sub.model], ...shared }) : node",
      "node",
      "sub-agent",
    ],
    [
      "the manifest names sub-agents",
      ", ...subAgents.map((sub) => ({ id: sub.id, emits: sub.emits }))]",
      "]",
      "sub-agent",
    ],
    ["a fallback is reported to the agent", 'report({ what: "model", error })', "void error"],
    ["prices reach the calls", "...(options.prices && { prices: options.prices })", ""],
    [
      "one composer for each turn",
      'requireValue(compose(), "compose")',
      "((compose as { one?: Composer }).one ??= compose())",
      "compose",
    ],
    ["what the composer holds is let out at the end", "    composed?.finish();\n", "", "compose"],
  ),
  ...agent(
    "graph-config",
    "define-agent",
    ["settings have a maximum", "(value as number) <= max", "max > 0"],
    ["settings are one or more", "(value as number) >= 1 &&", "(value as number) >= 0 &&"],
    ["settings are whole numbers", "Number.isSafeInteger(value) &&", ""],
    ["a switch is true or false", 'if (typeof config[name] !== "boolean") throw', "if (false) throw"],
    ["a setting nobody knows", "if (stranger !== undefined) throw", "if (false) throw"],
    ["a cancel acts unless said otherwise", "enable_cancellation: true,", "enable_cancellation: false,"],
    ["node events are off unless asked for", "emit_node_events: false,", "emit_node_events: true,"],
  ),
  ...agent(
    "run-signal",
    "define-agent",
    ["a run that goes on is deaf to its reader", "config.enable_cancellation || !isReadersCancel(turn.reason)", "true"],
    [
      "a run that goes on hears of silence",
      "config.enable_cancellation || !isReadersCancel(turn.reason)",
      "config.enable_cancellation",
    ],
    ["a turn that has ended before its run began", "if (turn.aborted) follow();", "if (false) follow();", "cancel"],
    ["the listener on the turn is taken off", '      turn.removeEventListener("abort", follow);\n', "", "leaks"],
    ["the timer of the run is taken back", "      cancelTimeout();\n", ""],
    ["the execution timeout", "    own.abort(reason);\n", "", "told-failures"],
    ["a tool that hangs does not outlast the run", "    expire?.(reason);\n", "", "told-failures"],
  ),
  ...agent(
    "loop",
    "loop",
    [
      "a cancel is looked at before a model is asked",
      "    requireRunning(context.signal);\n    const given",
      "    const given",
      "cancel",
    ],
    [
      "a cancel is looked at before tools run",
      "    requireRunning(context.signal);\n    const answers",
      "    const answers",
    ],
    [
      "a cancel is looked at before failures are told",
      "    requireRunning(context.signal);\n    const told",
      "    const told",
    ],
    [
      "model calls have a maximum",
      "iteration < options.config.max_iterations",
      "iteration <= options.config.max_iterations",
      "define-agent",
    ],
    ["the maximum is a pause", '{ kind: "paused", limit: "state_limit" }', '{ kind: "completed" }', "define-agent"],
    [
      "tools run side by side",
      "Promise.all(step.toolCalls.map((call) => answerCall(options, call, context))),",
      "(async () => {\n const all: Answered[] = [];\n for (const call of step.toolCalls) all.push(await answerCall(options, call, context));\n return all;\n })(),",
    ],
    ["answers stand in the order of the calls", "toolMessage(answers)", "toolMessage([...answers].reverse())"],
    ["ids are unique in the turn", "options.callIds.makeUnique(given)", "given"],
    [
      "the model's message stays in the prompt",
      '    messages.push({ role: "assistant", content: step.content });\n',
      "",
    ],
    ["a sub-agent asks no sub-agent", "subAgents: [] };", "subAgents: options.subAgents };", "sub-agent"],
    ["a sub-agent has its own tools", "tools: subAgent.tools,", "tools: options.tools,", "sub-agent"],
    ["a cancelled sub-agent has not failed", "context.signal.aborted || isExhausted", "isExhausted", "cancel"],
    [
      "a sub-agent that has ended is not released",
      '    context.signal.removeEventListener("abort", release);\n',
      "",
      "cancel",
    ],
    ["a sub-agent is released once", "  if (options.released.has(id)) return;\n", "", "cancel"],
    [
      "a sub-agent that runs is released",
      'context.signal.addEventListener("abort", release, { once: true });',
      "void release;",
      "cancel",
    ],
    [
      "a failing release is reported",
      "options.report({ what: `onCancel",
      "throw error;\n    void ({ what: `onCancel",
      "cancel",
    ],
    [
      "a sub-agent's failure is reported",
      "throw error;\n    options.report({ what: `sub-agent",
      "throw error;\n    void ({ what: `sub-agent",
      "failure-axes",
    ],
    [
      "a call of a sub-agent that cannot be read",
      "if (task === undefined) return refuseTask",
      "if (false) return refuseTask",
      "turn-failures",
    ],
    ["a blank task is none", ' && task.trim() !== ""', "", "turn-failures"],
    [
      "nothing of a cancelled sub-agent is written",
      "  if (!context.signal.aborted) {\n    const duration_ms",
      "  {\n    const duration_ms",
    ],
    ["node_exit is not written after a cancel", "    if (!signal.aborted) {\n      writer", "    {\n      writer"],
    ["an answer has its call's name", "name: publicName(call.name)", "name: call.name", "turn-failures"],
    ["an unknown tool is answered with all names", "  ...subAgents.map(({ id }) => id),\n", ""],
    ["an answer with a failed part says so", "failures.length > 0 || end.kind", "end.kind", "failure-axes"],
    ["a sub-agent stopped at its limit says so", ' || end.kind === "paused"', "", "told-failures"],
    [
      "failures of a sub-agent's tools are kept",
      'else if (error.code !== "PARTIAL_FAN_OUT") failures.push(error);',
      "",
      "failure-axes",
    ],
    [
      "failures of tools are told",
      'if (tell) context.writer.write({ type: "part_failed", error });',
      "if (tell) void error;",
      "failure-axes",
    ],
    ["what a tool threw is reported", "options.report({ what, error })", "undefined", "turn-failures"],
  ),
  ...agent(
    "failure-axes",
    "failure-axes",
    ["one sub-agent alone that fails ends the turn", "if (only.failed !== undefined) throw", "if (false) throw"],
    ["one sub-agent alone is no fan-out", "parts.length === 1 && only !== undefined", "only === undefined"],
    ["a fan-out that goes well tells nothing", "failed.length === 0 ? [] : ", ""],
    ["a failed sub-agent is one record", "whole === undefined ? [...failures] :", "whole === undefined ? [] :"],
    ["which sub-agent failed", "return Object.assign(error, { sub_agent_id });", "return error as never;"],
  ),
  ...agent(
    "sub-agent",
    "sub-agent",
    [
      "a sub-agent's words are kept from the user",
      "said += event.content;\n",
      "{ said += event.content; sink.accept(event, emitter); }\n",
    ],
    ["a sub-agent's reasoning stays inside", '"text", "reasoning", ', '"text", '],
    ["a sub-agent's thinking stays inside", ', "thinking"]', "]"],
    ["what stays inside is judged too", "          requireEvent(event);\n", ""],
    ["a sub-agent writes under its own name", "    subAgentId,\n  );", "    parent.emitter,\n  );"],
    ["a sub-agent's id has a form", "|| !ID.test(id)", ""],
    ["a sub-agent's tools have names of their own", "if (twice !== undefined) {", "if (false) {"],
    ["a sub-agent needs a cancellation handler", 'if (typeof onCancel !== "function") {', "if (false) {"],
  ),
  ...agent(
    "writer",
    "writer",
    [
      "no writer outside a turn",
      'if (found === undefined) throw new FramerailError("NO_TURN"',
      'if (false) throw new FramerailError("NO_TURN"',
    ],
    ["only the runtime's writers have a sink", "if (!(GIVE_SINK in own)) throw", "if (false) throw"],
    ["the scope is the writer's own", "return scope.run(own, body);", "scope.enterWith(own);\n  return body();"],
    ["the writer's pace is the log's", "return this.#sink.ready();", "return Promise.resolve();"],
  ),
  ...agent(
    "compose",
    "compose",
    ["held text comes before a tool call", 'event.type === "tool_call" || ', ""],
    ["held text comes before data", 'event.type === "data_loaded" || ', ""],
    ["held text comes before a component", ' || event.type === "component"', ""],
    ["a character that a composer cut waits", "endsInHalf(text) ? text.length - 1 : text.length", "text.length"],
    ["a composer that gives nothing writes nothing", 'if (content !== "") sink', "sink"],
    [
      "the pace of a composed answer",
      "ready: () => sink.ready() }, own.emitter",
      "ready: () => Promise.resolve() }, own.emitter",
    ],
  ),
  ...agent(
    "call-ids",
    "loop",
    ["an id that was used gets a number", "while (used.has(unique)) {", "while (used.has(unique) && copy < 2) {"],
    [
      "the longest id has room for its number",
      "id.slice(0, TOOL_ID_LENGTH_MAX - end.length)",
      "id",
      "../backend/tool-pairing",
    ],
    [
      "a number goes behind a whole character",
      "endsInHalf(start) ? start.slice(0, -1) : start",
      "start",
      "../backend/tool-pairing",
    ],
    ["the prompt has the same ids", "{ ...part, toolCallId: nameOf(part.toolCallId) }", "part"],
  ),
  ...agent(
    "author-hooks",
    "author-hooks",
    ["a hook's rejection is heard", "  Promise.resolve(value).catch(() => undefined);\n", ""],
    ["a promise is no value", "if (!hearRejection(value)) return value;", "return value;"],
  ),
  ...agent(
    "goes-on",
    "tool/long-tool",
    ["work that goes on is heard of again", "      wait();\n    });", "    });"],
    ["work that is over is not heard of", "return () => cancel();", "return () => {};"],
  ),
  ...agent(
    "prompt",
    "loop",
    ["what was said before is in the prompt", "...past, ", ""],
    ["instructions are in the prompt", "return [...system,", "return ["],
    ["a failure is marked for the model", 'isError ? "error-json" : "json"', '"json"'],
  ),
];

const DISPATCH = [
  ...dispatch(
    "run-turn",
    "run-turn",
    ["the deadline ends the turn", '"DEADLINE_EXCEEDED", `agent', '"CANCELLED", `agent'],
    ["the caller's time is a deadline", '"DEADLINE_EXCEEDED", "the time', '"CANCELLED", "the time', "run-turn-ends"],
    ["the deadline's timer is taken back", "    this.#cancelDeadline();\n", "", "turn-waits"],
    [
      "a step has a deadline unless said otherwise",
      "options.deadlineMs ?? STEP_DEADLINE_MS",
      "options.deadlineMs ?? 2 * STEP_DEADLINE_MS",
      "turn-waits",
    ],
    [
      "the wait for the accounting has a maximum",
      "settleWithin(this.#run, SETTLE_MS_MAX, clock)",
      "settleWithin(this.#run, SETTLE_MS_MAX + 1, clock)",
      "turn-waits",
    ],
    ["the accounting is waited for", "    await settleWithin(this.#run, SETTLE_MS_MAX, clock);\n", "", "turn-waits"],
    [
      "the end is stored before it is told",
      "    await commit?.(outcome, this.#turn.terminal as EncodedFrame);\n    await this.#turn.seal();",
      "    await this.#turn.seal();\n    await commit?.(outcome, this.#turn.terminal as EncodedFrame);",
    ],
    ["a turn that is latched is finished", "    queueMicrotask(() => this.#endWith(this.#finish()));\n", ""],
    [
      "what a stopped step throws is no news",
      "if (turn.latch(outcomeOfError(error), isFramerailError(error) ? error : undefined)) tellFailure(options, error);",
      "turn.latch(outcomeOfError(error), isFramerailError(error) ? error : undefined);\n    tellFailure(options, error);",
      "turn-waits",
    ],
    [
      "a listener that throws does not keep a turn open",
      "  try {\n    onFailure?.(error);\n  } catch {",
      "  onFailure?.(error);\n  try {} catch {",
      "turn-waits",
    ],
    ["operators hear of a failure", "onFailure?.(error);", ";"],
    ["a pause is a pause", 'end.kind === "paused" ? { kind: "paused", limit: end.limit } : ', ""],
    ["silence is told from a cancel", 'why === "idle" ? { cause: IDLE } : {}', "{}"],
  ),
  ...dispatch(
    "idle-watch",
    "idle-watch",
    ["what was heard puts the end off", "if (silentMs >= idleMs) heard.onIdle();", "heard.onIdle();"],
    ["a clock that was set back", "Math.max(0, heard.silentMs(clock.now()))", "heard.silentMs(clock.now())"],
  ),
  held("who is held back is not silent", "this.#held > 0 ? 0 : ", ""),
  held("silence begins when the writer is free", "      this.#heardMark = markOf(this.#clock.now());\n", ""),
  ...dispatch(
    "outcome-of-error",
    "outcome-of-error",
    ["a rate limit keeps its meaning", 'case "RATE_LIMITED":\n', ""],
    ["a deadline keeps its meaning", 'case "DEADLINE_EXCEEDED":\n', ""],
    ["a violation keeps its meaning", 'case "PROTOCOL_VIOLATION":\n', ""],
    ["a broken invariant keeps its meaning", 'case "INVARIANT_VIOLATION":\n', ""],
    ["a writer that does not wait", 'case "PACE_EXCEEDED":\n', ""],
    ["a sub-agent without a name is not told", 'if (typeof sub_agent_id !== "string") return INTERNAL;', ""],
    ["which cancel it was", 'error.cause === IDLE ? "IDLE_TIMEOUT" : "REQUEST_CANCELLED"', '"REQUEST_CANCELLED"'],
  ),
];

export const AGENT_PLANTS: readonly Plant[] = [...AGENTS, ...DISPATCH, ...TOOL_PLANTS, ...MODEL_PLANTS];
