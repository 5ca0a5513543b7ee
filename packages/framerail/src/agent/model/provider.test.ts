import { systemClock } from "@framerail/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createModelNode } from "./model-node.js";
import { createPriceTable } from "./price-table.js";
import type { FakeOpenAi } from "./testing/fake-openai.js";
import { chunk, startFakeOpenAi, usageChunk } from "./testing/fake-openai.js";
import { messages, startStep, tools } from "./testing/provider-step.js";
import { createTurnSink } from "./testing/turn-sink.js";

const toolDelta = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] });

let fake: FakeOpenAi;
beforeAll(async () => {
  fake = await startFakeOpenAi();
});
afterAll(() => fake.close());

test("text and reasoning are written as they come, and the step tells all of it [P-5, P-6]", async () => {
  fake.answer("plain", {
    chunks: [
      chunk({ role: "assistant", content: "" }),
      chunk({ reasoning_content: "The user is " }),
      chunk({ reasoning_content: "hungry." }),
      chunk({ content: "Two " }),
      chunk({ content: "" }),
      chunk({ content: "offers." }),
      chunk({}, "stop"),
      usageChunk({ prompt_tokens: 31, completion_tokens: 7 }),
    ],
  });
  const { turn, running } = startStep(fake, ["plain"]);
  const step = await running;
  expect(turn.contents("text")).toEqual(["Two ", "offers."]);
  expect(turn.contents("reasoning")).toEqual(["The user is ", "hungry."]);
  expect(step).toMatchObject({ text: "Two offers.", reasoning: "The user is hungry.", finishReason: "stop" });
  expect(step.toolCalls).toEqual([]);
  expect(step.content).toEqual([
    { type: "reasoning", text: "The user is hungry." },
    { type: "text", text: "Two offers." },
  ]);
});

test("the provider gets the prompt, the tools and the settings of the node", async () => {
  fake.answer("settings", { chunks: [chunk({ content: "ok" }, "stop")] });
  const { running, request } = startStep(fake, ["settings"], { settings: { temperature: 0.25, maxOutputTokens: 64 } });
  await running;
  expect((await request()).body).toMatchObject({
    messages: [{ role: "system" }, { role: "user", content: "What is on offer near me?" }],
    tools: [{ type: "function", function: { name: "search" } }],
    temperature: 0.25,
    max_tokens: 64,
    stream: true,
  });
});

test("tool calls whose arguments are streamed side by side are put together", async () => {
  fake.answer("tools", {
    chunks: [
      toolDelta(0, { id: "call_a", type: "function", function: { name: "search", arguments: '{"que' } }),
      toolDelta(1, { id: "call_b", type: "function", function: { name: "weather", arguments: "" } }),
      toolDelta(0, { function: { arguments: 'ry":"piz' } }),
      toolDelta(1, { function: { arguments: '{"city"' } }),
      toolDelta(0, { function: { arguments: 'za"}' } }),
      toolDelta(1, { function: { arguments: ':"Bern"}' } }),
      chunk({}, "tool_calls"),
      usageChunk({ prompt_tokens: 40, completion_tokens: 20 }),
    ],
  });
  const { turn, running } = startStep(fake, ["tools"]);
  const step = await running;
  expect(step.finishReason).toBe("tool-calls");
  expect(step.toolCalls).toEqual([
    { id: "call_a", name: "search", arguments: { query: "pizza" }, argumentsText: '{"query":"pizza"}' },
    { id: "call_b", name: "weather", arguments: { city: "Bern" }, argumentsText: '{"city":"Bern"}' },
  ]);
  expect(step.content).toMatchObject([
    { type: "tool-call", toolCallId: "call_a", toolName: "search", input: { query: "pizza" } },
    { type: "tool-call", toolCallId: "call_b", toolName: "weather", input: { city: "Bern" } },
  ]);
  // Whoever runs a tool says so; the model's wish alone is no event.
  expect(turn.events.map(({ type }) => type)).toEqual(["metrics"]);
});

test("the content of a step can be sent back with the results of its tools", async () => {
  fake.answer("first", {
    chunks: [
      chunk({ content: "Looking." }),
      toolDelta(0, { id: "call_a", function: { name: "search", arguments: "{}" } }),
      chunk({}, "tool_calls"),
    ],
  });
  const { content } = await startStep(fake, ["first"]).running;
  fake.answer("second", { chunks: [chunk({ content: "Found." }, "stop")] });
  const node = createModelNode({ models: [fake.model("second")], clock: systemClock });
  const output = { type: "json", value: { count: 2 } } as const;
  await node.run({
    messages: [
      ...messages,
      { role: "assistant", content },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "call_a", toolName: "search", output }] },
    ],
    tools,
    writer: createTurnSink().writer,
    signal: new AbortController().signal,
  });
  expect(fake.requests.at(-1)?.body.messages.slice(2)).toMatchObject([
    { role: "assistant", content: "Looking.", tool_calls: [{ id: "call_a", function: { name: "search" } }] },
    { role: "tool", tool_call_id: "call_a", content: '{"count":2}' },
  ]);
});

test("a call leaves one metrics event with the provider's five counters and its cost [R-6-1, R-6-3, R-6-4, C-14]", async () => {
  fake.answer("fake-large-2026-02-01", {
    chunks: [
      chunk({ content: "Hi" }, "stop"),
      usageChunk({
        prompt_tokens: 1_000,
        completion_tokens: 200,
        prompt_tokens_details: { cached_tokens: 400 },
        completion_tokens_details: { reasoning_tokens: 50 },
      }),
    ],
  });
  const prices = createPriceTable({
    currency: "USD",
    models: { "fake-large": { input: 2, output: 10, cached_input: 0.5 } },
  });
  const { turn, running } = startStep(fake, ["fake-large-2026-02-01"], { prices });
  const { usage } = await running;
  const tokens = {
    input_tokens: 1_000,
    output_tokens: 200,
    total_tokens: 1_200,
    reasoning_tokens: 50,
    cached_tokens: 400,
  };
  expect(usage).toEqual(tokens);
  const [metrics, ...others] = turn.metrics();
  expect(others).toEqual([]);
  expect(metrics).toMatchObject({ model: "fake-large-2026-02-01", tokens });
  expect(metrics?.cost).toBeCloseTo((600 * 2 + 400 * 0.5 + 200 * 10) / 1e6, 12);
  expect(metrics?.ttft_ms).toBeGreaterThanOrEqual(0);
  // No mark of an estimate, and no time of this machine: when it happened is for the ledger to say.
  expect(Object.keys(metrics ?? {}).sort()).toEqual(["cost", "model", "tokens", "total_ms", "ttft_ms", "type"]);
});
