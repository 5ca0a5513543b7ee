import { systemClock } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { play } from "../dispatch/testing/turn-bench.js";
import { createPolicy } from "../policy/create-policy.js";
import { openRegistry } from "../registry/open-registry.js";
import { entryText, localeText, writeFolder } from "../registry/testing/registry-folder.js";
import { requireManifests } from "../worker/build-agents.js";
import { defineAgent } from "./define-agent.js";
import { defineSubAgent } from "./sub-agent.js";
import type { Steps } from "./testing/dispatching.js";
import { asks, calls, sub } from "./testing/dispatching.js";
import { began, CLOSING, ended, framesOf, keepAsked, OPENING, saysWhole, tool, wrote } from "./testing/scripted.js";
import { writer } from "./writer.js";

const onCancel = () => undefined;

describe("a sub-agent", () => {
  test("answers the orchestrator, and none of its words reach the user, by whichever way it says them [W-GOAL-4]", async () => {
    const chatty = tool("chatty", () => {
      writer().text("TOOL WORDS");
      writer().thinking("TOOL THOUGHT");
      return 1;
    });
    const steps: Steps = [
      { call: 1, reasoning: "SECRET THOUGHT", tool_calls: [{ name: "chatty" }] },
      { call: 2, text: "SUB-AGENT WORDS" },
    ];
    const { sink, events } = await play(asks([sub("shop", steps, [chatty])], "Here you are."));
    expect(framesOf(sink)).toEqual([
      ...OPENING,
      ...[began(1, "shop", "sub_agent"), began(2, "chatty"), ended(2, "chatty"), ended(1, "shop", "sub_agent")],
      wrote("Here you are."),
      ...CLOSING,
    ]);
    expect(sink.wire()).not.toMatch(/WORDS|THOUGHT/);
    expect(events.flatMap(({ event }) => (event.type === "tool_result" ? [event.result] : []))).toEqual([
      1,
      { answer: "TOOL WORDSSUB-AGENT WORDS", incomplete: false },
    ]);
  });

  test.each([
    ["half of a character", "Pizza \ud83c"],
    ["no text", 7],
  ])("whose tool writes %s hears of a failed tool, as every agent does, and goes on [P-13]", async (_, words) => {
    const chatty = tool("chatty", () => writer().text(words as string));
    const steps: Steps = [
      { call: 1, tool_calls: [{ name: "chatty" }] },
      { call: 2, text: "Done." },
    ];
    const { outcome, events } = await play(asks([sub("shop", steps, [chatty])], "Here you are."));
    expect(outcome).toEqual({ kind: "completed" });
    expect(events.flatMap(({ event }) => (event.type === "tool_result" ? [event.result] : []))).toEqual([
      { error: "The tool chatty failed." },
      { answer: "Done.", incomplete: false },
    ]);
  });

  test("has its own model, its own tools and no sub-agents, and writes under its own name [W-SW-2] [W-FR-5]", async () => {
    const { model, asked } = keepAsked(
      saysWhole({ call: 1, tool_calls: [{ name: "look" }, { name: "rewards" }] }, { call: 2, text: "two" }),
    );
    const shop = defineSubAgent({
      id: "shop",
      tools: [tool("look", () => 1)],
      onCancel,
      model,
      instructions: "Short.",
    });
    const agent = defineAgent({
      id: "assistant",
      model: saysWhole(calls("shop"), { call: 2, text: "x" }),
      tools: [tool("other", () => 1)],
      subAgents: [shop, sub("rewards", [{ text: "never" }])],
    });
    const { events } = await play(agent);
    expect(asked[0]?.tools?.map(({ name }) => name)).toEqual(["look"]);
    expect(asked[0]?.prompt).toEqual([
      { role: "system", content: "Short." },
      { role: "user", content: [{ type: "text", text: "look" }] },
    ]);
    const emitters = events.flatMap(({ event, emitter }) =>
      event.type === "tool_call" ? [[emitter, event.tool_name]] : [],
    );
    expect(emitters).toEqual([
      ["assistant", "shop"],
      ["shop", "look"],
      ["shop", "rewards"],
    ]);
    expect(events.find(({ event }) => event.type === "tool_result" && event.is_error)?.event).toMatchObject({
      result: { error: "There is no tool rewards. The tools are: look." },
    });
  });

  test("is asked like a tool, and named in the manifest with what it may write [W-GOAL-3]", async () => {
    const shop = defineSubAgent({ id: "shop", emits: ["weighing_parcels"], onCancel });
    const agent = defineAgent({
      id: "assistant",
      emits: ["greeting"],
      model: saysWhole({ text: "x" }),
      subAgents: [shop],
    });
    expect(agent.manifest).toEqual({
      id: "assistant",
      emitters: [
        { id: "assistant", emits: ["greeting"] },
        { id: "shop", emits: ["weighing_parcels"] },
      ],
    });
  });

  test("with a status of its own needs a fragment file and nothing else, and the client reads a sentence [W-GOAL-3]", async () => {
    const folder = writeFolder({
      "verticals/post/status_events.yaml": entryText("weighing_parcels", { emitter_subagents: "[post]" }),
      "locales/en.yaml": localeText(["weighing_parcels"], () => "Weighing your parcels"),
    });
    const weigh = tool("weigh", () => {
      writer().status("weighing_parcels");
      return 3;
    });
    const post = defineSubAgent({
      id: "post",
      emits: ["weighing_parcels"],
      tools: [weigh],
      onCancel,
      model: saysWhole({ call: 1, tool_calls: [{ name: "weigh" }] }, { call: 2, text: "3 kg" }),
    });
    const agent = asks([post], "Three kilos.");
    const registry = openRegistry(folder);
    requireManifests([agent.manifest], registry);
    const { sink } = await play(agent, { policy: createPolicy({ registry, locale: "en", clock: systemClock }) });
    expect(framesOf(sink)).toContainEqual({
      event_type: "status",
      data: { event_id: "weighing_parcels", message: "Weighing your parcels" },
    });
    expect(sink.types().at(-1)).toBe("completed");
  });

  test.each([
    ["no cancellation handler", { id: "shop" }, "sub-agent shop needs onCancel"],
    ["no id", { onCancel }, "a sub-agent's id must be"],
    ["an id with a dot", { id: "shop.eu", onCancel }, "a sub-agent's id must be"],
    ["an id that is too long", { id: "s".repeat(65), onCancel }, "a sub-agent's id must be"],
    [
      "two tools of one name",
      { id: "shop", onCancel, tools: [tool("look", () => 1), tool("look", () => 2)] },
      "sub-agent shop has two tools called look",
    ],
  ])("with %s cannot be defined [W-CAN-5]", (_, options, message) => {
    expect(() => defineSubAgent(options as never)).toThrow(
      expect.objectContaining({ code: "INVALID_AGENT", message: expect.stringContaining(message) }),
    );
  });
});
