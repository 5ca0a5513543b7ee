import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { Agent } from "../agent/agent.js";
import { SETTLE_MS_MAX, STEP_DEADLINE_MS } from "./limits.js";
import { agentOf, forwardAll, handClock, keepFrames, play, start, tick } from "./testing/turn-bench.js";

const tokens = { input_tokens: 3, output_tokens: 2, total_tokens: 5, reasoning_tokens: 0, cached_tokens: 0 };
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
const stuck = agentOf(() => new Promise(() => undefined));

describe("what would keep a turn from its end", () => {
  test("a policy that throws when it is closed does not [G1]", async () => {
    const open: typeof forwardAll.open = (turn) => ({
      ...forwardAll.open(turn),
      close() {
        throw new Error("the policy failed");
      },
    });
    const { turn, sink } = start(
      agentOf(async ({ writer }) => writer.text("Hello")),
      { policy: { ...forwardAll, open } },
    );
    expect(await turn.ended).toEqual({ kind: "completed" });
    expect(sink.types()).toEqual(["response_id", "text", "completed"]);
  });

  test("a listener for failures that throws does not [G1]", async () => {
    const broken = agentOf(() => Promise.reject(new Error("the step failed")));
    const onFailure = () => {
      throw new Error("the listener failed too");
    };
    const { outcome, sink } = await play(broken, { onFailure });
    expect(outcome).toMatchObject({ kind: "failed" });
    expect(sink.types()).toEqual(["response_id", "error"]);
  });

  test("a step that hears no cancel does not, and its deadline is given up with it [G5]", async () => {
    const clock = handClock();
    const { turn } = start(stuck, { clock });
    await tick();
    turn.cancel();
    await tick();
    clock.pass(SETTLE_MS_MAX);
    expect(await turn.ended).toMatchObject({ kind: "cancelled" });
    expect(clock.waiting).toBe(0);
  });
});

describe("the deadline of a step", () => {
  test("is two minutes unless said otherwise, to the millisecond [C-24] [D-19]", async () => {
    expect(STEP_DEADLINE_MS).toBe(120_000);
    const clock = handClock();
    const { turn, sink } = start(
      agentOf(({ signal }) => aborted(signal)),
      { clock, idleMs: 2 * STEP_DEADLINE_MS },
    );
    await tick();
    clock.pass(STEP_DEADLINE_MS - 1);
    await tick();
    expect(sink.types()).toEqual(["response_id"]);
    clock.pass(1);
    expect(await turn.ended).toEqual({ kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "deadline" });
    expect(sink.frames().at(-1)).toMatchObject({
      event_type: "error",
      error: { code: "INTERNAL_ERROR" },
      is_final: true,
    });
  });

  test("comes to the step as a reason that names the agent, for its author [C-24]", async () => {
    const clock = handClock();
    let reason: unknown;
    const agent = agentOf(async ({ signal }) => {
      await aborted(signal);
      reason = signal.reason;
    }, "shopper");
    const { turn } = start(agent, { clock, deadlineMs: 10 });
    await tick();
    clock.pass(10);
    await turn.ended;
    expect(reason).toMatchObject({ code: "DEADLINE_EXCEEDED", message: "agent shopper took too long" });
  });
});

describe("the wait after the end", () => {
  test("is half a second for a step that does not stop, to the millisecond [C-21]", async () => {
    expect(SETTLE_MS_MAX).toBe(500);
    const clock = handClock();
    const { turn, sink } = start(stuck, { clock });
    await tick();
    turn.cancel();
    await tick();
    clock.pass(SETTLE_MS_MAX - 1);
    await tick();
    expect(sink.types()).toEqual(["response_id"]);
    clock.pass(1);
    await turn.ended;
    expect(sink.types()).toEqual(["response_id", "cancelled"]);
  });

  test("hears what was cut off before anything is stored, and the terminal is last [G4] [C-21] [C-44]", async () => {
    const log: string[] = [];
    const sink = keepFrames();
    const append = sink.append;
    sink.append = (frame) => {
      log.push(frame.type);
      append(frame);
    };
    const agent = agentOf(async ({ writer, signal }) => {
      await aborted(signal);
      await tick();
      writer.write({ type: "metrics", model: "m", tokens });
    });
    const { turn } = start(agent, {
      sink,
      taps: [{ take: ({ type }) => void (type === "metrics" && log.push("accounted")) }],
      commit: async ({ kind }) => {
        log.push(`storing ${kind}`);
        await tick();
        log.push("stored");
      },
    });
    await tick();
    turn.cancel();
    await turn.ended;
    expect(log).toEqual(["response_id", "accounted", "storing cancelled", "stored", "cancelled"]);
  });

  test.each([
    ["completes", agentOf(async ({ writer }) => writer.text("x")), "none"],
    ["throws", agentOf(() => Promise.reject(new Error("x"))), "none"],
    ["is cancelled", agentOf(({ signal }) => aborted(signal)), "cancel"],
    ["falls silent", agentOf(({ signal }) => aborted(signal)), "idle"],
    ["is late", agentOf(({ signal }) => aborted(signal)), "deadline"],
  ] as const)("a turn that %s leaves neither timer nor listener behind [W-FR-13]", async (_, agent, end) => {
    const clock = handClock();
    const signals: AbortSignal[] = [];
    const run: Agent["run"] = (input, context) => {
      signals.push(context.signal);
      return agent.run(input, context);
    };
    const { turn, sink } = start({ ...agent, run }, { clock });
    await tick();
    if (end === "cancel") turn.cancel();
    else if (end === "idle") turn.cancel("idle");
    else if (end === "deadline") clock.pass(STEP_DEADLINE_MS);
    await turn.ended;
    expect(clock.waiting).toBe(0);
    expect(signals.flatMap((signal) => getEventListeners(signal, "abort"))).toEqual([]);
    const terminals = sink.types().filter((type) => ["completed", "cancelled", "error"].includes(type));
    expect(terminals).toHaveLength(1);
  });
});

test("what a stopped step throws is no news to operators, and what a running one throws is [W-CAN-1]", async () => {
  const throwing = agentOf(async ({ signal }) => {
    await aborted(signal);
    throw new Error("stopped");
  });
  const { turn, failures } = start(throwing);
  await tick();
  turn.cancel();
  await turn.ended;
  expect(failures).toEqual([]);
  const thrown = new Error("by itself");
  expect((await play(agentOf(() => Promise.reject(thrown)))).failures).toEqual([thrown]);
});

test("a cancel of a turn that has ended changes nothing [W-FR-13]", async () => {
  const { turn, sink, outcome } = await play(agentOf(async ({ writer }) => writer.text("x")));
  const before = sink.wire();
  turn.cancel();
  await tick();
  expect(sink.wire()).toBe(before);
  expect(outcome).toEqual({ kind: "completed" });
});
