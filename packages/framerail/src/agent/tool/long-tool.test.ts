import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { HandClock } from "../../dispatch/testing/turn-bench.js";
import { handClock, start, tick } from "../../dispatch/testing/turn-bench.js";
import { defineAgent } from "../define-agent.js";
import { PROGRESS_MS } from "../model/limits.js";
import { saysWhole } from "../testing/scripted.js";
import { defineTool } from "./define-tool.js";
import { runTool } from "./run-tool.js";
import { createDoor, toolBench, handClock as toolClock } from "./testing/tool-bench.js";

const slow = (timeoutMs: number, run: () => unknown) =>
  defineTool({ name: "slow", description: "d", input: z.object({}), timeoutMs, run });
const pass = async (clock: HandClock, seconds: number) => {
  for (let passed = 0; passed < seconds; passed += 5) {
    await tick();
    clock.pass(5_000);
    await tick();
  }
};

describe("a tool that says nothing for longer than a turn may be silent", () => {
  test("has the time that its author gave it [W-CAN-2] [D-19]", async () => {
    const clock = handClock();
    const run = () => new Promise((resolve) => clock.schedule(85_000, () => resolve("done")));
    const model = saysWhole({ call: 1, tool_calls: [{ name: "slow" }] }, { call: 2, text: "ok" });
    const { turn, sink } = start(defineAgent({ id: "a", clock, model, tools: [slow(90_000, run)] }), { clock });
    await pass(clock, 90);
    await expect.poll(() => sink.types().at(-1)).toBe("completed");
    expect(await turn.ended).toEqual({ kind: "completed" });
  });

  test("is given up at its own deadline, and the turn goes on [P-13]", async () => {
    const clock = handClock();
    const model = saysWhole({ call: 1, tool_calls: [{ name: "slow" }] }, { call: 2, text: "It took too long." });
    const hangs = slow(90_000, () => new Promise(() => undefined));
    const { turn } = start(defineAgent({ id: "a", clock, model, tools: [hangs] }), { clock });
    await pass(clock, 95);
    expect(await turn.ended).toEqual({ kind: "completed" });
  });

  test("is not heard of any more once its call is over or its turn is cancelled", async () => {
    for (const way of ["end", "deadline", "cancel"] as const) {
      const clock = toolClock();
      const bench = toolBench({ clock });
      const door = createDoor();
      const running = runTool(
        slow(90_000, () => door.opened),
        { id: "c1", argumentsText: "{}" },
        bench.context,
      );
      await tick();
      clock.pass(PROGRESS_MS);
      expect(bench.eventsOf("log")).toMatchObject([{ level: "debug", message: "tool slow goes on" }]);
      if (way === "end") door.open();
      if (way === "deadline") clock.pass(90_000 - PROGRESS_MS);
      if (way === "cancel") bench.cancel();
      await tick();
      // What is left of a cancelled call is its deadline.
      const told = bench.eventsOf("log").length;
      expect(clock.waiting).toBe(way === "cancel" ? 1 : 0);
      clock.pass(PROGRESS_MS);
      expect(bench.eventsOf("log")).toHaveLength(told);
      door.open();
      await running;
    }
  });
});
