import { describe, expect, test } from "vitest";
import { handClock, start, tick } from "../dispatch/testing/turn-bench.js";
import { defineAgent } from "./define-agent.js";
import { defineSubAgent } from "./sub-agent.js";
import { says, tool } from "./testing/scripted.js";

describe("a cancel", () => {
  test("closes the model's stream, lets a tool in flight finish, drops its result and starts nothing new [W-CAN-3] [C-21] [D-10]", async () => {
    const log: string[] = [];
    const agent = defineAgent({
      id: "assistant",
      model: says({ call: 1, tool_calls: [{ name: "pay" }] }, { call: 2, tool_calls: [{ name: "never" }] }),
      tools: [
        tool("pay", async () => {
          log.push("pay starts");
          await tick();
          await tick();
          log.push("pay ends");
          return "CANARY";
        }),
        tool("never", () => log.push("never starts")),
      ],
    });
    const { turn, sink, events } = start(agent);
    await tick();
    expect(log).toEqual(["pay starts"]);
    turn.cancel();
    await turn.ended;
    expect(log).toEqual(["pay starts", "pay ends"]);
    expect(sink.types().slice(-2)).toEqual(["tool_completed", "cancelled"]);
    expect(JSON.stringify(events)).not.toContain("CANARY");
  });

  test("aborts a tool that says so, and calls onCancel of the sub-agents that run, once [W-CAN-5] [D-10]", async () => {
    const log: string[] = [];
    const wait = tool("wait", () => new Promise(() => undefined), "abort");
    const sub = (id: string) =>
      defineSubAgent({
        id,
        tools: [wait],
        model: says({ tool_calls: [{ name: "wait" }] }),
        onCancel: () => void log.push(`${id} released`),
      });
    const agent = defineAgent({
      id: "assistant",
      model: says({ call: 1, tool_calls: [{ name: "shop", arguments: { task: "x" } }] }),
      subAgents: [sub("shop"), sub("idle")],
    });
    const { turn, sink } = start(agent);
    await tick();
    await tick();
    turn.cancel();
    turn.cancel();
    await turn.ended;
    expect(log).toEqual(["shop released"]);
    expect(sink.types().filter((type) => type === "tool_call")).toHaveLength(
      sink.types().filter((type) => type === "tool_completed").length,
    );
  });

  test("a thousand cancelled turns leave no timer and no listener behind [W-FR-13] [W-R-3]", async () => {
    const clock = handClock();
    const agent = defineAgent({ id: "assistant", model: says({ text: "x", hang: true }), clock });
    const before = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    for (let round = 0; round < 10; round += 1) {
      const turns = Array.from({ length: 100 }, () => start(agent, { clock }));
      await tick();
      for (const { turn } of turns) turn.cancel();
      const outcomes = await Promise.all(turns.map(({ turn }) => turn.ended));
      expect(outcomes.every(({ kind }) => kind === "cancelled")).toBe(true);
    }
    expect(clock.waiting).toBe(0);
    expect(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length).toBeLessThanOrEqual(before);
  });
});
