import type { TurnOutcome } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import type { Agent } from "../agent/agent.js";
import type { CallBudget } from "../agent/call-budget.js";
import { defineAgent } from "../agent/define-agent.js";
import { defineSubAgent } from "../agent/sub-agent.js";
import { says, saysWhole, scripted } from "../agent/testing/scripted.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import type { Policy } from "../policy/policy.js";
import { cancelTurn } from "./cancel-turn.js";
import { agentOf, forwardAll, handClock, keepFrames, play, start, tick } from "./testing/turn-bench.js";

const USED = {
  type: "metrics",
  model: "m",
  total_ms: 1,
  tokens: { input_tokens: 1, output_tokens: 1, total_tokens: 2, reasoning_tokens: 0, cached_tokens: 0 },
} as const;

test("a writer that does not wait, in a turn that has asked a model, ends its turn [D-6] [G1]", async () => {
  const log = createMemoryLog();
  const sink = log.open({ orgId: "org", turnId: "turn_1", epoch: 1 });
  const agent = agentOf(async ({ writer }) => {
    writer.write(USED);
    for (let piece = 0; piece < 200; piece += 1) writer.text("x".repeat(8_000));
  });
  const { turn } = start(agent, { sink });
  const end = await Promise.race([turn.ended, new Promise((resolve) => setTimeout(resolve, 2_000, "no end"))]);
  expect(end).toMatchObject({ kind: "failed", cause: "invariant_violation" });
});

test("a turn whose last status goes past its pace ends once [G1]", async () => {
  const sink = keepFrames();
  const commits: TurnOutcome[] = [];
  // A batch that is given out at the end, as a window of statuses is.
  const policy: Policy = {
    ...forwardAll,
    open(turn) {
      let waits = true;
      const flush = () => {
        if (!waits) return;
        waits = false;
        sink.backlogBytes = 1_048_577;
        turn.emit({ type: "status", payload: { data: { event_id: "a", message: "a" } } });
      };
      return { ...forwardAll.open(turn), flush };
    },
  };
  const { turn } = start(
    agentOf(async () => undefined),
    { sink, policy, commit: async (outcome) => void commits.push(outcome) },
  );
  await turn.ended;
  await tick();
  expect(commits).toHaveLength(1);
});

const noBudgetFor = (model: string): CallBudget => ({
  async reserve(call) {
    if (call.model === model) throw new FramerailError("BUDGET_EXHAUSTED", "nothing left");
    return async () => undefined;
  },
});

const withSub = (): Agent =>
  defineAgent({
    id: "assistant",
    model: saysWhole({ call: 1, tool_calls: [{ name: "shop", arguments: { task: "look" } }] }, { call: 2, text: "ok" }),
    subAgents: [
      defineSubAgent({
        id: "shop",
        model: { ...says({ call: 1, text: "hm" }), modelId: "sub" },
        onCancel: () => undefined,
      }),
    ],
  });

test("a budget that a sub-agent finds used up pauses the turn [D-16]", async () => {
  const { outcome } = await play(withSub(), { budget: noBudgetFor("sub") });
  expect(outcome).toEqual({ kind: "paused", limit: "state_limit" });
});

test("the caller's time limit stops a run that is deaf to cancels: it is a deadline [C-33] [C-24]", async () => {
  const clock = handClock();
  let seen: AbortSignal | undefined;
  const model = scripted({ steps: [{ call: 1, text: "never" }] });
  const hangs = {
    ...model,
    doStream: (options: Parameters<typeof model.doStream>[0]) => {
      seen = options.abortSignal;
      return new Promise<never>(() => undefined);
    },
  };
  const agent = defineAgent({ id: "assistant", model: hangs, config: { enable_cancellation: false } });
  const { turn } = start(agent, { clock, timeMs: 1_000 });
  await tick();
  clock.pass(1_000);
  await tick();
  clock.pass(500);
  expect(await turn.ended).toEqual({ kind: "paused", limit: "time_limit" });
  expect(seen?.aborted).toBe(true);
});

test("a cancel leaves no timer behind [G8]", async () => {
  const clock = handClock();
  const { turn } = start(
    agentOf(({ signal }) => new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason)))),
    { clock },
  );
  await tick();
  const dispatcher = { running: () => turn } as never;
  expect(await cancelTurn({ dispatcher, clock }, { turnId: "t", owner: "o", hasEnded: async () => true })).toBe(true);
  expect(clock.waiting).toBe(0);
});
