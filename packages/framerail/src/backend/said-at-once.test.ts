// What is said at once by agents we did not write: more than the log takes in one tick, more than can be, ids a second time.

import { expect, test } from "vitest";
import { keepFrames, start, tick } from "../dispatch/testing/turn-bench.js";
import { graphOfItems, inLog, saysAtOnce } from "./testing/at-once.js";

test.each([
  [
    "a service, of a character that is six on the wire",
    saysAtOnce({ type: "token", text: "\u0085".repeat(500_000) }, { type: "completed" }),
  ],
  [
    "a service, as large as one event may be",
    saysAtOnce({ type: "token", text: "x".repeat(1_048_000) }, { type: "completed" }),
  ],
  [
    "a message of a graph",
    graphOfItems([[], "messages", [{ type: "ai", id: "m1", content: "x".repeat(3_000_000) }, {}]]),
  ],
  ["a node of a graph", graphOfItems([[], "custom", { type: "text", content: "x".repeat(3_000_000) }])],
])("a long text of %s is written at the pace of the log [D-6]", async (_, agent) => {
  const { turn, events } = start(agent, inLog());
  expect(await turn.ended).toEqual({ kind: "completed" });
  const length = events.reduce((sum, { event }) => sum + (event.type === "text" ? event.content.length : 0), 0);
  expect(length).toBeGreaterThan(499_999);
});

test("a cancel ends the wait for the log in the middle of a long text, and what was told of its cost is kept [W-CAN-1] [G9]", async () => {
  const tokens = { input_tokens: 1, output_tokens: 2, total_tokens: 3, reasoning_tokens: 0, cached_tokens: 0 };
  const text = "x".repeat(900_000);
  const graph = graphOfItems([
    [],
    "messages",
    [
      { type: "ai", id: "m1", content: text, usage_metadata: tokens },
      { ls_model_type: "chat", ls_model_name: "small-1" },
    ],
  ]);
  const service = saysAtOnce(
    { type: "token", text },
    { type: "metrics", model: "small-1", tokens },
    { type: "completed" },
  );
  for (const agent of [graph, service]) {
    const sink = { ...keepFrames(), ready: () => new Promise<void>(() => undefined) };
    const { turn, events } = start(agent, { sink });
    while (!events.some(({ event }) => event.type === "text")) await tick();
    turn.cancel();
    expect(await turn.ended).toEqual({ kind: "cancelled", code: "REQUEST_CANCELLED" });
    const told = events.map(({ event }) => event);
    expect(told).toContainEqual({ type: "metrics", model: "small-1", tokens });
    expect(told.filter(({ type }) => type === "text").length).toBeLessThan(4);
  }
});

test("what a service said before its failure, in the same chunk, is said", async () => {
  const { turn, sink } = start(saysAtOnce({ type: "token", text: "Hello" }, { type: "error", message: "no" }));
  expect(await turn.ended).toMatchObject({ kind: "failed" });
  expect(sink.types()).toEqual(["response_id", "text", "error"]);
});

test("more of a part than of the whole is not believed, whoever tells it [C-14] [G9]", async () => {
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15, reasoning_tokens: 50, cached_tokens: 900 };
  const believed = { ...usage, reasoning_tokens: 5, cached_tokens: 10 };
  const told = {
    usage_metadata: {
      ...{ input_tokens: 10, output_tokens: 5 },
      ...{ output_token_details: { reasoning: 50 }, input_token_details: { cache_read: 900 } },
    },
  };
  const metrics = { type: "metrics", model: "small-1", tokens: usage };
  const agents = [
    graphOfItems([[], "messages", [{ type: "ai", id: "m1", content: "x", ...told }, { ls_model_type: "chat" }]]),
    graphOfItems([[], "custom", metrics]),
    saysAtOnce(metrics, { type: "completed" }),
    saysAtOnce({ type: "usage", ...usage }, { type: "completed" }),
  ];
  for (const agent of agents) {
    const { turn, events } = start(agent);
    await turn.ended;
    const all = events.flatMap(({ event }) => (event.type === "metrics" ? [event.tokens] : []));
    expect(all).toEqual([believed]);
  }
});

test("what is left of a service's sum beyond its calls has no more of a part than of its whole [C-14] [G9]", async () => {
  const call = { input_tokens: 9, output_tokens: 4, total_tokens: 13, reasoning_tokens: 0, cached_tokens: 0 };
  const tokens_used = { prompt_tokens: 9, completion_tokens: 5, reasoning_tokens: 3 };
  const end = { type: "end_stream", status: "success", total_duration_ms: 1, tokens_used };
  const { turn, events } = start(saysAtOnce({ type: "metrics", model: "small-1", tokens: call }, end));
  await turn.ended;
  const left = events.map(({ event }) => event).filter((event) => event.type === "metrics" && event.model === "shop");
  expect(left).toMatchObject([{ tokens: { output_tokens: 1, reasoning_tokens: 1 } }]);
});

test("a service whose calls count from zero in every answer shows each of them [G6] [C-11]", async () => {
  const begin = (tool_name: string) => ({ type: "tool_call_start", tool_call_id: "call_0", tool_name });
  const result = { type: "tool_result", tool_call_id: "call_0", result: 1, is_error: false, duration_ms: 1 };
  const { turn, sink } = start(saysAtOnce(begin("search"), result, begin("book"), result, { type: "completed" }));
  expect(await turn.ended).toEqual({ kind: "completed" });
  const calls = sink
    .frames()
    .flatMap((frame) => ("tool_call" in frame ? [[frame.event_type, frame.tool_call.id, frame.tool_call.name]] : []));
  expect(calls).toEqual([
    ["tool_call", "call_0", "search"],
    ["tool_completed", "call_0", "search"],
    ["tool_call", "call_0~2", "book"],
    ["tool_completed", "call_0~2", "book"],
  ]);
});
