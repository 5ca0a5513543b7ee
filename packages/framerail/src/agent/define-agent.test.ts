import { describe, expect, test } from "vitest";
import { handClock, INPUT, play, start, tick } from "../dispatch/testing/turn-bench.js";
import { defineAgent } from "./define-agent.js";
import type { GraphConfig } from "./graph-config.js";
import { resolveConfig } from "./graph-config.js";
import { createPriceTable } from "./model/price-table.js";
import { defineSubAgent } from "./sub-agent.js";
import {
  began,
  CLOSING,
  ended,
  framesOf,
  keepAsked,
  OPENING,
  says,
  saysWhole,
  textOf,
  tool,
  wrote,
} from "./testing/scripted.js";
import { createDoor } from "./tool/testing/tool-bench.js";
import { writer } from "./writer.js";

const onCancel = () => undefined;

describe("an agent with a model", () => {
  test("a failing tool is an answer, and the loop goes on [P-13] [P-62]", async () => {
    const reports: object[] = [];
    const thrown = new Error("password=CANARY at db-1.internal");
    const search = tool("search", () => {
      throw thrown;
    });
    const agent = defineAgent({
      id: "assistant",
      model: saysWhole({ call: 1, tool_calls: [{ name: "search" }] }, { call: 2, text: "I could not look." }),
      tools: [search],
      report: (report) => reports.push(report),
    });
    const { sink, events } = await play(agent);
    expect(framesOf(sink)).toEqual([
      ...OPENING,
      ...[began(1, "search"), ended(1, "search"), wrote("I could not look.")],
      ...CLOSING,
    ]);
    expect(events.find(({ event }) => event.type === "tool_result")?.event).toMatchObject({
      is_error: true,
      result: { error: "The tool search failed." },
    });
    expect(sink.wire() + JSON.stringify(events)).not.toContain("CANARY");
    expect(reports).toMatchObject([
      { what: "tool search of assistant", error: { code: "TOOL_FAILED", cause: thrown } },
    ]);
  });

  test("every model call leaves one metrics event with its cost [R-6-3] [R-6-5]", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: says({ text: "x", usage: { input_tokens: 1000, output_tokens: 500 } }),
      prices: createPriceTable({ currency: "USD", models: { scripted: { input: 1, output: 2 } } }),
    });
    const { events } = await play(agent);
    const metrics = events.flatMap(({ event }) => (event.type === "metrics" ? [event] : []));
    expect(metrics).toMatchObject([{ model: "scripted", cost: 0.002, tokens: { total_tokens: 1500 } }]);
  });

  test("a second model takes over within the step: one answer, one iteration, two calls accounted for [R-3.4-11] [R-6-5]", async () => {
    const broken = says({ fail: { status: 500 } });
    const reports: object[] = [];
    const agent = defineAgent({
      id: "assistant",
      model: [broken, saysWhole({ text: "Here." })],
      report: (report) => reports.push(report),
      config: { max_iterations: 1, emit_node_events: true },
    });
    const { sink, events, outcome } = await play(agent);
    expect(outcome).toEqual({ kind: "completed" });
    expect(framesOf(sink)).toEqual([...OPENING, wrote("Here."), ...CLOSING]);
    const count = (type: string) => events.filter(({ event }) => event.type === type).length;
    expect([count("node_enter"), count("metrics")]).toEqual([1, 2]);
    expect(reports).toMatchObject([{ what: "model", error: { code: "MODEL_FAILED" } }]);
  });
});

describe("the configuration", () => {
  test("max_iterations pauses the turn [P-52] [C-24]", async () => {
    const { model, asked } = keepAsked(says({ tool_calls: [{ name: "again" }] }));
    const config = { max_iterations: 3 };
    const agent = defineAgent({ id: "assistant", model, tools: [tool("again", () => 1)], config });
    const { outcome, sink } = await play(agent);
    expect(outcome).toEqual({ kind: "paused", limit: "state_limit" });
    expect(sink.frames().at(-1)).toMatchObject({ event_type: "completed", has_more: true });
    expect(asked).toHaveLength(3);
  });

  test("execution_timeout fails it, to the millisecond, and its author is told which agent it was [P-52] [C-24] [P-12]", async () => {
    const clock = handClock();
    const config = { execution_timeout: 700 };
    const agent = defineAgent({ id: "assistant", model: says({ hang: true }), config, clock });
    const { turn, sink, failures } = start(agent, { clock });
    await tick();
    clock.pass(699);
    await tick();
    expect(sink.types()).not.toContain("error");
    clock.pass(1);
    expect(await turn.ended).toEqual({ kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "deadline" });
    expect(failures).toMatchObject([
      { code: "DEADLINE_EXCEEDED", message: "agent assistant ran longer than its execution_timeout" },
    ]);
    expect(clock.waiting).toBe(0);
  });

  test("a run that ends in time takes its timer back [P-52]", async () => {
    const clock = handClock();
    await play(defineAgent({ id: "assistant", model: says({ text: "x" }), clock }));
    // What is left is the model's answer, which is read to its end in the background.
    await expect.poll(() => clock.waiting).toBe(0);
  });

  test("emit_node_events writes balanced events around nodes, and only then [P-52] [P-11] [C-39]", async () => {
    for (const emit_node_events of [true, undefined]) {
      const model = says({ call: 1, tool_calls: [{ name: "a" }] }, { call: 2, text: "x" });
      const config = emit_node_events === undefined ? {} : { emit_node_events };
      const agent = defineAgent({ id: "assistant", model, tools: [tool("a", () => 1)], config });
      const { events, sink } = await play(agent);
      const nodes = events.flatMap(({ event }) =>
        event.type === "node_enter" || event.type === "node_exit" ? [`${event.type} ${event.node_id}`] : [],
      );
      const around = (node: string) => [`node_enter ${node}`, `node_exit ${node}`];
      expect(nodes).toEqual(emit_node_events ? [...around("model"), ...around("tools"), ...around("model")] : []);
      expect(sink.wire()).not.toContain("node_");
    }
  });

  describe("enable_cancellation: false", () => {
    const startDeaf = (config: Partial<GraphConfig> = {}, options: Parameters<typeof start>[1] = {}) => {
      const door = createDoor();
      const log: string[] = [];
      const slow = tool("slow", () => door.opened.then(() => log.push("tool ended")));
      const { model, asked } = keepAsked(says({ call: 1, tool_calls: [{ name: "slow" }] }, { call: 2, text: "x" }));
      const own = { enable_cancellation: false, ...config };
      const started = start(defineAgent({ id: "assistant", model, tools: [slow], config: own }), options);
      return { ...started, door, log, asked };
    };

    test("lets the run go on behind a turn that has ended for its reader [C-33] [P-52]", async () => {
      const { turn, sink, events, door, log, asked } = startDeaf();
      await tick();
      turn.cancel();
      door.open();
      expect((await turn.ended).kind).toBe("cancelled");
      expect(log).toEqual(["tool ended"]);
      expect(asked).toHaveLength(2);
      expect(sink.types().at(-1)).toBe("cancelled");
      expect(events.filter(({ event }) => event.type === "metrics")).toHaveLength(2);
    });

    test("does not keep a run from hearing of silence or of its deadline [C-33] [C-24]", async () => {
      for (const end of ["idle", "deadline"] as const) {
        const { turn, door, asked } = startDeaf({}, end === "deadline" ? { deadlineMs: 20 } : {});
        await tick();
        if (end === "idle") turn.cancel("idle");
        else await new Promise((resolve) => setTimeout(resolve, 30));
        door.open();
        await turn.ended;
        expect(asked).toHaveLength(1);
      }
    });
  });

  test("has defaults, and takes every setting up to its maximum [P-52]", () => {
    expect(resolveConfig("shop")).toEqual({
      max_iterations: 8,
      execution_timeout: 110_000,
      enable_cancellation: true,
      emit_node_events: false,
    });
    const most = {
      max_iterations: 1_000,
      execution_timeout: 86_400_000,
      enable_cancellation: false,
      emit_node_events: true,
    };
    expect(resolveConfig("shop", most)).toEqual(most);
    expect(resolveConfig("shop", { max_iterations: 1, execution_timeout: 1 })).toMatchObject({ max_iterations: 1 });
  });

  test.each<[string, object]>([
    ["max_iterations", { max_iterations: 0 }],
    ["max_iterations", { max_iterations: 1.5 }],
    ["max_iterations", { max_iterations: 1_001 }],
    ["max_iterations", { max_iterations: "3" }],
    ["execution_timeout", { execution_timeout: 0 }],
    ["execution_timeout", { execution_timeout: Number.POSITIVE_INFINITY }],
    ["execution_timeout", { execution_timeout: 86_400_001 }],
    ["enable_cancellation", { enable_cancellation: 1 }],
    ["emit_node_events", { emit_node_events: undefined }],
    ["retries", { retries: 3 }],
  ])("the setting %s in %j is refused by agent and name [P-52]", (name, config) => {
    expect(() => defineAgent({ id: "shop", model: says({ text: "x" }), config })).toThrow(
      expect.objectContaining({
        code: "INVALID_AGENT",
        message: expect.stringMatching(`^agent shop: config.${name} `),
      }),
    );
  });
});

describe("a definition that is wrong says so at once", () => {
  const model = says({ text: "x" });
  const twice = /^agent a: two tools or sub-agents are called x$/;
  const noModel = /^agent a: model must be a language model/;
  const cases: [string, object, RegExp][] = [
    ["no id", { model }, /^an agent's id must be/],
    ["an id with a space", { id: "my agent", model }, /^an agent's id must be/],
    ["an id that is too long", { id: "a".repeat(65), model }, /^an agent's id must be/],
    ["no model", { id: "a" }, noModel],
    ["a model that is none", { id: "a", model: { doStream: 1 } }, noModel],
    ["no model in the list", { id: "a", model: [] }, noModel],
    ["a run that is no function", { id: "a", run: 7 }, /^agent a: run must be a function$/],
    ["two tools of one name", { id: "a", model, tools: [tool("x", () => 1), tool("x", () => 1)] }, twice],
    [
      "a sub-agent called like a tool",
      { id: "a", model, tools: [tool("x", () => 1)], subAgents: [defineSubAgent({ id: "x", onCancel })] },
      twice,
    ],
  ];
  test.each(cases)("a definition with %s is refused by name", (_, options, message) => {
    expect(() => defineAgent(options as never)).toThrow(
      expect.objectContaining({ code: "INVALID_AGENT", message: expect.stringMatching(message) }),
    );
  });

  test("the longest id is taken", () => {
    expect(defineAgent({ id: "a".repeat(64), model }).manifest.id).toHaveLength(64);
  });
});

test("free-form code is an agent too, with its writer by hand and at any depth [W-SW-1]", async () => {
  const agent = defineAgent({
    id: "echo",
    async run(turn, { writer: own }) {
      await tick();
      expect(writer()).toBe(own);
      writer().text(`you said ${turn.message}`);
    },
  });
  const { sink, outcome } = await play(agent);
  expect(outcome).toEqual({ kind: "completed" });
  expect(textOf(sink)).toBe(`you said ${INPUT.message}`);
  const pausing = defineAgent({ id: "p", run: async () => ({ kind: "paused", limit: "time_limit" }) as const });
  expect((await play(pausing)).outcome).toEqual({ kind: "paused", limit: "time_limit" });
});
