// What authors and models are told when something goes wrong, and that being told cannot make it worse.

import type { Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { handClock, INPUT, PRINCIPAL, play, start, tick } from "../dispatch/testing/turn-bench.js";
import { defineAgent } from "./define-agent.js";
import { defineSubAgent } from "./sub-agent.js";
import { asks, calls } from "./testing/dispatching.js";
import { envelope, keepAsked, saysWhole, textOf, tool } from "./testing/scripted.js";
import { createWriter } from "./writer.js";

const callsThenSays = (name: string) => saysWhole({ call: 1, tool_calls: [{ name }] }, { call: 2, text: "Done." });

test("execution_timeout ends a run in which a tool hangs, at once [P-52] [C-24]", async () => {
  const clock = handClock();
  const hangs = tool("hangs", () => new Promise(() => undefined));
  const config = { execution_timeout: 100 };
  const agent = defineAgent({ id: "assistant", model: callsThenSays("hangs"), tools: [hangs], config, clock });
  const { turn } = start(agent, { clock });
  for (let round = 0; round < 20; round += 1) await tick();
  clock.pass(100);
  for (let round = 0; round < 5; round += 1) await tick();
  expect(await turn.ended).toMatchObject({ kind: "failed", cause: "deadline" });
});

test("execution_timeout closes the model's request, and the run ends with that reason [P-52] [G11]", async () => {
  const clock = handClock();
  const { model, asked } = keepAsked(saysWhole({ hang: true }));
  const agent = defineAgent({ id: "assistant", model, config: { execution_timeout: 100 }, clock });
  const { turn } = start(agent, { clock });
  for (let round = 0; asked.length === 0 && round < 50; round += 1) await tick();
  clock.pass(100);
  expect(asked[0]?.abortSignal?.aborted).toBe(true);
  expect(await turn.ended).toMatchObject({ kind: "failed", cause: "deadline" });
});

test("a run that is stopped rejects with why it was, whatever the stopped model says about it [P-12]", async () => {
  const inner = saysWhole({ text: "never" });
  const stop = new AbortController();
  const doStream: typeof inner.doStream = ({ abortSignal }) =>
    new Promise((_, reject) => {
      abortSignal?.addEventListener("abort", () => reject(new Error("socket hang up")));
    });
  const agent = defineAgent({ id: "assistant", model: { ...inner, doStream } });
  const writer = createWriter({ accept: () => undefined, ready: () => Promise.resolve() }, "assistant");
  const run = agent.run(INPUT, { writer, signal: stop.signal, principal: PRINCIPAL });
  const reason = new FramerailError("DEADLINE_EXCEEDED", "too long");
  stop.abort(reason);
  await expect(run).rejects.toBe(reason);
});

test("a run that a spent budget ends takes what runs beside it along: its request is closed and paid for, its sub-agent released [G9] [G11] [D-16]", async () => {
  const released: string[] = [];
  const spent = keepAsked(saysWhole({ text: "never" }));
  const slow = keepAsked(saysWhole({ text: "Let me see", hang: true }));
  const sub = (id: string, { model }: typeof slow) =>
    defineSubAgent({ id, model: { ...model, modelId: id }, onCancel: () => void released.push(id) });
  const agent = asks([sub("spent", spent), sub("slow", slow)], "never");
  const reserve = async ({ model }: { readonly model: string }) => {
    if (model !== "spent") return () => Promise.resolve();
    while (slow.asked.length === 0) await tick();
    throw new FramerailError("BUDGET_EXHAUSTED", "the budget has nothing left");
  };
  const { outcome, events } = await play(agent, { budget: { reserve } });
  expect(outcome).toEqual({ kind: "paused", limit: "state_limit" });
  expect(slow.asked[0]?.abortSignal?.aborted).toBe(true);
  expect(released).toEqual(["slow"]);
  const paid = events.flatMap(({ event }) => (event.type === "metrics" ? [event.model] : []));
  expect(paid).toEqual(["scripted", "slow"]);
});

describe("an author's report that throws", () => {
  const report = () => {
    throw new Error("the log is full");
  };

  test("costs a failing tool its answer as little as it makes a failed sub-agent another failure [P-13] [W-ERR-3]", async () => {
    const fails = tool("fails", () => Promise.reject(new Error("no")));
    const answered = await play(
      defineAgent({ id: "assistant", model: callsThenSays("fails"), tools: [fails], report }),
    );
    expect(answered.outcome).toEqual({ kind: "completed" });
    expect(textOf(answered.sink)).toBe("Done.");
    const model = saysWhole({ fail: { status: 500 } });
    const shop = defineSubAgent({ id: "shop", onCancel: () => undefined, model });
    const { outcome } = await play(
      defineAgent({ id: "assistant", model: saysWhole(calls("shop")), subAgents: [shop], report }),
    );
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "SUB_AGENT_FAILED", sub_agent_id: "shop" } });
  });

  test("costs a cancelled turn nothing, also when onCancel fails [W-CAN-5]", async () => {
    const shop = defineSubAgent({
      id: "shop",
      tools: [tool("hangs", () => new Promise(() => undefined))],
      model: callsThenSays("hangs"),
      onCancel: () => Promise.reject(new Error("carts are gone")),
    });
    const agent = defineAgent({ id: "assistant", model: saysWhole(calls("shop")), subAgents: [shop], report });
    const { turn } = start(agent);
    for (let round = 0; round < 20; round += 1) await tick();
    turn.cancel();
    expect(await turn.ended).toMatchObject({ kind: "cancelled" });
  });
});

test("a sub-agent that was stopped at its limit of steps is told to the model as incomplete [P-52]", async () => {
  const again = tool("again", () => "more");
  const shop = defineSubAgent({
    id: "shop",
    tools: [again],
    onCancel: () => undefined,
    model: saysWhole({ tool_calls: [{ name: "again" }] }),
  });
  const { model, asked } = keepAsked(saysWhole(calls("shop"), { call: 2, text: "Half of it." }));
  await play(defineAgent({ id: "assistant", model, subAgents: [shop], config: { max_iterations: 2 } }));
  expect(JSON.stringify(asked[1]?.prompt.at(-1))).toContain('"incomplete":true');
});

describe("an enrichment backend that failed", () => {
  const reportsOf = async (value: Json | object) => {
    const reports: { what: string; error: unknown }[] = [];
    const find = tool("find", () => value);
    const agent = defineAgent({
      id: "assistant",
      model: callsThenSays("find"),
      tools: [find],
      report: (one) => reports.push(one),
    });
    const { sink } = await play(agent);
    const failures = sink.frames().filter(({ event_type }) => event_type === "error");
    return { reports, failures };
  };
  const failed = envelope({ status: "error", partial: [{ reason: "upstream_timeout" }] });
  const pair = { enricher_id: "offers", reason: "upstream_timeout" };

  test("is told to operators by the pair that clients get [W-ERR-11]", async () => {
    const { reports, failures } = await reportsOf(failed);
    expect(reports).toMatchObject([{ what: "tool find of assistant", error: { code: "TOOL_FAILED", cause: pair } }]);
    expect(failures).toMatchObject([{ error: { code: "CCS_ENVELOPE_ERROR", ...pair }, is_final: false }]);
  });

  test("is told too when others of its list answered [W-ENV-3] [W-AC-3]", async () => {
    const { reports, failures } = await reportsOf([envelope({ payload: [{ id: 1 }] }), failed]);
    expect(reports).toMatchObject([{ error: { cause: pair } }]);
    expect(failures).toMatchObject([{ error: { code: "CCS_ENVELOPE_ERROR", ...pair }, is_final: false }]);
  });
});

test("a sub-agent that fails as a whole is told once, by its name [W-ERR-3]", async () => {
  const reports: { what: string }[] = [];
  const broken = defineSubAgent({ id: "shop", onCancel: () => undefined, model: saysWhole({ fail: { status: 500 } }) });
  await play(asks([broken], "Sorry.", reports));
  expect(reports.map(({ what }) => what)).toContain("sub-agent shop");
});
