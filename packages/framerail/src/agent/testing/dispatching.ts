// An agent that asks sub-agents, on the workbench.

import { defineAgent } from "../define-agent.js";
import type { SubAgent } from "../sub-agent.js";
import { defineSubAgent } from "../sub-agent.js";
import { envelope, saysWhole, tool } from "./scripted.js";

export type Steps = Parameters<typeof saysWhole>;

/** A step that asks each of these for the same. */
export const calls = (...names: string[]) => ({
  call: 1,
  tool_calls: names.map((name) => ({ name, arguments: { task: "look" } })),
});

/** A sub-agent that says these steps; its one tool, unless it is given others, is a backend that failed. */
export const sub = (id: string, steps: Steps, tools = [tool("offers", () => envelope({ status: "error" }))]) =>
  defineSubAgent({ id, tools, onCancel: () => undefined, model: saysWhole(...steps) });

/** Asks all of them in one step, then answers. */
export const asks = (subAgents: readonly SubAgent[], answer: string, reports: { what: string }[] = []) =>
  defineAgent({
    id: "assistant",
    model: saysWhole(calls(...subAgents.map(({ id }) => id)), { call: 2, text: answer }),
    subAgents,
    report: (report) => reports.push(report),
  });
