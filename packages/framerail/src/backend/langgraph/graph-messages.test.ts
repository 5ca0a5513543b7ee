import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { handClock } from "../testing/hand-clock.js";
import { keepContext, TURN } from "../testing/kept-context.js";
import { fromLangGraph } from "./from-lang-graph.js";
import { callPieces, offerGraph } from "./testing/offer-graph.js";
import { fail, graphOf, only, play } from "./testing/play-graph.js";
import { ScriptedChatModel } from "./testing/scripted-chat-model.js";

const usage = (input_tokens: number, output_tokens: number) => ({
  usage_metadata: {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    input_token_details: { cache_read: 2 },
    output_token_details: { reasoning: 1 },
  },
});

const OFFERS_CALL = { id: "call_1", name: "search_offers", args: { query: "shoes" } };

test("a streaming model's tokens become text as they come", async () => {
  const model = new FakeListChatModel({ responses: ["Hello 😀"] });
  const graph = graphOf(async ({ messages }) => ({ messages: [await model.invoke(messages)] }));
  const played = await play(graph);
  expect(played.end).toEqual({ kind: "completed" });
  expect(played.text()).toBe("Hello 😀");
  expect(only(played, "text").length).toBeGreaterThan(4);
});

test("a tool's call, result and end come in order, paired by id, the call before its tool runs [W-MAP-3]", async () => {
  const order: string[] = [];
  const context = keepContext();
  const watch = tool(
    ({ query }: { query: string }) => {
      order.push(...context.types().filter((type) => type.startsWith("tool")));
      return Promise.resolve(`2 offers for ${query}`);
    },
    { name: "search_offers", description: "Finds offers", schema: z.object({ query: z.string() }) },
  );
  const model = new ScriptedChatModel(
    [{ content: "Let me see. " }, ...callPieces("call_1", "shoes")],
    [{ content: "Two offers." }],
  );
  const clock = handClock();
  const end = await fromLangGraph(offerGraph(model, [watch]).compile(), { id: "shop", clock }).run(TURN, context);
  expect(end).toEqual({ kind: "completed" });
  expect(order).toEqual(["tool_call"]);
  expect(context.events.filter(({ type }) => type !== "metrics")).toEqual([
    { type: "text", content: "Let me see. " },
    {
      type: "tool_call",
      tool_call_id: "call_1",
      tool_name: "search_offers",
      arguments: { query: "shoes" },
      timestamp: clock.now(),
    },
    { type: "tool_result", tool_call_id: "call_1", result: "2 offers for shoes", is_error: false, duration_ms: 0 },
    { type: "tool_call_end", tool_call_id: "call_1", tool_name: "search_offers" },
    { type: "text", content: "Two offers." },
  ]);
});

test("calls streamed side by side keep their own arguments and ends", async () => {
  const [first, second] = [callPieces("call_1", "shoes"), callPieces("call_2", "hats", 1)];
  const model = new ScriptedChatModel(
    first.flatMap((piece, index) => [piece, second[index] ?? { content: "" }]),
    [{ content: "Done." }],
  );
  const played = await play(offerGraph(model).compile());
  expect(only(played, "tool_call").map((call) => call.arguments)).toEqual([{ query: "shoes" }, { query: "hats" }]);
  expect(new Set(only(played, "tool_call_end").map(({ tool_call_id }) => tool_call_id))).toEqual(
    new Set(["call_1", "call_2"]),
  );
});

test("a tool that fails inside the graph is an error result, and the turn goes on", async () => {
  const broken = tool(() => Promise.reject(new Error("s3cret")), {
    name: "search_offers",
    description: "Fails",
    schema: z.object({ query: z.string() }),
  });
  const model = new ScriptedChatModel(callPieces("call_1", "shoes"), [{ content: "Sorry." }]);
  const played = await play(offerGraph(model, [broken]).compile());
  expect(played.end).toEqual({ kind: "completed" });
  expect(only(played, "tool_result")).toMatchObject([{ is_error: true }]);
  expect(only(played, "tool_call_end")).toHaveLength(1);
});

test("reasoning blocks become reasoning, in their place, and other roles stay inside", async () => {
  const thinking = [
    { type: "thinking", thinking: "Hm. " },
    { type: "reasoning", reasoning: "So." },
    { type: "text", text: "Yes" },
  ];
  const model = new ScriptedChatModel([{ content: thinking }, { content: "!" }]);
  const graph = graphOf(async ({ messages }) => ({
    messages: [await model.invoke(messages), new HumanMessage("not for the reader")],
  }));
  const played = await play(graph);
  expect(played.events.filter(({ type }) => type !== "metrics")).toEqual([
    { type: "reasoning", content: "Hm. " },
    { type: "reasoning", content: "So." },
    { type: "text", content: "Yes" },
    { type: "text", content: "!" },
  ]);
});

test("a copy that a node makes of its model's message is shown and counted once [G9]", async () => {
  const model = new ScriptedChatModel([{ content: "Two " }, { content: "offers.", ...usage(5, 2) }]);
  const graph = graphOf(async ({ messages }) => {
    const { content } = await model.invoke(messages);
    const copy = Object.assign(new AIMessage({ content, name: "shop" }), usage(5, 2));
    return { messages: [copy, new AIMessage("That is all.")] };
  });
  const played = await play(graph);
  expect(played.text()).toBe("Two offers.That is all.");
  expect(only(played, "metrics").map(({ tokens }) => tokens.total_tokens)).toEqual([7]);
});

test("a message that a node writes itself is shown once and costs nothing", async () => {
  const played = await play(graphOf(() => Promise.resolve({ messages: [new AIMessage("By hand")] })));
  expect(played.events).toEqual([{ type: "text", content: "By hand" }]);
});

test("a character cut in two by the model's stream is put together again", async () => {
  const model = new ScriptedChatModel([{ content: "a\ud83d" }, { content: "\ude00b" }, { content: "\ud83d" }]);
  const played = await play(graphOf(async ({ messages }) => ({ messages: [await model.invoke(messages)] })));
  expect(only(played, "text").map(({ content }) => content)).toEqual(["a", "😀b", "\ufffd"]);
});

test("each model call leaves one metrics event with the sum of its parts", async () => {
  const model = new ScriptedChatModel(
    [{ content: "", ...usage(10, 0) }, ...callPieces("call_1", "x"), { content: "", ...usage(0, 7) }],
    [{ content: "Done.", ...usage(20, 3), response_metadata: { model_name: "small-1" } }],
  );
  const played = await play(offerGraph(model).compile());
  const metrics = only(played, "metrics");
  expect(metrics.map(({ tokens, model: name, estimated }) => [name, tokens.total_tokens, estimated])).toEqual([
    ["shop", 17, undefined],
    ["small-1", 23, undefined],
  ]);
  expect(metrics[1]?.tokens).toEqual({
    input_tokens: 20,
    output_tokens: 3,
    total_tokens: 23,
    reasoning_tokens: 1,
    cached_tokens: 2,
  });
});

test("models that one node calls at the same time keep their own calls, and leave one metrics event each [G9]", async () => {
  const gate = () => new Promise<void>((resolve) => setTimeout(resolve, 2));
  const asking = (id: string, query: string, cost: object) =>
    new ScriptedChatModel([...callPieces(id, query).flatMap((piece) => [piece, gate]), { content: "", ...cost }]);
  const models = [asking("call_1", "shoes", usage(10, 3)), asking("call_2", "hats", usage(20, 4))];
  const graph = graphOf(async ({ messages }) => ({
    messages: await Promise.all(models.map((model) => model.invoke(messages))),
  }));
  const played = await play(graph);
  expect(only(played, "metrics").map(({ tokens, estimated }) => [tokens.total_tokens, estimated])).toEqual([
    [13, undefined],
    [24, undefined],
  ]);
  expect(only(played, "tool_call").map((call) => call.arguments)).toEqual([{ query: "shoes" }, { query: "hats" }]);
});

test("counts and calls that a model does not stream are read from the whole message of its node [G9]", async () => {
  const model = new ScriptedChatModel(
    [{ content: "Let me see. " }, { content: "", tool_calls: [OFFERS_CALL], ...usage(10, 7), isUntold: true }],
    [
      { content: "Two offers.", ...usage(20, 1) },
      { content: "", ...usage(0, 2), isUntold: true },
    ],
  );
  const played = await play(offerGraph(model).compile());
  expect(only(played, "metrics").map(({ tokens, estimated }) => [tokens.total_tokens, estimated])).toEqual([
    [17, undefined],
    [23, undefined],
  ]);
  expect(played.types().filter((type) => type !== "metrics")).toEqual([
    "text",
    "tool_call",
    "tool_result",
    "tool_call_end",
    "text",
  ]);
  expect(only(played, "tool_call")).toMatchObject([{ tool_call_id: "call_1", arguments: { query: "shoes" } }]);
});

test("a model that tells no counts is accounted for by an estimate that says so", async () => {
  const model = new ScriptedChatModel([{ content: "12345678" }]);
  const played = await play(graphOf(async ({ messages }) => ({ messages: [await model.invoke(messages)] })));
  expect(only(played, "metrics")).toMatchObject([{ estimated: true, tokens: { output_tokens: 2, total_tokens: 2 } }]);
});

test("a tool answer to a call of an earlier turn opens and closes its pair in this one", async () => {
  const graph = graphOf(() =>
    Promise.resolve({
      messages: [
        new ToolMessage({ tool_call_id: "old", name: "search_offers", content: "2" }),
        new ToolMessage({ tool_call_id: "old", name: "search_offers", content: "again" }),
        new ToolMessage({ tool_call_id: "", content: "nobody asked" }),
      ],
    }),
  );
  const played = await play(graph);
  expect(played.types()).toEqual(["tool_call", "tool_result", "tool_call_end", "log"]);
});

test("a call whose message was cut off is not told, but its cost is", async () => {
  const model = new ScriptedChatModel([
    { content: "Well" },
    ...callPieces("call_1", "shoes").slice(0, 2),
    () => Promise.reject(new Error("gone")),
  ]);
  const context = keepContext();
  expect((await fail(offerGraph(model).compile(), context)).code).toBe("MODEL_FAILED");
  expect(context.types()).toEqual(["text", "metrics"]);
  expect(only(context, "metrics")).toMatchObject([{ estimated: true, tokens: { output_tokens: 2 } }]);
});
