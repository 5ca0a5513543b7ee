import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { FramerailError } from "@framerail/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish, oddModel, text, toolCall } from "./testing/odd-model.js";
import { play, settle, start } from "./testing/play.js";

describe("a stream that breaks the rules", () => {
  const reasoning = { type: "reasoning-delta", id: "1", delta: 7 };
  const inputStart = { type: "tool-input-start", id: "call_1", toolName: "search" };
  const inputDelta = { type: "tool-input-delta", id: "call_1", delta: "{}" };
  const broken: readonly [string, readonly unknown[], string][] = [
    ["has a part that is nothing", [null], "streamed something that is not a part"],
    ["has a part that is a string", ["text-delta"], "streamed something that is not a part"],
    ["has a part without a type", [{ delta: "a" }], "streamed something that is not a part"],
    ["has a text delta without text", [{ type: "text-delta", id: "1" }], "streamed a text delta that is not text"],
    ["has a reasoning delta of a number", [reasoning], "streamed a reasoning delta that is not text"],
    ["ends without a finish", [text("a")], "ended its stream without a finish"],
    ["is empty", [], "ended its stream without a finish"],
    ["finishes with an error", [finish(1, 1, "error")], "finished with an error"],
    ["finishes without a reason", [{ type: "finish" }], "finished without a reason"],
    ["calls a tool with a value", [toolCall({ query: "a" })], "streamed tool arguments that are not text"],
    ["calls a tool without an id", [toolCall("{}", "")], "called a tool without a usable id"],
    ["calls a tool without a name", [toolCall("{}", "call_1", "")], "called a tool without a usable name"],
    ["calls a tool with an endless id", [toolCall("{}", "x".repeat(1_025))], "called a tool without a usable id"],
    ["repeats a call", [toolCall("{}"), toolCall("{}")], "gave one id to two tool calls"],
    ["announces a call twice", [inputStart, inputStart], "gave one id to two tool calls"],
    ["renames a tool", [inputStart, toolCall("{}", "call_1", "other")], "renamed a tool in the middle of its call"],
    ["streams arguments of no call", [inputDelta], "streamed arguments of a tool call that is not open"],
    [
      "streams arguments after their call",
      [toolCall("{}"), inputDelta],
      "streamed arguments of a tool call that is not open",
    ],
    [
      "gives a result of our tool",
      [toolCall("{}"), { type: "tool-result", toolCallId: "call_1", toolName: "search", result: 1 }],
      "gave a result of a tool that it did not run",
    ],
  ];

  test.each(broken)("a stream that %s fails with a sentence that names the model", async (_, parts, says) => {
    const { turn, running } = play([...parts, ...(says.startsWith("ended") ? [] : [finish()])]);
    await expect(running).rejects.toMatchObject({ code: "MODEL_FAILED", message: `model odd ${says}` });
    expect(turn.metrics()).toHaveLength(1);
  });

  test("a stream that fails is closed behind us", async () => {
    let cancelled = false;
    const { running } = play([null], { end: "hang", onCancel: () => (cancelled = true) });
    await running.catch(() => undefined);
    expect(cancelled).toBe(true);
  });

  test("a provider that throws instead of rejecting is a failure like any other", async () => {
    const thrower: LanguageModelV3 = {
      ...oddModel({ parts: [] }),
      doStream() {
        throw new TypeError("no such host db.internal");
      },
    };
    const { turn, running } = start(thrower);
    await expect(running).rejects.toMatchObject({ code: "MODEL_FAILED", message: "model odd failed" });
    expect(turn.metrics()).toMatchObject([{ estimated: true }]);
  });

  test("an abort error that is not ours is a failure of the model", async () => {
    const { running } = play([{ type: "error", error: new DOMException("timed out", "AbortError") }]);
    await expect(running).rejects.toMatchObject({ code: "MODEL_FAILED" });
  });

  test("a rate limit is found behind the causes of an error, and a ring of causes ends the search [W-ERR-2]", async () => {
    const ring: { cause?: unknown } = {};
    ring.cause = ring;
    const limited = new Error("gave up", { cause: { statusCode: 429 } });
    await expect(play([{ type: "error", error: limited }]).running).rejects.toMatchObject({ code: "RATE_LIMITED" });
    await expect(play([{ type: "error", error: ring }]).running).rejects.toMatchObject({ code: "MODEL_FAILED" });
  });
});

test("whatever a model streams, a step ends with a clear code or an answer, and one metrics event [R-6-5]", async () => {
  const types = [
    ...["text-start", "text-delta", "text-end", "reasoning-start", "reasoning-delta", "reasoning-end", "raw", "file"],
    ...["tool-input-start", "tool-input-delta", "tool-input-end", "tool-call", "tool-result", "finish", "error", "new"],
  ];
  const anything = fc.oneof(fc.constantFrom("a", "b", "", "{}", "\ud83d"), fc.anything({ maxDepth: 1 }));
  const fields = ["id", "delta", "toolCallId", "toolName", "input", "result", "usage", "finishReason", "error"];
  const part = fc
    .tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...fields), anything))
    .map(([type, rest]) => ({ ...rest, type }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof({ weight: 9, arbitrary: part }, fc.anything())), async (parts) => {
      const { turn, running } = play([...parts, finish()]);
      const end = await running.then(
        () => "answered",
        (error: FramerailError) => error.code,
      );
      expect(["answered", "MODEL_FAILED", "RATE_LIMITED"]).toContain(end);
      expect(turn.metrics()).toHaveLength(1);
    }),
    { numRuns: 150 },
  );
});

describe("a stream that is odd but usable", () => {
  test("the first finish stands and what follows it is not looked at", async () => {
    const { turn, running } = play([text("a"), finish(3, 2), text("late"), finish(900, 900), null]);
    expect(await running).toMatchObject({ text: "a", usage: { input_tokens: 3, output_tokens: 2 } });
    await settle();
    expect(turn.contents("text")).toEqual(["a"]);
    expect(turn.metrics()).toHaveLength(1);
  });

  test("a part of an unknown type is passed over and told to operators once", async () => {
    const { turn, running } = play([{ type: "hologram" }, { type: "hologram" }, text("a"), finish()]);
    expect((await running).text).toBe("a");
    expect(turn.events.filter(({ type }) => type === "log")).toEqual([
      {
        type: "log",
        level: "warn",
        message: "model odd streamed a part of unknown type hologram, which is passed over",
      },
    ]);
  });

  test.each([
    ["missing", null],
    ["not a number", Number.NaN],
    ["negative", -5],
    ["a fraction", 1.5],
    ["infinite", Number.POSITIVE_INFINITY],
    ["a string", "12"],
  ])("a count that is %s is estimated and marked so [R-6-5, C-14]", async (_, count) => {
    const { turn, running } = play([text("12345678"), finish(count, count)]);
    const { usage } = await running;
    expect(usage).toMatchObject({ input_tokens: 2, output_tokens: 2, total_tokens: 4 });
    expect(turn.metrics()).toMatchObject([{ tokens: usage, estimated: true }]);
  });

  test("a finish without usage is estimated", async () => {
    const { turn, running } = play([text("1234"), { type: "finish", finishReason: { unified: "stop" } }]);
    expect((await running).usage.output_tokens).toBe(1);
    expect(turn.metrics()).toMatchObject([{ estimated: true }]);
  });

  test("more reasoning or cached tokens than the whole are not believed [C-14]", async () => {
    const usage = { inputTokens: { total: 5, cacheRead: 50 }, outputTokens: { total: 3, reasoning: 30 } };
    const { running } = play([text("a"), { type: "finish", usage, finishReason: { unified: "stop" } }]);
    expect((await running).usage).toMatchObject({ cached_tokens: 5, reasoning_tokens: 3, total_tokens: 8 });
  });

  test.each([
    ["that is not JSON", '{"query":', undefined, {}],
    ["with a key that swaps prototypes", '{"__proto__":{}}', undefined, {}],
    ["with half of a character", '{"query":"\\ud83d"}', undefined, {}],
    ["that is empty", "", {}, {}],
    ["that is an object", '{"query":"a"}', { query: "a" }, { query: "a" }],
    ["that is a number", "7", 7, {}],
    ["that is a list", "[1]", [1], {}],
    ["that is an object written twice", '"{}"', "{}", {}],
  ])(
    "a tool call with a text %s is given out for the loop to judge, and sent back as an object",
    async (_, input, value, sent) => {
      const { toolCalls, content } = await play([toolCall(input), finish()]).running;
      expect(toolCalls).toEqual([{ id: "call_1", name: "search", arguments: value, argumentsText: input }]);
      expect(content).toEqual([{ type: "tool-call", toolCallId: "call_1", toolName: "search", input: sent }]);
    },
  );

  test("arguments that come only as deltas make a call of their own", async () => {
    const delta = (part: string) => ({ type: "tool-input-delta", id: "call_9", delta: part });
    const { toolCalls } = await play([
      { type: "tool-input-start", id: "call_9", toolName: "search" },
      delta('{"query"'),
      delta(':"a"}'),
      { type: "tool-input-end", id: "call_9" },
      finish(),
    ]).running;
    expect(toolCalls).toMatchObject([{ id: "call_9", arguments: { query: "a" } }]);
  });

  test("a tool that the provider ran stands in the content, with its result, and is not ours to run", async () => {
    const { toolCalls, content } = await play([
      { ...toolCall("{}"), providerExecuted: true },
      { type: "tool-result", toolCallId: "call_1", toolName: "search", result: { hits: 2 } },
      finish(),
    ]).running;
    expect(toolCalls).toEqual([]);
    expect(content).toMatchObject([
      { type: "tool-call", toolCallId: "call_1", providerExecuted: true },
      { type: "tool-result", toolCallId: "call_1", output: { type: "json", value: { hits: 2 } } },
    ]);
  });

  test("a first look at such a result is not the result", async () => {
    const result = (fields: object) => ({ type: "tool-result", toolCallId: "call_1", toolName: "search", ...fields });
    const ran = { ...toolCall("{}"), providerExecuted: true };
    const early = result({ result: "early", preliminary: true });
    const both = await play([ran, result({ result: "whole", isError: true }), early, finish()]).running;
    expect(both.content.slice(1)).toMatchObject([{ output: { type: "error-json", value: "whole" } }]);
    expect((await play([ran, early, finish()]).running).content).toHaveLength(1);
  });

  test("what a provider wants back with its reasoning is kept, in the order in which parts began", async () => {
    const signature = { anthropic: { signature: "abc" } };
    const { content } = await play([
      { type: "reasoning-start", id: "1" },
      { type: "reasoning-delta", id: "1", delta: "Hm." },
      { type: "reasoning-end", id: "1", providerMetadata: signature },
      text("Yes.", "2"),
      { ...toolCall("{}"), providerMetadata: { google: { thoughtSignature: "x" } } },
      { type: "text-start", id: "3" },
      finish(),
    ]).running;
    expect(content).toMatchObject([
      { type: "reasoning", text: "Hm.", providerOptions: signature },
      { type: "text", text: "Yes." },
      { type: "tool-call", providerOptions: { google: { thoughtSignature: "x" } } },
    ]);
  });
});

describe("characters cut in half", () => {
  test("half of a surrogate pair waits for its other half [P-6]", async () => {
    const [high = "", low = ""] = "😀".split("");
    const { turn, running } = play([text(`a${high}`), text(low), text(high), text(`${low}b`), finish()]);
    expect((await running).text).toBe("a😀😀b");
    expect(turn.contents("text")).toEqual(["a", "😀", "😀b"]);
  });

  test("half of a pair whose other half never comes is written as a replacement character [P-6]", async () => {
    const { turn, running } = play([text("a\ud83d"), finish()]);
    expect((await running).text).toBe("a\ufffd");
    expect(turn.contents("text")).toEqual(["a", "\ufffd"]);
  });

  test("however a text is cut into deltas, the same well-formed text is written [P-6]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀", "🍕"), maxLength: 10 }),
        fc.nat(12),
        async (whole, at) => {
          const cut = [whole.slice(0, at), ...whole.slice(at).split("")];
          const { turn, running } = play([...cut.map((delta) => text(delta)), finish()]);
          expect((await running).text).toBe(whole);
          expect(turn.contents("text").join("")).toBe(whole);
          expect(turn.contents("text")).not.toContain("");
        },
      ),
      { numRuns: 60 },
    );
  });
});
