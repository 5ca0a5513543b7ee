import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Draft } from "../event/to-frame.js";
import type { FrameType } from "../frame/vocabulary.js";
import { FRAME_TYPES } from "../frame/vocabulary.js";
import { classify, createClassGuard } from "./guard.js";
import { guardStream } from "./guard-stream.js";
import type { TurnOutcome } from "./outcome.js";
import { createTerminalLatch, isIncomplete, outcomeOfTerminal, streamStatusOf, terminalFrameOf } from "./outcome.js";
import { createToolPairs } from "./tool-pairs.js";
import { createTurnGuard } from "./turn-guard.js";
import type { TurnMessage } from "./turn-spec.js";
import { turnClassOf, turnSpec } from "./turn-spec.js";

const tool = (id: string) => ({ tool_call: { id, name: "search", type: "mcp" } });
const failed = { error: { code: "INTERNAL_ERROR" } as const, is_final: true };
const play = (...frames: [FrameType, object?][]) => {
  const guard = createTurnGuard();
  return { guard, verdicts: frames.map(([type, payload]) => guard.admit(type, (payload ?? {}) as never)) };
};

describe("the order of a turn [C-3]:", () => {
  test("the worked example passes, frame by frame [W-EV-18]", () => {
    const { verdicts, guard } = play(
      ["response_id"],
      ["thinking"],
      ["status"],
      ["tool_call", tool("1")],
      ["tool_completed", tool("1")],
      ["data_loading"],
      ["data_loaded"],
      ["text", { chunk: "x" }],
      ["completed"],
    );
    expect(verdicts).toEqual([...Array<string>(8).fill("pass"), "end"]);
    expect(guard.outcome).toEqual({ kind: "completed" });
  });

  test("response_id is first and comes once [W-EV-9]", () => {
    expect(play(["text", { chunk: "x" }]).verdicts).toEqual(["violation"]);
    expect(play(["status"]).verdicts).toEqual(["violation"]);
    expect(play(["response_id"], ["response_id"]).verdicts).toEqual(["pass", "violation"]);
    expect(play(["response_id"], ["text", { chunk: "x" }], ["response_id"]).verdicts.at(-1)).toBe("violation");
  });

  test("episode comes before any text [W-EV-10]", () => {
    expect(play(["response_id"], ["status"], ["episode"], ["text"]).verdicts).toEqual(["pass", "pass", "pass", "pass"]);
    const { verdicts, guard } = play(["response_id"], ["text"], ["episode"]);
    expect(verdicts.at(-1)).toBe("violation");
    expect(guard.violation()).toEqual({
      route: "turn",
      phase: "streaming",
      message_type: "episode",
      index: 2,
      message: "episode not allowed in streaming",
    });
  });

  test("an error ends the turn exactly when it is final [W-FR-17] [C-2] [I-5]", () => {
    expect(play(["response_id"], ["error", { ...failed, is_final: false }], ["text"], ["completed"]).verdicts).toEqual([
      "pass",
      "pass",
      "pass",
      "end",
    ]);
    const { verdicts, guard } = play(["response_id"], ["error", failed], ["text"], ["completed"]);
    expect(verdicts).toEqual(["pass", "end", "late", "late"]);
    expect(guard.outcome).toMatchObject({ kind: "failed" });
  });

  test("a terminal is legal from the very start, and nothing follows it [W-FR-9a]", () => {
    for (const [type, payload] of [
      ["completed", {}],
      ["cancelled", { error: { code: "IDLE_TIMEOUT" } }],
      ["error", failed],
    ] as const) {
      const { verdicts } = play([type, payload], ["completed"], ["text", { chunk: "x" }], ["tool_call", tool("1")]);
      expect(verdicts).toEqual(["end", "late", "late", "late"]);
    }
  });
});

describe("pairs of tools", () => {
  test("close by id, in any order, under parallel calls [W-AC-9]", () => {
    const { verdicts } = play(
      ["response_id"],
      ["tool_call", tool("1")],
      ["tool_call", tool("2")],
      ["tool_completed", tool("2")],
      ["tool_completed", tool("1")],
      ["completed"],
    );
    expect(verdicts.at(-1)).toBe("end");
  });

  test("an end without a start, a repeated id and another name are violations [W-AC-9]", () => {
    const open = [["response_id"], ["tool_call", tool("1")]] as [FrameType, object?][];
    expect(play(["response_id"], ["tool_completed", tool("1")]).verdicts.at(-1)).toBe("violation");
    expect(play(...open, ["tool_call", tool("1")]).verdicts.at(-1)).toBe("violation");
    expect(play(...open, ["tool_completed", tool("1")], ["tool_completed", tool("1")]).verdicts.at(-1)).toBe(
      "violation",
    );
    expect(play(...open, ["tool_completed", tool("1")], ["tool_call", tool("1")]).verdicts.at(-1)).toBe("violation");
    const other = { tool_call: { id: "1", name: "other", type: "mcp" } };
    const { verdicts, guard } = play(...open, ["tool_completed", other]);
    expect(verdicts.at(-1)).toBe("violation");
    expect(guard.violation()?.message).toMatch(/no running tool_call/);
  });

  test("that the phase refuses are none: what was not told is not closed either [W-AC-9]", () => {
    const failure: TurnOutcome = { kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "protocol_violation" };
    const { guard, verdicts } = play(["tool_call", tool("1")]);
    expect(verdicts).toEqual(["violation"]);
    expect(guard.violation()).toMatchObject({
      phase: "prelude",
      index: 0,
      message: "tool_call not allowed in prelude",
    });
    expect(guard.end(failure)).toEqual([{ type: "error", payload: failed }]);
    const late = play(["response_id"], ["completed"], ["tool_call", tool("1")]);
    expect([late.verdicts.at(-1), late.guard.end(failure)]).toEqual(["late", []]);
  });

  test("a recorded terminal that leaves a tool open is a violation [I-23]", () => {
    const { verdicts, guard } = play(["response_id"], ["tool_call", tool("1")], ["completed"]);
    expect(verdicts.at(-1)).toBe("violation");
    expect(guard.violation()?.message).toBe("completed ends the turn while tools run");
  });

  test("no more than the named maximum are open at once", () => {
    const pairs = createToolPairs(2);
    const ref = (id: string) => ({ id, name: "n", type: "t" });
    expect([pairs.open(ref("1")), pairs.open(ref("2")), pairs.open(ref("3"))]).toEqual([true, true, false]);
    expect(pairs.close(ref("1")) && pairs.open(ref("3"))).toBe(true);
    expect(pairs.running().map(({ id }) => id)).toEqual(["2", "3"]);
  });
});

describe("the one end [C-1]:", () => {
  const idle: TurnOutcome = { kind: "cancelled", code: "IDLE_TIMEOUT" };

  test("ending closes the running tools, then gives the terminal [I-23] [W-GAP-8]", () => {
    const { guard } = play(
      ["response_id"],
      ["tool_call", tool("1")],
      ["tool_call", tool("2")],
      ["tool_completed", tool("1")],
    );
    expect(guard.end(idle)).toEqual([
      { type: "tool_completed", payload: { tool_call: { id: "2", name: "search", type: "mcp", status: "cancelled" } } },
      { type: "cancelled", payload: { error: { code: "IDLE_TIMEOUT" } } },
    ]);
  });

  test("a crash closes them as unknown", () => {
    const { guard } = play(["response_id"], ["tool_call", tool("1")]);
    const [closer] = guard.end({ kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "application" }, "unknown");
    expect(closer).toMatchObject({ payload: { tool_call: { status: "unknown" } } });
  });

  test("only the first end counts: a later upstream terminal is late [W-FR-9b] [C-23]", () => {
    const { guard } = play(["response_id"], ["text", { chunk: "x" }]);
    expect(guard.end(idle)).toHaveLength(1);
    expect(guard.end({ kind: "completed" })).toEqual([]);
    expect(guard.admit("completed", {})).toBe("late");
    expect(guard.outcome).toEqual(idle);
    expect(guard.phase).toBe("terminal");
  });

  test("after a violation nothing passes and the end is still to be had, once [L-30]", () => {
    const { guard } = play(["text", { chunk: "x" }]);
    expect(guard.admit("response_id", {})).toBe("late");
    expect(guard.outcome).toBeUndefined();
    const end = guard.end({ kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "protocol_violation" });
    expect(end).toEqual([{ type: "error", payload: failed }]);
    expect(guard.end(idle)).toEqual([]);
  });

  test("the latch keeps the first outcome", () => {
    const latch = createTerminalLatch();
    expect(latch.outcome).toBeUndefined();
    expect([latch.take(idle), latch.take({ kind: "completed" })]).toEqual([true, false]);
    expect(latch.outcome).toBe(idle);
  });

  test("an outcome projects to its frame, its stream status and its flag [C-30] [C-34]", () => {
    const rows: [TurnOutcome, Draft, string, boolean][] = [
      [{ kind: "completed" }, { type: "completed", payload: {} }, "success", false],
      [{ kind: "paused", limit: "state_limit" }, { type: "completed", payload: { has_more: true } }, "success", true],
      [
        { kind: "failed", error: { code: "RATE_LIMIT_ERROR" }, cause: "application" },
        { type: "error", payload: { error: { code: "RATE_LIMIT_ERROR" }, is_final: true } },
        "error",
        true,
      ],
      [
        { kind: "cancelled", code: "REQUEST_CANCELLED" },
        { type: "cancelled", payload: { error: { code: "REQUEST_CANCELLED" } } },
        "cancelled",
        true,
      ],
    ];
    for (const [outcome, draft, status, incomplete] of rows) {
      expect(terminalFrameOf(outcome)).toEqual(draft);
      expect(outcomeOfTerminal(draft)).toEqual(outcome);
      expect(streamStatusOf(outcome)).toBe(status);
      expect(isIncomplete(outcome)).toBe(incomplete);
    }
    expect(outcomeOfTerminal({ type: "text", payload: { chunk: "x" } })).toBeUndefined();
  });
});

test("the look-up table and the spec say the same of every frame [C-3]", () => {
  for (const type of [...FRAME_TYPES, "log"] as const) {
    for (const is_final of [true, false]) {
      expect(classify(turnSpec, { type, is_final })).toBe(turnClassOf(type, is_final));
    }
  }
  expect(turnClassOf("gossip" as FrameType, false)).toBe(0);
});

test("guard and wrapper judge every sequence alike, and a turn has exactly one end [W-FR-9a] [W-AC-4]", async () => {
  const plain = FRAME_TYPES.filter((type) => type !== "tool_call" && type !== "tool_completed");
  const message: fc.Arbitrary<TurnMessage> = fc.record({ type: fc.constantFrom(...plain), is_final: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 10 }), fc.boolean(), async (body, opened) => {
      const sent: TurnMessage[] = opened ? [{ type: "response_id" }, ...body] : body;
      const guard = createTurnGuard();
      const order = createClassGuard("turn");
      const passed: TurnMessage[] = [];
      for (const { type, is_final = false } of sent) {
        const verdict = order.admit(type, turnClassOf(type, is_final));
        expect(guard.admit(type as FrameType, { is_final, error: { code: "INTERNAL_ERROR" } } as never)).toBe(verdict);
        if (verdict === "pass" || verdict === "end") passed.push({ type, is_final });
      }
      const seen: TurnMessage[] = [];
      for await (const frame of guardStream(turnSpec, asStream(sent))) seen.push(frame);
      const ends = seen.filter((frame) => turnSpec.is_terminal(frame));
      expect(ends).toHaveLength(1);
      expect(seen.at(-1)).toBe(ends[0]);
      const common = Math.min(passed.length, seen.length);
      expect(seen.slice(0, common).map(({ type }) => type)).toEqual(passed.slice(0, common).map(({ type }) => type));
      expect(seen.length - passed.length).toBe(order.phase === "terminal" && order.violation() === undefined ? 0 : 1);
    }),
    { numRuns: process.env.FRAMERAIL_LONG ? 100_000 : 2_000 },
  );
});

async function* asStream<T>(messages: T[]): AsyncGenerator<T> {
  yield* messages;
}

test("a turn of a producer that fails or falls silent ends as INTERNAL_ERROR [L-31] [L-60]", async () => {
  const end: TurnMessage = { type: "error", is_final: true, error: { code: "INTERNAL_ERROR" } };
  async function* fails(): AsyncGenerator<TurnMessage> {
    yield { type: "response_id" };
    throw new Error("secret");
  }
  for (const source of [fails(), asStream<TurnMessage>([{ type: "response_id" }])]) {
    const seen: TurnMessage[] = [];
    for await (const frame of guardStream(turnSpec, source)) seen.push(frame);
    expect(seen).toEqual([{ type: "response_id" }, end]);
  }
});
