import { FramerailError, systemClock } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import type { KeptFrames } from "../dispatch/testing/turn-bench.js";
import { agentOf, INPUT, play, start, tick } from "../dispatch/testing/turn-bench.js";
import { defineAgent } from "./define-agent.js";
import { resolveConfig } from "./graph-config.js";
import { createPriceTable } from "./model/price-table.js";
import { defineSubAgent } from "./sub-agent.js";
import { says, scripted, textOf, tool } from "./testing/scripted.js";

const shown = (sink: KeptFrames) => sink.types().filter((type) => type !== "usage");
const onCancel = () => undefined;

describe("the loop", () => {
  test("asks the model, runs its tool, tells it the result and lets it answer [P-40]", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: says({ call: 1, reasoning: "hm", tool_calls: [{ name: "search" }] }, { call: 2, text: "Two offers." }),
      tools: [tool("search", () => ({ offers: 2 }))],
    });
    const { sink, outcome, events } = await play(agent);
    expect(outcome).toEqual({ kind: "completed" });
    expect(new Set(shown(sink))).toEqual(
      new Set(["response_id", "thinking", "reasoning", "tool_call", "tool_completed", "text", "completed"]),
    );
    expect(shown(sink).slice(0, 3)).toEqual(["response_id", "thinking", "reasoning"]);
    expect(textOf(sink)).toBe("Two offers.");
    const types = events.map(({ event }) => event.type).filter((type) => type.startsWith("tool"));
    expect(types).toEqual(["tool_call", "tool_result", "tool_call_end"]);
    expect(events.filter(({ event }) => event.type === "metrics")).toHaveLength(2);
  });

  test("a failing tool is an answer, and the loop goes on [P-13] [P-62]", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: says({ call: 1, tool_calls: [{ name: "search" }] }, { call: 2, text: "I could not look." }),
      tools: [
        tool("search", () => {
          throw new Error("password=CANARY at db-1.internal");
        }),
      ],
    });
    const { sink, events } = await play(agent);
    expect(textOf(sink)).toBe("I could not look.");
    expect(events.find(({ event }) => event.type === "tool_result")?.event).toMatchObject({
      is_error: true,
      result: { error: "The tool search failed." },
    });
    expect(sink.wire() + JSON.stringify(events)).not.toContain("CANARY");
  });

  test("tools of one step run side by side and keep their ids apart [P-55] [W-AC-9]", async () => {
    const order: string[] = [];
    const slow = (name: string, ticks: number) =>
      tool(name, async () => {
        order.push(`${name} starts`);
        for (let turn = 0; turn < ticks; turn += 1) await tick();
        order.push(`${name} ends`);
        return name;
      });
    const agent = defineAgent({
      id: "assistant",
      model: says({ call: 1, tool_calls: [{ name: "a" }, { name: "b" }] }, { call: 2, text: "done" }),
      tools: [slow("a", 6), slow("b", 1)],
    });
    const { events } = await play(agent);
    expect(order).toEqual(["a starts", "b starts", "b ends", "a ends"]);
    const results = events.flatMap(({ event }) => (event.type === "tool_result" ? [event.result] : []));
    expect(results).toEqual(["b", "a"]);
  });

  test("a provider that counts its calls from zero in every step does not repeat an id of the turn [W-AC-9]", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: says(
        { call: 1, tool_calls: [{ name: "a" }] },
        { call: 2, tool_calls: [{ name: "a" }] },
        { call: 3, text: "x" },
      ),
      tools: [tool("a", () => 1)],
    });
    const { outcome, events } = await play(agent);
    expect(outcome.kind).toBe("completed");
    const ids = events.flatMap(({ event }) => (event.type === "tool_call" ? [event.tool_call_id] : []));
    expect(new Set(ids).size).toBe(2);
  });

  test("a tool that there is not is told to the model, which goes on", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: says({ call: 1, tool_calls: [{ name: "nonsense" }] }, { call: 2, text: "fine" }),
    });
    const { sink } = await play(agent);
    expect(textOf(sink)).toBe("fine");
  });

  test("reasoning alone, or in any order with text, is an answer [P-54] [P-56]", async () => {
    const { outcome, events } = await play(defineAgent({ id: "assistant", model: says({ reasoning: "only this" }) }));
    expect(outcome.kind).toBe("completed");
    expect(events.some(({ event }) => event.type === "reasoning")).toBe(true);
  });

  test("every model call leaves one metrics event with its cost [R-6-5]", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: says({ text: "x", usage: { input_tokens: 1000, output_tokens: 500 } }),
      prices: createPriceTable({ currency: "USD", models: { scripted: { input: 1, output: 2 } } }),
    });
    const { events } = await play(agent);
    const metrics = events.flatMap(({ event }) => (event.type === "metrics" ? [event] : []));
    expect(metrics).toMatchObject([{ model: "scripted", cost: 0.002, tokens: { total_tokens: 1500 } }]);
  });
});

describe("the configuration [P-52]", () => {
  test("max_iterations pauses the turn [C-24]", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: says({ tool_calls: [{ name: "again" }] }),
      tools: [tool("again", () => 1)],
      config: { max_iterations: 3 },
    });
    const { outcome, events } = await play(agent);
    expect(outcome).toEqual({ kind: "paused", limit: "state_limit" });
    expect(events.filter(({ event }) => event.type === "metrics")).toHaveLength(3);
  });

  test("execution_timeout fails it [C-24] [P-12]", async () => {
    const agent = defineAgent({ id: "assistant", model: says({ hang: true }), config: { execution_timeout: 30 } });
    const { outcome } = await play(agent);
    expect(outcome).toMatchObject({ kind: "failed", cause: "deadline" });
  });

  test("emit_node_events writes balanced events around nodes, and only then [P-11] [C-39]", async () => {
    for (const emit_node_events of [true, false]) {
      const model = says({ call: 1, tool_calls: [{ name: "a" }] }, { call: 2, text: "x" });
      const agent = defineAgent({ id: "assistant", model, tools: [tool("a", () => 1)], config: { emit_node_events } });
      const { events, sink } = await play(agent);
      const nodes = events.map(({ event }) => event.type).filter((type) => type.startsWith("node_"));
      expect(nodes).toEqual(
        emit_node_events ? ["node_enter", "node_exit", "node_enter", "node_exit", "node_enter", "node_exit"] : [],
      );
      expect(sink.wire()).not.toContain("node_");
    }
  });

  test("enable_cancellation: false lets the run go on behind a turn that has ended for its reader [C-33]", async () => {
    let ran = false;
    const agent = defineAgent({
      id: "assistant",
      model: says({ call: 1, tool_calls: [{ name: "slow" }] }, { call: 2, text: "x" }),
      tools: [
        tool("slow", async () => {
          await tick();
          await tick();
          ran = true;
          return 1;
        }),
      ],
      config: { enable_cancellation: false },
    });
    const { turn, sink, events } = start(agent);
    await tick();
    turn.cancel();
    expect((await turn.ended).kind).toBe("cancelled");
    expect(ran).toBe(true);
    expect(sink.types().at(-1)).toBe("cancelled");
    expect(events.filter(({ event }) => event.type === "metrics").length).toBeGreaterThanOrEqual(1);
  });

  test("a setting out of its range, or none at all, is refused by agent and name", () => {
    const bad: object[] = [
      { max_iterations: 0 },
      { max_iterations: 1.5 },
      { execution_timeout: -1 },
      { enable_cancellation: 1 },
      { retries: 3 },
    ];
    for (const config of bad) {
      expect(() => resolveConfig("shop", config)).toThrow(
        expect.objectContaining({ code: "INVALID_AGENT", message: expect.stringContaining("agent shop: config.") }),
      );
    }
  });
});

describe("a definition that is wrong says so at once", () => {
  const model = says({ text: "x" });
  const cases: [string, object][] = [
    ["no id", { model }],
    ["an id with a space", { id: "my agent", model }],
    ["no model", { id: "a" }],
    ["a model that is none", { id: "a", model: { doStream: 1 } }],
    ["no model in the list", { id: "a", model: [] }],
    ["a run that is no function", { id: "a", run: 7 }],
    ["two tools of one name", { id: "a", model, tools: [tool("x", () => 1), tool("x", () => 1)] }],
    [
      "a sub-agent called like a tool",
      { id: "a", model, tools: [tool("x", () => 1)], subAgents: [defineSubAgent({ id: "x", onCancel })] },
    ],
  ];
  for (const [name, options] of cases) {
    test(`a definition with ${name} is refused by name`, () => {
      expect(() => defineAgent(options as never)).toThrow(expect.objectContaining({ code: "INVALID_AGENT" }));
    });
  }
});

describe("composition", () => {
  const shout = () => {
    let held = "";
    return {
      push(piece: string) {
        const text = held + piece;
        const cut = text.lastIndexOf(" ") + 1;
        held = text.slice(cut);
        return text.slice(0, cut).replaceAll("secret", "******");
      },
      flush() {
        const rest = held;
        held = "";
        return rest.replaceAll("secret", "******");
      },
    };
  };
  test("passes over the text before it is emitted, also across pieces, and nothing emitted is edited [W-FR-6]", async () => {
    const model = scripted({ token_length: 3, steps: [{ text: "the secret is secret" }] });
    const { sink, events } = await play(defineAgent({ id: "assistant", model, compose: shout }));
    expect(textOf(sink)).toBe("the ****** is ******");
    expect(sink.wire()).not.toContain("secret");
    const written = events.flatMap(({ event }) => (event.type === "text" ? [event.content] : [])).join("");
    expect(written).toBe(textOf(sink));
  });
});

test("free-form code is an agent too, with its writer by hand and at any depth [W-SW-1]", async () => {
  const agent = defineAgent({
    id: "echo",
    async run(turn, { writer }) {
      writer.text(`you said ${turn.message}`);
    },
  });
  const { sink } = await play(agent);
  expect(textOf(sink)).toBe(`you said ${INPUT.message}`);
  const pausing = defineAgent({ id: "p", run: async () => ({ kind: "paused", limit: "time_limit" }) as const });
  expect((await play(pausing)).outcome).toEqual({ kind: "paused", limit: "time_limit" });
  expect((await play(agentOf(() => Promise.reject(new FramerailError("RATE_LIMITED", "x"))))).outcome.kind).toBe(
    "failed",
  );
  expect(systemClock.now()).toBeGreaterThan(0);
});
