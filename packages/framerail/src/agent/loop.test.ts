import type { AgentEvent, ContentItem } from "@framerail/protocol";
import { createMessageAccumulator } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { INPUT, keepFrames, play, start, tick } from "../dispatch/testing/turn-bench.js";
import { defineAgent } from "./define-agent.js";
import { finish, text, toolCall } from "./model/testing/odd-model.js";
import { defineSubAgent } from "./sub-agent.js";
import {
  began,
  CLOSING,
  ended,
  envelope,
  framesOf,
  keepAsked,
  OPENING,
  playsParts,
  says,
  saysWhole,
  textOf,
  tool,
  wrote,
} from "./testing/scripted.js";
import { collection } from "./tool/testing/render-bench.js";

const onCancel = () => undefined;
const reasoning = (delta: string) => ({ type: "reasoning-delta", id: "r", delta });

describe("the order of a turn", () => {
  test("node by node, each event to history and then to the wire before the next, and saved at the end [P-40] [C-42]", async () => {
    const log: string[] = [];
    const sink = keepFrames();
    const append = sink.append;
    sink.append = (frame) => {
      log.push(`frame ${frame.type}`);
      append(frame);
    };
    const scripted = saysWhole({ call: 1, tool_calls: [{ name: "search" }] }, { call: 2, text: "Two." });
    const doStream: typeof scripted.doStream = (options) => {
      log.push("model");
      return scripted.doStream(options);
    };
    const agent = defineAgent({
      id: "assistant",
      model: { ...scripted, doStream },
      tools: [tool("search", () => log.push("tool"))],
    });
    const tap = { take: ({ type }: AgentEvent) => void log.push(`tap ${type}`) };
    await play(agent, { sink, taps: [tap], commit: async () => void log.push("saved") });
    expect(log).toEqual([
      ...["tap init_stream", "frame response_id", "tap thinking", "frame thinking"],
      ...["model", "tap metrics"],
      ...["tap tool_call", "frame tool_call", "tool", "tap tool_result", "tap tool_call_end", "frame tool_completed"],
      ...["model", "tap text", "frame text", "tap metrics"],
      ...["tap usage", "frame usage", "saved", "frame completed"],
    ]);
  });

  test("tools of one step run side by side, and the client sees each begin and end [P-55] [W-AC-9]", async () => {
    const slow = (name: string, ticks: number) =>
      tool(name, async () => {
        for (let turn = 0; turn < ticks; turn += 1) await tick();
        return name;
      });
    const { model, asked } = keepAsked(
      saysWhole({ call: 1, tool_calls: [{ name: "a" }, { name: "b" }] }, { call: 2, text: "done" }),
    );
    const { sink } = await play(defineAgent({ id: "assistant", model, tools: [slow("a", 9), slow("b", 1)] }));
    expect(framesOf(sink)).toEqual([
      ...OPENING,
      ...[began(1, "a"), began(2, "b"), ended(2, "b"), ended(1, "a")],
      wrote("done"),
      ...CLOSING,
    ]);
    // Whichever came first, the model reads the answers in the order in which it asked.
    const answers = asked[1]?.prompt.at(-1)?.content as { toolName: string; output: unknown }[];
    expect(answers.map(({ toolName, output }) => [toolName, output])).toEqual([
      ["a", { type: "json", value: "a" }],
      ["b", { type: "json", value: "b" }],
    ]);
  });

  test.each([
    ["reasoning, then text", [reasoning("why"), text("what")], ["reasoning", "message"]],
    ["text, then reasoning", [text("what"), reasoning("why")], ["message", "reasoning"]],
    ["reasoning twice", [reasoning("why"), text("what"), reasoning("so")], ["reasoning", "message", "reasoning"]],
    ["reasoning alone", [reasoning("why"), reasoning("so")], ["reasoning"]],
    ["nothing at all", [], []],
  ])("an answer of %s is a turn that completes and a message [P-54] [P-56]", async (_, parts, kinds) => {
    const history = createMessageAccumulator({ runId: "turn_1", conversationId: "conv_1", startedAt: 0 });
    const agent = defineAgent({ id: "assistant", model: playsParts([...parts, finish()]) });
    const { outcome, sink } = await play(agent, { taps: [{ take: (event) => history.add(event, 1) }] });
    expect(outcome).toEqual({ kind: "completed" });
    expect(history.items().map(({ type }: ContentItem) => type)).toEqual(kinds);
    const shown = sink.types().filter((type) => type === "text" || type === "reasoning");
    expect(shown).toEqual(parts.map(({ type }) => type.replace("-delta", "")));
  });
});

describe("what the model reads", () => {
  test("instructions, what was said before, the message, and on the next call its own words and the answers", async () => {
    const { model, asked } = keepAsked(
      playsParts(
        [text("Looking."), toolCall("{}", "call_0", "good"), toolCall("{}", "call_1", "bad"), finish()],
        [text("Done."), finish()],
      ),
    );
    const bad = tool("bad", () => {
      throw new Error("x");
    });
    const agent = defineAgent({
      id: "assistant",
      model,
      instructions: "Be brief.",
      tools: [tool("good", () => ({ n: 1 })), bad],
    });
    const history = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
    ] as const;
    const context = { ...INPUT, history };
    await play({ ...agent, run: (_input, own) => agent.run(context, own) });
    const first = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      { role: "user", content: [{ type: "text", text: "hello" }] },
    ];
    expect(asked.map(({ prompt }) => prompt.length)).toEqual([4, 6]);
    expect(asked[0]?.prompt).toEqual(first);
    expect(asked[1]?.prompt).toEqual([
      ...first,
      {
        role: "assistant",
        content: [
          { type: "text", text: "Looking." },
          { type: "tool-call", toolCallId: "call_0", toolName: "good", input: {} },
          { type: "tool-call", toolCallId: "call_1", toolName: "bad", input: {} },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "call_0", toolName: "good", output: { type: "json", value: { n: 1 } } },
          {
            type: "tool-result",
            toolCallId: "call_1",
            toolName: "bad",
            output: { type: "error-json", value: { error: "The tool bad failed." } },
          },
        ],
      },
    ]);
  });

  test("a provider that counts its calls from zero gets back ids that pair, and no id of the turn is there twice [W-AC-9]", async () => {
    const again = () => [toolCall("{}", "call_0", "a"), finish()];
    const { model, asked } = keepAsked(playsParts(again(), again(), again(), [text("x"), finish()]));
    const { events } = await play(defineAgent({ id: "assistant", model, tools: [tool("a", () => 1)] }));
    const ids = (type: AgentEvent["type"]) =>
      events.flatMap(({ event }) => (event.type === type && "tool_call_id" in event ? [event.tool_call_id] : []));
    expect(ids("tool_call")).toEqual(["call_0", "call_0~2", "call_0~3"]);
    expect(ids("tool_call_end")).toEqual(ids("tool_call"));
    const idsRead = (role: string) =>
      (asked.at(-1)?.prompt ?? []).flatMap((message) =>
        message.role === role ? (message.content as { toolCallId: string }[]).map(({ toolCallId }) => toolCallId) : [],
      );
    expect(idsRead("assistant")).toEqual(ids("tool_call"));
    expect(idsRead("tool")).toEqual(ids("tool_call"));
  });

  test("a tool that there is not is answered with the names of the tools and of the sub-agents", async () => {
    const { model, asked } = keepAsked(
      says({ call: 1, tool_calls: [{ name: "nonsense" }] }, { call: 2, text: "fine" }),
    );
    const agent = defineAgent({
      id: "assistant",
      model,
      tools: [tool("search", () => 1)],
      subAgents: [defineSubAgent({ id: "shop", onCancel })],
    });
    const { sink } = await play(agent);
    expect(textOf(sink)).toBe("fine");
    expect(asked[1]?.prompt.at(-1)).toMatchObject({
      content: [{ output: { value: { error: "There is no tool nonsense. The tools are: search, shop." } } }],
    });
  });

  test("its tools and sub-agents, each with a schema and a description", async () => {
    const { model, asked } = keepAsked(says({ text: "x" }));
    const shop = defineSubAgent({ id: "shop", description: "Knows offers", onCancel });
    await play(defineAgent({ id: "assistant", model, tools: [tool("search", () => 1)], subAgents: [shop] }));
    expect(asked[0]?.tools).toMatchObject([
      { type: "function", name: "search", description: "search", inputSchema: { type: "object" } },
      { type: "function", name: "shop", description: "Knows offers", inputSchema: { required: ["task"] } },
    ]);
  });
});

test("partial data is shown, the model is told to say so, and what is missing stays inside [W-ENV-3] [W-AC-8] [W-FR-16]", async () => {
  const { model, asked } = keepAsked(
    saysWhole({ call: 1, tool_calls: [{ name: "render_offers" }] }, { call: 2, text: "These, and maybe more." }),
  );
  const missing = {
    status: "partial",
    partial: [{ source: "CANARY", reason: "upstream_timeout" }],
    payload: [{ id: 1 }],
  };
  const agent = defineAgent({ id: "assistant", model, tools: [collection(() => envelope(missing))] });
  const { sink } = await play(agent);
  const data = { id: "call_1", type: "offer_list", key: { ids: [] } };
  expect(framesOf(sink)).toEqual([
    ...OPENING,
    ...[began(1, "render_offers"), { event_type: "data_loading", data }],
    ...[{ event_type: "data_loaded", data: { ...data, items: [{ id: 1 }] } }, ended(1, "render_offers")],
    wrote("These, and maybe more."),
    ...CLOSING,
  ]);
  const note = expect.stringContaining("incomplete") as string;
  expect(asked[1]?.prompt.at(-1)).toMatchObject({ content: [{ output: { value: { shown: 1, note } } }] });
  expect(sink.wire()).not.toMatch(/CANARY|partial|upstream/);
});

test("wherever a cancel comes, the loop writes nothing after it, asks nothing and starts nothing [C-21] [P-40]", async () => {
  const run = async (cancelAt: number) => {
    const log: string[] = [];
    const sub = keepAsked(says({ call: 1, tool_calls: [{ name: "look" }] }, { call: 2, text: "two" }));
    const main = keepAsked(
      says({ call: 1, tool_calls: [{ name: "shop", arguments: { task: "x" } }, { name: "nonsense" }] }, { text: "x" }),
    );
    const look = tool("look", () => {
      log.push("tool");
      return envelope({ status: "error" });
    });
    const agent = defineAgent({
      id: "assistant",
      model: main.model,
      subAgents: [defineSubAgent({ id: "shop", model: sub.model, tools: [look], onCancel })],
      config: { emit_node_events: true },
    });
    let seen = 0;
    let atCancel: readonly unknown[] | undefined;
    const things = () => [main.asked.length, sub.asked.length, log.length];
    const take = () => {
      seen += 1;
      // After the event is out, and before anything else can happen.
      if (seen === cancelAt) {
        queueMicrotask(() => {
          started.turn.cancel();
          atCancel = things();
        });
      }
    };
    const started = start(agent, { taps: [{ take }] });
    await started.turn.ended;
    return { ...started, seen, atCancel, after: things() };
  };
  const { seen: events } = await run(Number.POSITIVE_INFINITY);
  expect(events).toBeGreaterThan(20);
  for (let cancelAt = 2; cancelAt < events; cancelAt += 1) {
    const { reports, sink, atCancel, after } = await run(cancelAt);
    if (atCancel === undefined || sink.types().at(-1) === "completed") continue;
    // A tool's own call is closed whatever happens; everything else is silent.
    const late = reports.filter(
      (report) => report.kind !== "late" || report.emitter !== "shop" || !report.event_type.startsWith("tool_"),
    );
    expect({ cancelAt, late, after }).toEqual({ cancelAt, late: [], after: atCancel });
    expect(sink.types().at(-1)).toBe("cancelled");
  }
});
