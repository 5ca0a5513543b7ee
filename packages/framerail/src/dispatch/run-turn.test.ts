import { FramerailError } from "@framerail/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentOf, handClock, keepFrames, play, start, tick } from "./testing/turn-bench.js";

const tool = { tool_call_id: "call_1", tool_name: "search", tool_type: "mcp" };
const tokens = { input_tokens: 3, output_tokens: 2, total_tokens: 5, reasoning_tokens: 0, cached_tokens: 0 };

const forever = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

describe("a turn that goes well", () => {
  test("opens with response_id, keeps the order of the writer, tells its usage and ends once [W-FR-14] [W-EV-9] [W-EV-11]", async () => {
    const agent = agentOf(async ({ writer: own }) => {
      own.thinking();
      own.toolCall({ ...tool, arguments: { q: "CANARY" }, timestamp: 1 });
      own.toolResult({ tool_call_id: "call_1", result: "CANARY", is_error: false, duration_ms: 1 });
      own.toolCallEnd(tool);
      own.text("Hello ");
      own.write({ type: "metrics", model: "m", tokens });
      own.text("you");
      own.write({ type: "metrics", model: "m", tokens });
    });
    const { outcome, sink, events } = await play(agent);
    expect(outcome).toEqual({ kind: "completed" });
    expect(sink.types()).toEqual([
      "response_id",
      "thinking",
      "tool_call",
      "tool_completed",
      "text",
      "text",
      "usage",
      "completed",
    ]);
    expect(sink.frames().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(sink.frames()[6]).toMatchObject({ input_tokens: 6, output_tokens: 4, total_tokens: 10 });
    expect(sink.kept[0]?.sse.startsWith("id: turn_1.1.1\nevent: response_id\n")).toBe(true);
    expect(sink.wire()).not.toContain("CANARY");
    expect(events.map(({ event }) => event.type)).toContain("tool_result");
  });

  test("the first frame is out before the agent runs [W-EV-9]", async () => {
    const sink = keepFrames();
    const seen: string[] = [];
    const look = async () => {
      seen.push(...sink.types());
    };
    await play(agentOf(look), { sink });
    expect(seen).toEqual(["response_id"]);
  });

  test("a pause ends as completed with has_more [C-30] [C-24]", async () => {
    const { sink, outcome } = await play(agentOf(async () => ({ kind: "paused", limit: "state_limit" })));
    expect(outcome).toEqual({ kind: "paused", limit: "state_limit" });
    expect(sink.frames().at(-1)).toMatchObject({ event_type: "completed", has_more: true });
  });

  test("text longer than a frame is split and joins to the same text [C-18]", async () => {
    const long = "é".repeat(100_000);
    const { sink } = await play(agentOf(async ({ writer: own }) => own.text(long)));
    const chunks = sink.frames().flatMap((frame) => (frame.event_type === "text" ? [frame.chunk] : []));
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.join("")).toBe(long);
  });

  test("the terminal leaves only after the commit [G4]", async () => {
    const sink = keepFrames();
    const atCommit: string[] = [];
    const commit = async () => {
      atCommit.push(...sink.types());
    };
    await play(
      agentOf(async ({ writer: own }) => own.text("x")),
      { sink, commit },
    );
    expect(atCommit).toEqual(["response_id", "text"]);
    expect(sink.types()).toEqual(["response_id", "text", "completed"]);
  });

  test("a commit that fails keeps the terminal back [G4]", async () => {
    const { turn, sink } = start(
      agentOf(async () => undefined),
      { commit: () => Promise.reject(new Error("db")) },
    );
    await expect(turn.ended).rejects.toThrow("db");
    expect(sink.types()).toEqual(["response_id"]);
  });
});

describe("a turn that fails", () => {
  const cases: [string, unknown, object][] = [
    ["an exception is INTERNAL_ERROR [W-ERR-1]", new Error("password=CANARY at /srv/app"), { code: "INTERNAL_ERROR" }],
    ["something thrown that is no error is INTERNAL_ERROR [W-ERR-1]", "CANARY", { code: "INTERNAL_ERROR" }],
    [
      "a provider's rate limit is RATE_LIMIT_ERROR [W-ERR-2]",
      new FramerailError("RATE_LIMITED", "CANARY"),
      { code: "RATE_LIMIT_ERROR" },
    ],
    [
      "a sub-agent's failure names it and nothing else [W-ERR-3]",
      Object.assign(new FramerailError("SUB_AGENT_FAILED", "CANARY"), { sub_agent_id: "shop" }),
      { code: "SUB_AGENT_FAILED", sub_agent_id: "shop" },
    ],
  ];
  for (const [name, thrown, error] of cases) {
    test(`ends with one final error: ${name}`, async () => {
      const { sink, failures } = await play(agentOf(() => Promise.reject(thrown as Error)));
      expect(sink.frames().at(-1)).toMatchObject({ event_type: "error", error, is_final: true });
      expect(sink.types()).toEqual(["response_id", "error"]);
      expect(sink.wire()).not.toContain("CANARY");
      expect(failures).toEqual([thrown]);
    });
  }

  test("a frame out of order ends it as a violation, and the agent is aborted [W-FR-9a] [C-4]", async () => {
    let aborted = false;
    const agent = agentOf(async ({ writer: own, signal }) => {
      own.toolCallEnd(tool);
      aborted = signal.aborted;
      own.text("late");
    });
    const { outcome, sink, reports } = await play(agent);
    expect(outcome).toMatchObject({ kind: "failed", cause: "protocol_violation" });
    expect(sink.types()).toEqual(["response_id", "error"]);
    expect(aborted).toBe(true);
    expect(reports.map(({ kind }) => kind)).toEqual(["violation", "late"]);
  });

  test("a writer that never waits ends it, far past the mark [D-6]", async () => {
    const sink = keepFrames();
    sink.append = (frame) => {
      sink.kept.push(frame);
      sink.backlogBytes += frame.sse.length;
    };
    const agent = agentOf(async ({ writer: own }) => {
      for (let piece = 0; piece < 1000; piece += 1) own.text("x".repeat(10_000));
    });
    const { outcome } = await play(agent, { sink });
    expect(outcome).toMatchObject({ kind: "failed", cause: "invariant_violation" });
    expect(sink.backlogBytes).toBeLessThan(4.2 * 262_144);
  });

  test("an agent past its deadline is aborted and the turn ends as failed [C-24] [P-12]", async () => {
    const clock = handClock();
    const { turn, sink } = start(
      agentOf(({ signal }) => forever(signal)),
      { clock, deadlineMs: 5000 },
    );
    await tick();
    clock.pass(5000);
    expect(await turn.ended).toMatchObject({ kind: "failed", cause: "deadline" });
    expect(sink.types()).toEqual(["response_id", "error"]);
    expect(clock.waiting).toBe(0);
  });
});

describe("a turn that is cancelled", () => {
  test("ends in the same tick: pairs closed, agent aborted, nothing after but the terminal [W-FR-13] [I-23] [W-CAN-1]", async () => {
    const log: string[] = [];
    const agent = agentOf(async ({ writer: own, signal }) => {
      own.toolCall({ ...tool, arguments: null, timestamp: 1 });
      signal.addEventListener("abort", () => log.push(`aborted: ${(signal.reason as FramerailError).code}`));
      await forever(signal).catch(() => own.text("too late"));
    });
    const { turn, sink, events, reports } = start(agent);
    await tick();
    turn.cancel();
    expect(log).toEqual(["aborted: CANCELLED"]);
    expect(sink.types()).toEqual(["response_id", "tool_call", "tool_completed"]);
    turn.cancel("idle");
    expect(await turn.ended).toEqual({ kind: "cancelled", code: "REQUEST_CANCELLED" });
    expect(sink.frames().slice(2)).toMatchObject([
      { event_type: "tool_completed", tool_call: { id: "call_1", status: "cancelled" } },
      { event_type: "cancelled", error: { code: "REQUEST_CANCELLED" } },
    ]);
    expect(events.at(-1)?.event).toMatchObject({ type: "tool_call_end", status: "cancelled" });
    expect(reports).toEqual([{ kind: "late", event_type: "text", emitter: "assistant" }]);
  });

  test("for silence carries IDLE_TIMEOUT, and the agent's own end afterwards is dropped [W-FR-9b] [W-CAN-2]", async () => {
    const { turn, sink } = start(agentOf(async () => tick().then(() => undefined)));
    turn.cancel("idle");
    expect(await turn.ended).toEqual({ kind: "cancelled", code: "IDLE_TIMEOUT" });
    expect(sink.types()).toEqual(["response_id", "cancelled"]);
  });

  test("still hears what the aborted work has cost, and shows no usage frame [C-44] [C-21]", async () => {
    const agent = agentOf(async ({ writer: own, signal }) => {
      await forever(signal).catch(() => own.write({ type: "metrics", model: "m", tokens, estimated: true }));
    });
    const { turn, sink, events } = start(agent);
    await tick();
    turn.cancel();
    await turn.ended;
    expect(events.at(-1)?.event).toMatchObject({ type: "metrics", estimated: true });
    expect(sink.types()).toEqual(["response_id", "cancelled"]);
  });

  test("waits for an agent that does not stop for half a second and no longer [C-21]", async () => {
    const clock = handClock();
    const { turn, sink } = start(
      agentOf(() => new Promise(() => undefined)),
      { clock },
    );
    await tick();
    turn.cancel();
    await tick();
    expect(sink.types()).toEqual(["response_id"]);
    clock.pass(500);
    await turn.ended;
    expect(sink.types()).toEqual(["response_id", "cancelled"]);
  });
});

test("whatever an agent writes and wherever it is cut, there is one terminal, last, seq has no gap and pairs are closed [W-FR-9a] [W-AC-4] [W-AC-9]", async () => {
  const step = fc.constantFrom("text", "status", "open", "close", "throw", "cancel", "metrics", "end", "log");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      let calls = 0;
      const agent = agentOf(async ({ writer: own }) => {
        for (const one of steps) {
          const call = { tool_call_id: `c${calls}`, tool_name: "n" };
          if (one === "text") own.text("x");
          else if (one === "status") own.status("searching_offers");
          else if (one === "open")
            own.toolCall({ tool_call_id: `c${++calls}`, tool_name: "n", arguments: null, timestamp: 1 });
          else if (one === "close") own.toolCallEnd(call);
          else if (one === "metrics") own.write({ type: "metrics", model: "m", tokens });
          else if (one === "log") own.log("info", "x");
          else if (one === "throw") throw new Error("x");
          else if (one === "end") return;
          else started.turn.cancel();
          if (one === "cancel") await tick();
        }
      });
      const late = agentOf((context, input) => tick().then(() => agent.run(input, context)));
      const started = start(late);
      await started.turn.ended;
      const frames = started.sink.frames();
      const terminals = frames.filter(
        ({ event_type: type }) => type === "completed" || type === "cancelled" || type === "error",
      );
      expect(terminals).toHaveLength(1);
      expect(frames.at(-1)).toBe(terminals[0]);
      expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, index) => index + 1));
      const ids = (type: string) =>
        frames.flatMap((frame) => (frame.event_type === type && "tool_call" in frame ? [frame.tool_call.id] : []));
      expect(ids("tool_completed").sort()).toEqual(ids("tool_call").sort());
    }),
    { numRuns: process.env.FRAMERAIL_LONG ? 50_000 : 500 },
  );
});
