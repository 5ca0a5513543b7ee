import type { AgentEvent } from "@framerail/protocol";
import { createMessageAccumulator, FramerailError, isIncomplete } from "@framerail/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { INPUT, PRINCIPAL, play, start, tick } from "../dispatch/testing/turn-bench.js";
import { defineAgent } from "./define-agent.js";
import { defineSubAgent } from "./sub-agent.js";
import {
  began,
  envelope,
  framesOf,
  keepAsked,
  OPENING,
  says,
  saysWhole,
  textOf,
  tool,
  wrote,
} from "./testing/scripted.js";
import { collection } from "./tool/testing/render-bench.js";
import { createDoor } from "./tool/testing/tool-bench.js";
import { createWriter, writer } from "./writer.js";

const CANCELLED = { event_type: "cancelled", error: { code: "REQUEST_CANCELLED" } };
const closed = (number: number, name: string, type = "function") => ({
  event_type: "tool_completed",
  tool_call: { id: `call_${number}`, name, type, status: "cancelled" },
});

describe("a cancel", () => {
  test("closes the model's stream, lets a tool in flight finish, drops its result and starts nothing new [W-CAN-3] [C-21] [D-10]", async () => {
    const log: string[] = [];
    const door = createDoor();
    const { model, asked } = keepAsked(
      says({ call: 1, tool_calls: [{ name: "pay" }] }, { call: 2, tool_calls: [{ name: "never" }] }),
    );
    const pay = tool("pay", async () => {
      log.push("pay starts");
      await door.opened;
      log.push("pay ends");
      return "CANARY";
    });
    const agent = defineAgent({ id: "assistant", model, tools: [pay, tool("never", () => log.push("never starts"))] });
    const { turn, sink, events } = start(agent);
    await tick();
    turn.cancel();
    expect(log).toEqual(["pay starts"]);
    door.open();
    await turn.ended;
    expect(log).toEqual(["pay starts", "pay ends"]);
    expect(framesOf(sink)).toEqual([...OPENING, began(1, "pay"), closed(1, "pay"), CANCELLED]);
    expect(JSON.stringify(events)).not.toContain("CANARY");
    expect(asked).toHaveLength(1);
  });

  test("goes step by step: the run hears of it, sub-agents release, frames stop, one cancelled frame ends it [W-CAN-1] [W-CAN-5] [W-FR-13]", async () => {
    const log: string[] = [];
    const wait = tool(
      "wait",
      () => {
        const own = writer();
        return new Promise((resolve) => setImmediate(() => resolve(own.text("late words"))));
      },
      "abort",
    );
    const sub = (id: string, release: () => void) =>
      defineSubAgent({ id, tools: [wait], model: saysWhole({ tool_calls: [{ name: "wait" }] }), onCancel: release });
    const model = saysWhole({ call: 1, tool_calls: [{ name: "shop", arguments: { task: "x" } }] });
    const agent = defineAgent({
      id: "assistant",
      model,
      subAgents: [sub("shop", () => log.push("shop released")), sub("idle", () => log.push("idle released"))],
      report: ({ what }) => log.push(`report of ${what}`),
    });
    const { turn, sink, failures } = start({
      ...agent,
      run: (input, context) => {
        context.signal.addEventListener("abort", () => log.push(`run aborted, ${sink.types().at(-1)}`));
        return agent.run(input, context);
      },
    });
    const append = sink.append;
    sink.append = (frame) => {
      log.push(`frame ${frame.type}`);
      append(frame);
    };
    while (sink.types().filter((type) => type === "tool_call").length < 2) await tick();
    log.push("cancel");
    turn.cancel();
    turn.cancel("idle");
    log.push("answered");
    expect(await turn.ended).toEqual({ kind: "cancelled", code: "REQUEST_CANCELLED" });
    expect(log.slice(log.indexOf("cancel"))).toEqual([
      "cancel",
      ...["frame tool_completed", "frame tool_completed"],
      "run aborted, tool_completed",
      "shop released",
      "answered",
      "report of tool wait of shop",
      "frame cancelled",
    ]);
    expect(sink.wire()).not.toContain("late words");
    expect(failures).toEqual([]);
  });

  test("releases the sub-agents that run and no others, and hears of a release that fails [W-CAN-5] [W-FR-13]", async () => {
    const log: string[] = [];
    const door = createDoor();
    const reports: object[] = [];
    const thrown = new Error("the pool is gone");
    const fails = async () => {
      log.push("slow released");
      throw thrown;
    };
    const quick = defineSubAgent({
      id: "quick",
      model: says({ text: "1" }),
      onCancel: () => void log.push("quick released"),
    });
    const hold = tool("hold", () => door.opened);
    const slow = defineSubAgent({
      id: "slow",
      tools: [hold],
      model: says({ tool_calls: [{ name: "hold" }] }),
      onCancel: fails,
    });
    const both = ["quick", "slow"].map((name) => ({ name, arguments: { task: "x" } }));
    const agent = defineAgent({
      id: "assistant",
      model: says({ call: 1, tool_calls: both }),
      subAgents: [quick, slow],
      report: (report) => reports.push(report),
    });
    const { turn, events } = start(agent);
    while (!events.some(({ event }) => event.type === "tool_result")) await tick();
    turn.cancel();
    door.open();
    await turn.ended;
    expect(log).toEqual(["slow released"]);
    // A sub-agent that was cancelled has not failed.
    expect(reports).toEqual([{ what: "onCancel of sub-agent slow", error: thrown }]);
  });

  test("releases a sub-agent once, however many calls of it run [W-CAN-5]", async () => {
    const released: string[] = [];
    const wait = tool("wait", () => new Promise(() => undefined), "abort");
    const sub = (id: string) =>
      defineSubAgent({
        id,
        tools: [wait],
        model: saysWhole({ tool_calls: [{ name: "wait" }] }),
        onCancel: () => void released.push(id),
      });
    const names = ["shop", "post", "shop"].map((name) => ({ name, arguments: { task: "x" } }));
    const model = saysWhole({ call: 1, tool_calls: names });
    const agent = defineAgent({ id: "assistant", model, subAgents: [sub("shop"), sub("post")] });
    for (const _ of ["one turn", "another"]) {
      const { turn, sink } = start(agent);
      while (sink.types().filter((type) => type === "tool_call").length < 6) await tick();
      turn.cancel();
      await turn.ended;
    }
    expect(released).toEqual(["shop", "post", "shop", "post"]);
  });

  test("before the run began asks no model and enters no node [C-21]", async () => {
    const { model, asked } = keepAsked(says({ text: "never" }));
    const reason = new FramerailError("CANCELLED", "stopped");
    const types: string[] = [];
    const accept = ({ type }: AgentEvent) => void types.push(type);
    const own = createWriter({ accept, ready: () => Promise.resolve() }, "assistant");
    const context = { writer: own, signal: AbortSignal.abort(reason), principal: PRINCIPAL };
    const agent = defineAgent({ id: "assistant", model, config: { emit_node_events: true } });
    await expect(agent.run(INPUT, context)).rejects.toBe(reason);
    expect(asked).toEqual([]);
    expect(types).not.toContain("node_enter");
  });

  test("leaves a placeholder open and closes the pair of its tool, and so does a failure [W-GAP-8] [I-23] [I-24]", async () => {
    for (const end of ["cancel", "fail"] as const) {
      const door = createDoor();
      const model = saysWhole({ call: 1, text: "Look:", tool_calls: [{ name: "render_offers" }] });
      const agent = defineAgent({ id: "assistant", model, tools: [collection(() => door.opened)] });
      const { turn, sink } = start(agent, end === "fail" ? { deadlineMs: 30 } : {});
      while (!sink.types().includes("data_loading")) await tick();
      if (end === "cancel") turn.cancel();
      await turn.ended;
      expect(framesOf(sink)).toEqual([
        ...OPENING,
        ...[wrote("Look:"), began(1, "render_offers")],
        { event_type: "data_loading", data: { id: "call_1", type: "offer_list", key: { ids: [] } } },
        ...(end === "cancel" ? [] : [{ event_type: "usage" }]),
        closed(1, "render_offers"),
        end === "cancel" ? CANCELLED : { event_type: "error", error: { code: "INTERNAL_ERROR" }, is_final: true },
      ]);
      door.open();
    }
  });
});

describe("what is left of a cancelled turn", () => {
  test("its partial blocks are saved as incomplete, and are what the client saw [P-53] [C-34]", async () => {
    const taken = { startedAt: 1_000, runId: INPUT.turn_id, conversationId: INPUT.conversation_id };
    const history = createMessageAccumulator(taken);
    const door = createDoor();
    const model = saysWhole({ call: 1, reasoning: "Hm.", text: "Let me pay", tool_calls: [{ name: "pay" }] });
    const agent = defineAgent({ id: "assistant", model, tools: [tool("pay", () => door.opened)] });
    const saved: unknown[] = [];
    const { turn, sink } = start(agent, {
      taps: [{ take: (event: AgentEvent) => history.add(event, 2_000) }],
      commit: async (outcome) => {
        const messageId = "msg_00000000-0000-4000-8000-000000000001";
        saved.push(history.finalize({ messageId, endedAt: 3_000, incomplete: isIncomplete(outcome) }));
      },
    });
    while (!sink.types().includes("tool_call")) await tick();
    turn.cancel();
    door.open();
    await turn.ended;
    expect(saved).toEqual([
      {
        _id: "msg_00000000-0000-4000-8000-000000000001",
        conversation_id: "conv_1",
        run_id: "turn_1",
        role: "assistant",
        content_items: [
          { type: "reasoning", sequence: 0, content: "Hm.", timestamp: 2_000 },
          { type: "message", sequence: 1, content: "Let me pay", timestamp: 2_000 },
          expect.objectContaining({ type: "tool_call", sequence: 2, tool_name: "pay", arguments: {} }),
        ],
        created_at: 1_000,
        completed_at: 3_000,
        duration_ms: 2_000,
        incomplete: true,
      },
    ]);
    expect(textOf(sink)).toBe(history.text());
    expect(sink.types().at(-1)).toBe("cancelled");
  });

  test("wherever it is cut among tools that run side by side, what was opened is closed before the end, for taps and client alike [W-AC-9] [I-23]", async () => {
    const plan = fc.record({ waits: fc.array(fc.nat(6), { minLength: 1, maxLength: 5 }), cancelAfter: fc.nat(8) });
    await fc.assert(
      fc.asyncProperty(plan, async ({ waits, cancelAfter }) => {
        const names = waits.map((_, index) => `t${index}`);
        const tools = waits.map((wait, index) =>
          tool(`t${index}`, async () => {
            for (let turn = 0; turn < wait; turn += 1) await tick();
            return index % 2 ? index : envelope({ status: "error" });
          }),
        );
        const model = says({ call: 1, tool_calls: names.map((name) => ({ name })) }, { call: 2, text: "x" });
        const { turn, sink, events } = start(defineAgent({ id: "assistant", model, tools }));
        for (let ticks = 0; ticks < cancelAfter; ticks += 1) await tick();
        turn.cancel();
        await turn.ended;
        const written = (type: string) =>
          events.flatMap(({ event }) => (event.type === type && "tool_call_id" in event ? [event.tool_call_id] : []));
        const shown = (type: string) =>
          sink
            .frames()
            .flatMap((frame) => (frame.event_type === type && "tool_call" in frame ? [frame.tool_call.id] : []));
        expect(written("tool_call_end").sort()).toEqual(written("tool_call").sort());
        expect(shown("tool_completed").sort()).toEqual(shown("tool_call").sort());
        expect(shown("tool_call")).toEqual(written("tool_call"));
        const terminals = sink.types().filter((type) => ["completed", "cancelled", "error"].includes(type));
        expect(terminals.at(-1)).toBe(sink.types().at(-1));
      }),
      { numRuns: 60 },
    );
  });
});

test("two turns of one agent, one of them cancelled, do not touch each other [W-FR-13] [W-SW-1]", async () => {
  const door = createDoor();
  const deep = async (depth: number): Promise<void> => {
    await tick();
    if (depth > 0) return deep(depth - 1);
    writer().log("info", "deep inside");
  };
  const look = tool("look", async () => {
    await door.opened;
    await deep(3);
    return 1;
  });
  const model = says({ call: 1, tool_calls: [{ name: "look" }] }, { call: 2, text: "done" });
  const agent = defineAgent({ id: "assistant", model, tools: [look] });
  const cancelled = start(agent);
  const kept = play(agent);
  await tick();
  cancelled.turn.cancel();
  door.open();
  await cancelled.turn.ended;
  const { sink, events } = await kept;
  expect(textOf(sink)).toBe("done");
  const logs = (all: typeof events) => all.filter(({ event }) => event.type === "log").length;
  expect([logs(events), logs(cancelled.events)]).toEqual([1, 1]);
  expect(cancelled.sink.types().at(-1)).toBe("cancelled");
});
