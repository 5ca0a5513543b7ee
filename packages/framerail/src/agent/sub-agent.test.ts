import { describe, expect, test } from "vitest";
import { play } from "../dispatch/testing/turn-bench.js";
import { defineAgent } from "./define-agent.js";
import { defineSubAgent } from "./sub-agent.js";
import { envelope, says, textOf, tool } from "./testing/scripted.js";

const onCancel = () => undefined;

describe("sub-agents", () => {
  const shop = (steps: Parameters<typeof says>, tools = [tool("search_offers", () => [1])]) =>
    defineSubAgent({ id: "shop", emits: [], tools, onCancel, model: says(...steps) });
  const calls = (...names: string[]) => ({
    call: 1,
    tool_calls: names.map((name) => ({ name, arguments: { task: "look" } })),
  });

  test("answer the orchestrator, and none of their words reach the user [W-GOAL-3] [W-GOAL-4]", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: says(calls("shop"), { call: 2, text: "Here you are." }),
      subAgents: [shop([{ reasoning: "SECRET THOUGHT", text: "SUB-AGENT WORDS" }])],
    });
    const { sink, events } = await play(agent);
    expect(textOf(sink)).toBe("Here you are.");
    expect(sink.wire()).not.toMatch(/SUB-AGENT WORDS|SECRET THOUGHT/);
    expect(events.find(({ event }) => event.type === "tool_result")?.event).toMatchObject({
      result: { answer: "SUB-AGENT WORDS" },
    });
    expect(sink.frames().find(({ event_type: type }) => type === "tool_call")).toMatchObject({
      tool_call: { name: "shop", type: "sub_agent" },
    });
  });

  test("write their status and their tools under their own name, into the one stream [W-SW-2] [W-FR-5]", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: says(calls("shop"), { call: 2, text: "x" }),
      subAgents: [
        shop([
          { call: 1, tool_calls: [{ name: "search_offers" }] },
          { call: 2, text: "two" },
        ]),
      ],
    });
    const { events, sink } = await play(agent);
    expect(events.find(({ event }) => event.type === "tool_call" && event.tool_name === "search_offers")?.emitter).toBe(
      "shop",
    );
    expect(sink.types().filter((type) => type === "tool_completed")).toHaveLength(2);
  });

  test("axis 1: the only one asked fails, and the turn ends with its name and nothing else [W-ERR-3] [W-ERR-9] [W-AC-11]", async () => {
    for (const failing of [
      shop([{ fail: { status: 500 } }]),
      shop([{ tool_calls: [{ name: "search_offers" }] }, { call: 2, fail: { status: 400, after_tokens: 1 } }]),
    ]) {
      const reports: { what: string }[] = [];
      const agent = defineAgent({
        id: "assistant",
        model: says(calls("shop"), { call: 2, text: "never" }),
        subAgents: [failing],
        report: (report) => reports.push(report),
      });
      const { sink } = await play(agent);
      expect(sink.frames().at(-1)).toMatchObject({
        event_type: "error",
        error: { code: "SUB_AGENT_FAILED", sub_agent_id: "shop" },
        is_final: true,
      });
      expect(sink.types()).not.toContain("completed");
      expect(reports).toMatchObject([{ what: "sub-agent shop" }]);
    }
  });

  test("axis 2: a tool answers with an error; telemetry has the code, the user has the model's words, the turn completes [W-AC-3] [W-ERR-4] [W-FR-8]", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: says({ call: 1, tool_calls: [{ name: "offers" }] }, { call: 2, text: "I could not reach the offers." }),
      tools: [
        tool("offers", () =>
          envelope({
            status: "error",
            partial: [{ source: "CANARY", reason: "upstream_timeout" }],
            reason: "upstream_timeout",
          }),
        ),
      ],
    });
    const { sink } = await play(agent);
    const errors = sink.frames().filter(({ event_type: type }) => type === "error");
    expect(errors).toMatchObject([{ error: { code: "CCS_ENVELOPE_ERROR", enricher_id: "offers" }, is_final: false }]);
    expect(textOf(sink)).toBe("I could not reach the offers.");
    expect(textOf(sink)).not.toContain("CCS_ENVELOPE_ERROR");
    expect(sink.types().at(-1)).toBe("completed");
    expect(sink.wire()).not.toContain("CANARY");
  });

  test("axis 3: some of several fail, told once with a record each, and the turn completes [W-ERR-5] [W-ERR-9] [I-4]", async () => {
    const sub = (id: string, ...steps: Parameters<typeof says>) =>
      defineSubAgent({
        id,
        onCancel,
        model: says(...steps),
        tools: [tool("offers", () => envelope({ status: "error" }))],
      });
    const agent = defineAgent({
      id: "assistant",
      model: says(calls("shop", "rewards", "receipts"), { call: 2, text: "Some of it." }),
      subAgents: [
        sub("shop", { fail: { status: 500 } }),
        sub("rewards", { text: "120 points" }),
        sub("receipts", { call: 1, tool_calls: [{ name: "offers" }] }, { call: 2, text: "partly" }),
      ],
    });
    const { sink } = await play(agent);
    const errors = sink.frames().filter(({ event_type: type }) => type === "error");
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      is_final: false,
      error: {
        code: "PARTIAL_FAN_OUT",
        failed: [
          { code: "SUB_AGENT_FAILED", sub_agent_id: "shop" },
          { code: "CCS_ENVELOPE_ERROR", enricher_id: "offers" },
        ],
      },
    });
    expect(textOf(sink)).toBe("Some of it.");
    expect(sink.types().at(-1)).toBe("completed");
  });

  test("all of several fail: told once, and the model acknowledges it [W-GAP-3] [I-4]", async () => {
    const broken = (id: string) => defineSubAgent({ id, onCancel, model: says({ fail: { status: 500 } }) });
    const agent = defineAgent({
      id: "assistant",
      model: says(calls("a", "b"), { call: 2, text: "Nothing worked." }),
      subAgents: [broken("a"), broken("b")],
    });
    const { sink } = await play(agent);
    expect(sink.frames().filter(({ event_type: type }) => type === "error")).toMatchObject([
      { is_final: false, error: { failed: [{}, {}] } },
    ]);
    expect(textOf(sink)).toBe("Nothing worked.");
  });

  test("need a cancellation handler, or they cannot be defined [W-CAN-5]", () => {
    expect(() => defineSubAgent({ id: "shop" } as never)).toThrow(
      expect.objectContaining({ code: "INVALID_AGENT", message: expect.stringContaining("shop") }),
    );
  });
});
