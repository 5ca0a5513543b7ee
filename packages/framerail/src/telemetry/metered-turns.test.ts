// Turns run, a page is scraped, and what it says is compared with what the turns did.

import { describe, expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { asks, sub } from "../agent/testing/dispatching.js";
import { envelope, saysWhole, tool } from "../agent/testing/scripted.js";
import { agentOf, tick } from "../dispatch/testing/turn-bench.js";
import { busyAgent, startMetered } from "./testing/metered-turn.js";
import { openMetrics, policy, scrape } from "./testing/open-metrics.js";

const tally = (words: readonly string[]) => {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
};

describe("a turn", () => {
  test("its frames are counted by type, one by one [W-MET-1]", async () => {
    const metrics = openMetrics();
    const { sink, ended } = startMetered(metrics, busyAgent, { policy });
    await ended;
    const page = await scrape(metrics);
    expect(page.kinds.get("stream_events_emitted_total")).toBe("counter");
    expect(page.by("stream_events_emitted_total", "event_type")).toEqual(tally(sink.types()));
    expect(page.value("stream_events_emitted_total", { event_type: "text" })).toBe(40);
    expect(page.value("stream_frame_sizes_total")).toBe(sink.types().length);
  });

  test("its statuses are counted by id [W-MET-2]", async () => {
    const metrics = openMetrics();
    const agent = asks([sub("shop", [{ text: "none" }])], "Done.");
    const statuses = agentOf(async ({ writer }) => {
      writer.status("composing_answer");
      writer.text("a");
      writer.status("waiting_approval");
      writer.status("made_up_here");
    });
    await Promise.all([agent, statuses].map((one) => startMetered(metrics, one, { policy }).ended));
    const page = await scrape(metrics);
    expect(page.by("stream_status_event_emitted_total", "event_id")).toEqual({
      composing_answer: 1,
      waiting_approval: 1,
    });
  });

  test("every event it writes is counted once, with what policy decided [W-MET-3]", async () => {
    const metrics = openMetrics();
    const { events, ended } = startMetered(metrics, busyAgent, { policy });
    await ended;
    const page = await scrape(metrics);
    const name = "stream_rendering_policy_applied_total";
    expect(page.by(name, "event_type")).toEqual(tally(events.map(({ event }) => event.type)));
    expect(page.by(name, "policy")).toEqual({ forward: 41, transform: 1, suppress: 3 });
    expect(page.by(name, "policy", { event_type: "status" })).toEqual({ transform: 1, suppress: 1 });
  });

  test("a batched status is counted when written, as batched and by its id [W-MET-3] [W-MET-2]", async () => {
    const metrics = openMetrics();
    const agent = agentOf(async ({ writer }) => writer.status("looking_up_points_balance"), "rewards");
    await startMetered(metrics, agent, { policy }).ended;
    const page = await scrape(metrics);
    expect(page.value("stream_rendering_policy_applied_total", { event_type: "status", policy: "batch" })).toBe(1);
    expect(page.value("stream_status_event_emitted_total", { event_id: "looking_up_points_balance" })).toBe(1);
  });

  test("its end is one terminal frame, by type, and one outcome [W-MET-4]", async () => {
    const metrics = openMetrics();
    const ends = [
      agentOf(async () => undefined),
      agentOf(async () => ({ kind: "paused", limit: "state_limit" })),
      agentOf(() => Promise.reject(new Error("broken"))),
    ];
    for (const agent of ends) await startMetered(metrics, agent).ended;
    const cancelled = startMetered(
      metrics,
      agentOf(({ signal }) => untilAborted(signal)),
    );
    cancelled.turn.cancel();
    await cancelled.ended;
    const page = await scrape(metrics);
    expect(page.by("stream_terminal_frame_emitted_total", "type")).toEqual({ completed: 2, error: 1, cancelled: 1 });
    expect(page.by("framerail_turns_ended_total", "outcome")).toEqual({
      completed: 1,
      paused: 1,
      failed: 1,
      cancelled: 1,
    });
    expect(page.value("framerail_turns_started_total")).toBe(4);
    expect(page.value("framerail_turns_running")).toBe(0);
  });

  test("its error frames are counted by code, final ones and others, on every axis [W-MET-5]", async () => {
    const metrics = openMetrics();
    const refuses = tool("offers", () => envelope({ status: "error" }));
    const fails = (id: string) => sub(id, [{ fail: { status: 500 } }]);
    const model = saysWhole({ call: 1, tool_calls: [{ name: "offers" }] }, { call: 2, text: "sorry" });
    const agents = [
      asks([fails("shop")], "never"),
      defineAgent({ id: "assistant", model, tools: [refuses] }),
      asks([fails("shop"), sub("rewards", [{ text: "ten points" }])], "partly"),
      agentOf(() => Promise.reject(new Error("broken"))),
    ];
    const sinks = [];
    for (const agent of agents) {
      const { sink, ended } = startMetered(metrics, agent);
      await ended;
      sinks.push(sink);
    }
    const codes = sinks.flatMap((sink) =>
      sink.frames().flatMap((frame) => (frame.event_type === "error" ? [frame.error.code] : [])),
    );
    const page = await scrape(metrics);
    expect(page.by("stream_error_frame_emitted_total", "code")).toEqual(tally(codes));
    expect(new Set(codes)).toEqual(
      new Set(["SUB_AGENT_FAILED", "CCS_ENVELOPE_ERROR", "PARTIAL_FAN_OUT", "INTERNAL_ERROR"]),
    );
  });

  test("a cancelled one is counted by its trigger [W-MET-10]", async () => {
    const metrics = openMetrics();
    for (const why of ["request", "idle", "request"] as const) {
      const { turn, ended } = startMetered(
        metrics,
        agentOf(({ signal }) => untilAborted(signal)),
      );
      turn.cancel(why);
      await ended;
    }
    const page = await scrape(metrics);
    expect(page.by("stream_turn_cancelled_total", "trigger")).toEqual({ REQUEST_CANCELLED: 2, IDLE_TIMEOUT: 1 });
  });

  test("a scrape in its middle has what was counted so far, and the one after it nothing twice [W-MET-1]", async () => {
    const metrics = openMetrics();
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const agent = agentOf(async ({ writer }) => {
      for (let index = 0; index < 10; index += 1) writer.text("x");
      await held;
      writer.text("y");
    });
    const { sink, ended } = startMetered(metrics, agent);
    await tick();
    const middle = await scrape(metrics);
    expect(middle.value("stream_events_emitted_total", { event_type: "text" })).toBe(10);
    expect(middle.value("framerail_turns_running")).toBe(1);
    go();
    await ended;
    await metrics.text();
    const after = await scrape(metrics);
    expect(after.by("stream_events_emitted_total", "event_type")).toEqual(tally(sink.types()));
    expect(after.value("framerail_turns_running")).toBe(0);
  });

  test("what a sub-agent writes is counted as the sub-agent's [W-MET-11]", async () => {
    const metrics = openMetrics();
    const agent = asks([sub("shop", [{ text: "ten offers" }])], "Done.");
    const { events, ended } = startMetered(metrics, agent, {
      dimensions: { vertical: "shop", sub_agent_id: "assistant" },
    });
    await ended;
    const page = await scrape(metrics);
    expect(page.by("stream_rendering_policy_applied_total", "sub_agent_id", { vertical: "shop" })).toEqual(
      tally(events.map(({ emitter }) => emitter)),
    );
    expect(Object.keys(page.by("stream_rendering_policy_applied_total", "sub_agent_id"))).toContain("shop");
  });
});

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
}
