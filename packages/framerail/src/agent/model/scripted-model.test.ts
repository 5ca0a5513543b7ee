import { getEventListeners } from "node:events";
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { systemClock } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { readScript } from "./read-script.js";
import type { Script } from "./script.js";
import { scriptedModel } from "./scripted-model.js";
import { manualClock } from "./testing/manual-clock.js";
import { settle, start } from "./testing/play.js";

const DEMO = `
model: demo
tokens_per_second: 20
steps:
  - when: { message_contains: "offers" }
    reasoning: I should search.
    tool_calls:
      - { name: search, arguments: { query: pizza } }
      - { name: weather }
  - when: { tool_result: search }
    text: Two offers are near you. 🍕🍕
    usage: { input_tokens: 120, output_tokens: 9, cached_tokens: 100 }
  - text: Ask me for offers.
`;

const ask = (text: string): LanguageModelV3Prompt => [{ role: "user", content: [{ type: "text", text }] }];
const script = (...steps: Script["steps"]): Script => ({ steps });

const fast = (given: Script) => scriptedModel({ script: given, clock: systemClock, speed: Number.POSITIVE_INFINITY });

describe("a scripted model", () => {
  test("it calls tools, and answers their results in the next call of the turn", async () => {
    const model = fast(readScript(DEMO, "demo.yaml"));
    const first = await start(model, { messages: ask("Any OFFERS?") }).running;
    expect(first).toMatchObject({ reasoning: "I should search.", finishReason: "tool-calls" });
    expect(first.toolCalls).toMatchObject([
      { name: "search", arguments: { query: "pizza" } },
      { name: "weather", arguments: {} },
    ]);
    const [call] = first.toolCalls;
    const output = { type: "json", value: 2 } as const;
    const second = await start(model, {
      messages: [
        ...ask("Any offers?"),
        { role: "assistant", content: [...first.content] },
        { role: "tool", content: [{ type: "tool-result", toolCallId: call?.id ?? "", toolName: "search", output }] },
      ],
    }).running;
    expect(second).toMatchObject({ text: "Two offers are near you. 🍕🍕", finishReason: "stop" });
    expect(second.usage).toMatchObject({ input_tokens: 120, output_tokens: 9, cached_tokens: 100 });
    expect((await start(model, { messages: ask("Hello") }).running).text).toBe("Ask me for offers.");
  });

  test("the same prompt gives the same answer with the same ids, and another prompt other ids", async () => {
    const idsOf = async (text: string) => {
      const { toolCalls } = await start(fast(readScript(DEMO, "demo.yaml")), { messages: ask(text) }).running;
      return toolCalls.map(({ id }) => id);
    };
    expect(await idsOf("offers")).toEqual(await idsOf("offers"));
    expect(new Set([...(await idsOf("offers")), ...(await idsOf("more offers"))]).size).toBe(4);
  });

  test("a call's number is counted within its turn", async () => {
    const model = fast(script({ call: 1, text: "one" }, { call: 2, text: "two" }));
    const answered: LanguageModelV3Prompt = [
      ...ask("a"),
      { role: "assistant", content: [{ type: "text", text: "x" }] },
    ];
    expect((await start(model, { messages: ask("a") }).running).text).toBe("one");
    expect((await start(model, { messages: answered }).running).text).toBe("two");
    expect((await start(model, { messages: [...answered, ...ask("b")] }).running).text).toBe("one");
  });

  test("a prompt that no step fits is a failure of the model", async () => {
    const { running } = start(fast(script({ call: 7, text: "never" })), { messages: ask("a") });
    await expect(running).rejects.toMatchObject({ code: "MODEL_FAILED", cause: { code: "INVALID_AGENT" } });
  });

  test("tokens come at the script's pace, times the speed, and cut no character", async () => {
    const clock = manualClock();
    const model = scriptedModel({
      script: { tokens_per_second: 10, token_length: 3, steps: [{ text: "ab🍕cdef" }] },
      clock,
      speed: 2,
    });
    const { turn, running } = start(model, { messages: ask("a"), clock });
    const seen: string[][] = [];
    for (let token = 0; token < 3; token += 1) {
      await settle();
      clock.advance(49);
      await settle();
      seen.push(turn.contents("text"));
      clock.advance(1);
      await settle();
    }
    expect(seen).toEqual([[], ["ab🍕"], ["ab🍕", "cde"]]);
    expect(await running).toMatchObject({ text: "ab🍕cdef", usage: { output_tokens: 3 } });
  });

  test("a late timer does not make the rest late", async () => {
    const clock = manualClock();
    const { turn } = start(scriptedModel({ script: script({ text: "x".repeat(40) }), clock }), {
      messages: ask("a"),
      clock,
    });
    await settle();
    clock.advance(1_000);
    await expect.poll(() => turn.contents("text").length).toBe(10);
  });

  test.each([
    [429, "RATE_LIMITED"],
    [500, "MODEL_FAILED"],
  ])("a step can fail with status %i before it says anything [W-ERR-2]", async (status, code) => {
    const { turn, running } = start(fast(script({ fail: { status } })), { messages: ask("a") });
    await expect(running).rejects.toMatchObject({ code });
    expect(turn.metrics()).toHaveLength(1);
  });

  test("a step can break off after some tokens", async () => {
    const { turn, running } = start(fast(script({ text: "abcdefgh", fail: { status: 503, after_tokens: 1 } })), {
      messages: ask("a"),
    });
    await expect(running).rejects.toMatchObject({ code: "MODEL_FAILED", cause: { statusCode: 503 } });
    expect(turn.contents("text")).toEqual(["abcd"]);
  });

  test.each([
    ["hangs", { text: "abcd", hang: true }],
    ["is in the middle of its answer", { text: "abcd".repeat(1_000) }],
  ])("an abort stops a model that %s at once and leaves no timer [G11]", async (_, step) => {
    const clock = manualClock();
    const { turn, abort, running } = start(scriptedModel({ script: script(step), clock }), {
      messages: ask("a"),
      clock,
    });
    await settle();
    clock.advance(20);
    await expect.poll(() => turn.contents("text")).toEqual(["abcd"]);
    await settle();
    abort.abort(new Error("stop"));
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
    expect(clock.pending).toBe(0);
    clock.advance(60_000);
    await settle();
    expect(turn.contents("text")).toEqual(["abcd"]);
  });

  test("its stream errors by its own signal, for callers that do not cancel it", async () => {
    const abort = new AbortController();
    const model = fast(script({ hang: true }));
    const { stream } = await model.doStream({ prompt: ask("a"), abortSignal: abort.signal });
    const reader = stream.getReader();
    await reader.read();
    const waiting = reader.read();
    abort.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
  });

  test("its stream leaves no timer behind when its reader cancels it", async () => {
    const clock = manualClock();
    const { stream } = await scriptedModel({ script: script({ text: "abcd" }), clock }).doStream({ prompt: ask("a") });
    const reader = stream.getReader();
    for (let part = 0; part < 2; part += 1) await reader.read();
    const waiting = reader.read();
    await settle();
    expect(clock.pending).toBe(1);
    await reader.cancel();
    expect(clock.pending).toBe(0);
    expect((await waiting).done).toBe(true);
  });

  test.each(["ends", "is cancelled"])("a stream that %s takes its listener off the signal [G11]", async (end) => {
    const { signal } = new AbortController();
    const { stream } = await fast(script({ text: "abcd" })).doStream({ prompt: ask("a"), abortSignal: signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    const reader = stream.getReader();
    if (end === "is cancelled") await reader.cancel();
    else while (!(await reader.read()).done);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test.each([0, -1, Number.NaN])("a speed of %d is refused", (speed) => {
    const build = () => scriptedModel({ script: script({ text: "a" }), clock: systemClock, speed });
    expect(build).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });
});
