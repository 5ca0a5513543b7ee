import type { Clock } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import type { HandClock } from "../dispatch/testing/turn-bench.js";
import { handClock, start, tick } from "../dispatch/testing/turn-bench.js";
import type { ModelAgentOptions } from "./define-agent.js";
import { defineAgent } from "./define-agent.js";
import type { ScriptStep } from "./model/script.js";
import { scriptedModel } from "./model/scripted-model.js";
import { defineSubAgent } from "./sub-agent.js";
import { saysWhole, tool } from "./testing/scripted.js";

describe("a model of which nothing is written yet", () => {
  /** A token of four characters in twenty seconds. */
  const slowly = (clock: Clock, ...steps: ScriptStep[]) =>
    scriptedModel({ script: { tokens_per_second: 1, steps }, clock, speed: 0.05 });
  const run = async (clock: HandClock, options: Pick<ModelAgentOptions, "model" | "tools" | "subAgents">) => {
    const config = { execution_timeout: 600_000 };
    const agent = defineAgent({ id: "assistant", clock, config, ...options });
    const { turn } = start(agent, { clock, deadlineMs: 600_000 });
    for (let seconds = 0; seconds < 300; seconds += 5) {
      await tick();
      clock.pass(5_000);
      await tick();
    }
    return turn.ended;
  };

  test("is not taken for silent while a sub-agent says much [W-CAN-2] [D-19]", async () => {
    const clock = handClock();
    const model = slowly(clock, { text: "Seven tokens of four chars." });
    const shop = defineSubAgent({ id: "shop", model, onCancel: () => undefined });
    const asks = saysWhole({ call: 1, tool_calls: [{ name: "shop", arguments: { task: "look" } }] }, { text: "Done." });
    expect(await run(clock, { model: asks, subAgents: [shop] })).toEqual({ kind: "completed" });
  });

  test("is not taken for silent while the arguments of a tool come [W-CAN-2] [D-19]", async () => {
    const clock = handClock();
    const write = { name: "write", arguments: { text: "Seven tokens of four chars." } };
    const model = slowly(clock, { call: 1, tool_calls: [write] }, { text: "Yes." });
    expect(await run(clock, { model, tools: [tool("write", () => 1)] })).toEqual({ kind: "completed" });
  });

  test("is silent when it hangs, whatever it has said before [W-CAN-2] [D-19]", async () => {
    const clock = handClock();
    const model = slowly(clock, { text: "Two tks.", hang: true });
    const shop = defineSubAgent({ id: "shop", model, onCancel: () => undefined });
    const asks = saysWhole({ call: 1, tool_calls: [{ name: "shop", arguments: { task: "look" } }] });
    const silent = { kind: "cancelled", code: "IDLE_TIMEOUT" };
    expect(await run(clock, { model: asks, subAgents: [shop] })).toEqual(silent);
  });
});
