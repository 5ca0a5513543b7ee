import type { LanguageModelV3, LanguageModelV3Prompt, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { Clock, FramerailError } from "@framerail/protocol";
import { systemClock } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { createWriter, sinkOf } from "../writer.js";
import {
  DRAIN_MS_MAX,
  DRAIN_PARTS_MAX,
  PACE_LENGTH_MAX,
  PIECE_LENGTH_MAX,
  STEP_ARGUMENTS_LENGTH_MAX,
  STEP_TEXT_LENGTH_MAX,
  STEP_TOOL_CALLS_MAX,
} from "./limits.js";
import { createModelNode } from "./model-node.js";
import { manualClock } from "./testing/manual-clock.js";
import { finish, oddModel, text, toolCall } from "./testing/odd-model.js";
import { HELLO, play, settle, start } from "./testing/play.js";
import { createTurnSink } from "./testing/turn-sink.js";

describe("bounds of one call", () => {
  const failureOf = (running: Promise<unknown>) => running.then(String, (error: FramerailError) => error.message);

  test("text beyond its maximum fails the call [G8]", async () => {
    const parts = [text("x".repeat(STEP_TEXT_LENGTH_MAX)), text("y"), finish()];
    const { turn, running } = play(parts);
    expect(await failureOf(running)).toBe(`model odd wrote more than ${STEP_TEXT_LENGTH_MAX} characters`);
    expect(turn.contents("text").join("")).toHaveLength(STEP_TEXT_LENGTH_MAX);
  });

  test("tool arguments beyond their maximum fail the call, counted once when a whole call follows [G8]", async () => {
    const full = `"${"x".repeat(STEP_ARGUMENTS_LENGTH_MAX - 2)}"`;
    const announced = [
      { type: "tool-input-start", id: "call_1", toolName: "search" },
      { type: "tool-input-delta", id: "call_1", delta: full },
      toolCall(full),
    ];
    expect((await play([...announced, finish()]).running).toolCalls).toHaveLength(1);
    const over = [...announced, toolCall("1", "call_2"), finish()];
    expect(await failureOf(play(over).running)).toContain(`more than ${STEP_ARGUMENTS_LENGTH_MAX} characters`);
  });

  test("more tool calls than the maximum fail the call [G8]", async () => {
    const calls = Array.from({ length: STEP_TOOL_CALLS_MAX + 1 }, (_, index) => toolCall("{}", `call_${index}`));
    expect((await play([...calls.slice(1), finish()]).running).toolCalls).toHaveLength(STEP_TOOL_CALLS_MAX);
    expect(await failureOf(play([...calls, finish()]).running)).toContain(`more than ${STEP_TOOL_CALLS_MAX} tools`);
  });

  test("a stream that goes on after its finish is closed after a few parts [G8]", async () => {
    let cancelled = false;
    const late = Array.from({ length: DRAIN_PARTS_MAX + 1 }, () => text("late"));
    await play([finish(), ...late], { onCancel: () => (cancelled = true) }).running;
    await expect.poll(() => cancelled).toBe(true);
  });

  test("a stream that hangs after its finish is closed after a short while, and nobody waits for it [G8]", async () => {
    const clock = manualClock();
    let cancelled = false;
    const model = oddModel({ parts: [finish()], end: "hang", onCancel: () => (cancelled = true) });
    await start(model, { clock }).running;
    clock.advance(DRAIN_MS_MAX - 1);
    expect(cancelled).toBe(false);
    clock.advance(1);
    expect(cancelled).toBe(true);
  });

  test("a stream that ends soon after its finish is read to its end and not cancelled", async () => {
    const clock = manualClock();
    let cancelled = false;
    await start(oddModel({ parts: [finish(), text("late")], onCancel: () => (cancelled = true) }), { clock }).running;
    await expect.poll(() => clock.pending).toBe(0);
    expect(cancelled).toBe(false);
  });
});

describe("the pace of the log", () => {
  test("a writer that is held back holds back the reading of the model [D-6]", async () => {
    const turn = createTurnSink();
    turn.hold();
    const tokens = Array.from({ length: 2_000 }, () => text("word "));
    const { running } = start(oddModel({ parts: [...tokens, finish()] }), {}, turn);
    await expect.poll(() => turn.looks).toBe(1);
    await settle();
    const written = turn.contents("text").length;
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(PACE_LENGTH_MAX / 256);
    turn.release();
    expect((await running).text).toHaveLength(10_000);
    // A look per token would be two thousand.
    expect(turn.looks).toBeLessThan(30);
  });

  test("one huge delta is written in pieces with looks at the pace in between [D-6]", async () => {
    const turn = createTurnSink();
    turn.hold();
    const huge = "😀".repeat(PIECE_LENGTH_MAX * 4);
    const { running } = start(oddModel({ parts: [text(`x${huge}`), finish()] }), {}, turn);
    await expect.poll(() => turn.looks).toBe(1);
    expect(turn.contents("text").join("").length).toBeLessThanOrEqual(PACE_LENGTH_MAX + PIECE_LENGTH_MAX);
    turn.release();
    expect((await running).text).toBe(`x${huge}`);
    expect(turn.contents("text").join("")).toBe(`x${huge}`);
  });

  test("an abort ends a step whose writer is held back for ever [G11]", async () => {
    const turn = createTurnSink();
    turn.hold();
    const parts = Array.from({ length: 2_000 }, () => text("word "));
    const { abort, running } = start(oddModel({ parts, end: "hang" }), {}, turn);
    await expect.poll(() => turn.looks).toBe(1);
    abort.abort(new Error("stop"));
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
    expect(turn.metrics()).toHaveLength(1);
  });
});

describe("an abort", () => {
  test("a provider that does not listen to its signal does not hold up a cancel [G11]", async () => {
    let cancelled = false;
    const { turn, abort, running } = play([text("a")], { end: "hang", onCancel: () => (cancelled = true) });
    await expect.poll(() => turn.contents("text")).toEqual(["a"]);
    abort.abort(new Error("stop"));
    expect(cancelled).toBe(true);
    await expect(running).rejects.toMatchObject({ code: "CANCELLED", cause: { message: "stop" } });
  });

  test("a part that comes in the very tick of the abort is not written [G11]", async () => {
    const abort = new AbortController();
    const pull = (controller: ReadableStreamDefaultController<LanguageModelV3StreamPart>) => {
      controller.enqueue({ type: "text-delta", id: "1", delta: "late" });
      abort.abort(new Error("stop"));
      return new Promise<void>(() => {});
    };
    const doStream = async () => ({ stream: new ReadableStream({ pull }, { highWaterMark: 0 }) });
    const turn = createTurnSink();
    const node = createModelNode({ models: [{ ...oddModel({ parts: [] }), doStream }], clock: systemClock });
    const running = node.run({ messages: HELLO, tools: [], writer: turn.writer, signal: abort.signal });
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
    expect(turn.events.map(({ type }) => type)).toEqual(["metrics"]);
  });

  test("a stream that is opened after the cancel is closed when it comes [G11]", async () => {
    let cancelled = false;
    let open = () => {};
    const opensAfter = new Promise<void>((resolve) => (open = resolve));
    const { abort, running } = play([text("a")], { opensAfter, onCancel: () => (cancelled = true) });
    abort.abort(new Error("stop"));
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
    open();
    await expect.poll(() => cancelled).toBe(true);
  });

  test("a deadline arrives as the signal's reason and stays the cause [C-24]", async () => {
    const { abort, running } = play([text("a")], { end: "hang" });
    const deadline = new Error("took too long");
    abort.abort(deadline);
    await expect(running).rejects.toMatchObject({ code: "CANCELLED", cause: deadline });
  });

  test("a step that was cancelled before it began calls nobody and costs nothing [G9]", async () => {
    const turn = createTurnSink();
    const node = createModelNode({ models: [oddModel({ parts: [finish()] })], clock: systemClock });
    const signal = AbortSignal.abort(new Error("stop"));
    const running = node.run({ messages: HELLO, tools: [], writer: turn.writer, signal });
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
    expect(turn.events).toEqual([]);
  });

  test("a signal that outlives many steps keeps no listener of them", async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
      listeners.add(given[1]);
      addEventListener.apply(signal, given);
    };
    signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
      listeners.delete(given[1]);
      removeEventListener.apply(signal, given);
    };
    const words = Array.from({ length: 300 }, () => text("word "));
    for (const parts of [[...words, finish()], [text("a")], [null], [{ type: "error", error: "x" }]]) {
      const node = createModelNode({ models: [oddModel({ parts })], clock: systemClock });
      await node.run({ messages: HELLO, tools: [], writer: createTurnSink().writer, signal }).catch(() => undefined);
      expect(listeners.size).toBe(0);
    }
  });
});

describe("what a node is made of", () => {
  const ok = oddModel({ parts: [finish()] });

  test.each([
    ["no model", []],
    ["too many models", Array.from({ length: 9 }, () => ok)],
    ["a model of another version", [{ ...ok, specificationVersion: "v2" }]],
    ["nothing where a model belongs", [undefined]],
    ["a model without an id", [{ ...ok, modelId: "" }]],
    ["a model with an endless id", [{ ...ok, modelId: "x".repeat(257) }]],
  ])("a node with %s is refused when it is built", (_, models) => {
    const build = () => createModelNode({ models: models as unknown as [LanguageModelV3], clock: systemClock });
    expect(build).toThrow(expect.objectContaining({ code: "INVALID_AGENT" }));
  });

  test("the time to the first token is measured on the given clock, and never below zero [R-6-3]", async () => {
    const clock = manualClock();
    let open = () => {};
    const opensAfter = new Promise<void>((resolve) => (open = resolve));
    const { turn, running } = start(oddModel({ parts: [text("a"), finish()], opensAfter }), { clock });
    clock.advance(321);
    open();
    await running;
    expect(turn.metrics()).toMatchObject([{ ttft_ms: 321 }]);
    let calls = 0;
    const backwards: Clock = { now: () => 1_000 - 10 * calls++, schedule: () => () => {} };
    const second = start(oddModel({ parts: [text("a"), finish()] }), { clock: backwards });
    await second.running;
    expect(second.turn.metrics()).toMatchObject([{ ttft_ms: 0 }]);
  });

  test.each([
    ["text", text("a")],
    ["log", { type: "hologram" }],
  ])("what a writer throws from %s is not taken for a failure of the model [G7]", async (type, part) => {
    const turn = createTurnSink();
    const sink = sinkOf(turn.writer);
    let refused = false;
    const accept: typeof sink.accept = (event, emitter) => {
      if (event.type === type && !refused) {
        refused = true;
        throw new RangeError("a tap failed");
      }
      sink.accept(event, emitter);
    };
    const spare = oddModel({ id: "spare", parts: [finish()] });
    const node = createModelNode({ models: [oddModel({ parts: [part, finish()] }), spare], clock: systemClock });
    const writer = createWriter({ accept, ready: () => sink.ready() }, turn.writer.emitter);
    const running = node.run({ messages: HELLO, tools: [], writer, signal: new AbortController().signal });
    await expect(running).rejects.toThrow(RangeError);
    expect(turn.metrics().map(({ model }) => model)).toEqual(["odd"]);
  });

  test("a prompt that is no JSON does not cost the call its metrics event [R-6-5]", async () => {
    const output = { type: "json", value: 1n as unknown as number } as const;
    const messages: LanguageModelV3Prompt = [
      ...HELLO,
      { role: "tool", content: [{ type: "tool-result", toolCallId: "call_1", toolName: "search", output }] },
    ];
    const { turn, running } = start(oddModel({ parts: [] }), { messages });
    await expect(running).rejects.toMatchObject({ code: "MODEL_FAILED" });
    expect(turn.metrics()).toHaveLength(1);
  });
});
