// Agents we did not write on the whole path of a turn, from their first byte to the frames that a client sees.

import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { expect, test } from "vitest";
import { start } from "../dispatch/testing/turn-bench.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import { fromLangGraph } from "./langgraph/from-lang-graph.js";
import { callPieces, offerGraph } from "./langgraph/testing/offer-graph.js";
import { ScriptedChatModel } from "./langgraph/testing/scripted-chat-model.js";
import { handClock } from "./testing/hand-clock.js";
import type { UpstreamFetch } from "./upstream/http-transport.js";
import { answerSse, SSE_TYPE, sse, startFakeUpstream } from "./upstream/testing/fake-upstream.js";
import { upstreamAgent } from "./upstream/upstream-agent.js";

const HELLO = { type: "text", content: "Hello" };

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 2_000) throw new Error("it never came");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

test("a service in the other vocabulary reaches the client as frames of ours [W-MAP-1, W-MAP-2, W-MAP-3, W-MAP-4]", async () => {
  const tool = { tool_call_id: "c1", tool_name: "search", tool_type: "mcp" };
  await using upstream = await startFakeUpstream(
    answerSse([
      { type: "response_id", response_id: "theirs" },
      { type: "thinking" },
      { type: "cart_changed", secret: "s3cret" },
      { type: "tool_call_start", ...tool, arguments: { key: "s3cret" } },
      { type: "tool_result", tool_call_id: "c1", result: "s3cret", is_error: false, duration_ms: 1 },
      { type: "tool_call_end", tool_call_id: "c1", tool_name: "search" },
      { ...HELLO, version: "9", timestamp: "never", response_id: "theirs" },
      { type: "completed" },
      { type: "completed" },
    ]),
  );
  const { turn, sink, reports } = start(upstreamAgent({ id: "shop", url: upstream.url }));
  expect(await turn.ended).toEqual({ kind: "completed" });
  expect(sink.types()).toEqual(["response_id", "thinking", "tool_call", "tool_completed", "text", "completed"]);
  for (const frame of sink.frames()) expect(frame).toMatchObject({ version: "0.5", response_id: "turn_1" });
  expect(sink.frames()[2]).toMatchObject({
    event_type: "tool_call",
    tool_call: { id: "c1", name: "search", type: "mcp" },
  });
  expect(sink.wire()).not.toMatch(/s3cret|theirs|mcp_session|never/);
  expect(reports.filter(({ kind }) => kind === "violation")).toEqual([]);
});

test("a service that falls silent shows one idle cancellation, and its late end never [W-FR-9b, W-CAN-2, W-NFR-6, C-23]", async () => {
  await using upstream = await startFakeUpstream(({ response }) => {
    response.writeHead(200, SSE_TYPE).write(sse([HELLO]));
  });
  const clock = handClock();
  const { turn, sink } = start(upstreamAgent({ id: "shop", url: upstream.url, clock, idleTimeoutMs: 5_000 }), {
    clock,
  });
  await until(() => sink.types().includes("text"));
  const call = await upstream.called();
  // The turn's own deadline and silence, and the service's window.
  await until(() => clock.waiting === 3);
  clock.pass(5_000);
  // The service is not asked; it says its end in the very moment.
  call.response.write(sse([{ type: "text", content: "late" }, { type: "completed" }]));
  expect(await turn.ended).toEqual({ kind: "cancelled", code: "IDLE_TIMEOUT" });
  await call.closed;
  expect(sink.types()).toEqual(["response_id", "text", "cancelled"]);
  expect(sink.frames().at(-1)).toMatchObject({ error: { code: "IDLE_TIMEOUT" } });
});

test("a cancelled turn closes the service's socket and shows one cancellation [W-CAN-1]", async () => {
  await using upstream = await startFakeUpstream(({ response }) => {
    response
      .writeHead(200, SSE_TYPE)
      .write(sse([{ type: "tool_call_start", tool_call_id: "c1", tool_name: "search" }]));
  });
  const { turn, sink, failures } = start(upstreamAgent({ id: "shop", url: upstream.url }));
  await until(() => sink.types().includes("tool_call"));
  turn.cancel();
  expect(await turn.ended).toEqual({ kind: "cancelled", code: "REQUEST_CANCELLED" });
  await (await upstream.called()).closed;
  expect(sink.types()).toEqual(["response_id", "tool_call", "tool_completed", "cancelled"]);
  expect(failures).toEqual([]);
});

test("a service's own sum is accounted for once, and told once, beside its calls or without them [G9, W-EV-11, C-14]", async () => {
  const tokens = (input_tokens: number, output_tokens: number) => ({
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    reasoning_tokens: 0,
    cached_tokens: 0,
  });
  const sum = { type: "usage", ...tokens(9, 3) };
  const call = { type: "metrics", model: "small-1", tokens: tokens(5, 1) };
  const tokens_used = { prompt_tokens: 9, completion_tokens: 3, reasoning_tokens: 0 };
  const end = { type: "end_stream", status: "success", total_duration_ms: 1 };
  const rows: [object[], (string | number)[][]][] = [
    [[sum, end], [["shop", 12]]],
    [
      [{ ...sum, ...tokens(4, 1) }, call, sum, end],
      [
        ["small-1", 6],
        ["shop", 6],
      ],
    ],
    [
      [call, { ...call, tokens: tokens(4, 2) }, sum, end],
      [
        ["small-1", 6],
        ["small-1", 6],
      ],
    ],
    [[{ ...end, tokens_used }], [["shop", 12]]],
  ];
  for (const [events, expected] of rows) {
    await using upstream = await startFakeUpstream(answerSse([HELLO, ...events]));
    const turn = start(upstreamAgent({ id: "shop", url: upstream.url }));
    await turn.turn.ended;
    const told = turn.events.flatMap(({ event }) => (event.type === "metrics" ? [event] : []));
    expect(told.map((one) => [one.model, one.tokens.total_tokens])).toEqual(expected);
    expect(turn.sink.types()).toEqual(["response_id", "text", "usage", "completed"]);
    expect(turn.sink.frames()[2]).toMatchObject(tokens(9, 3));
  }
});

test("a service that is cut off after its sum has still told it [G9]", async () => {
  const usage = { input_tokens: 9, output_tokens: 3, total_tokens: 12, reasoning_tokens: 0, cached_tokens: 0 };
  await using upstream = await startFakeUpstream(answerSse([{ type: "usage", ...usage }]));
  const { turn, events } = start(upstreamAgent({ id: "shop", url: upstream.url }));
  expect(await turn.ended).toMatchObject({ kind: "failed" });
  expect(events.map(({ event }) => event)).toContainEqual({ type: "metrics", model: "shop", tokens: usage });
});

test("a service that says ten thousand things in one chunk is taken at the pace of the log [D-6]", async () => {
  const chunk = '{"type":"token","text":"a"}\n'.repeat(10_000);
  const body = Buffer.from(`${chunk}{"type":"completed"}\n`);
  const headers = new Headers({ "content-type": "application/x-ndjson" });
  const fetch: UpstreamFetch = () => Promise.resolve({ status: 200, headers, body: Readable.from([body]) });
  const turnId = randomUUID();
  const sink = createMemoryLog().open({ orgId: randomUUID(), turnId, epoch: 1 });
  const { turn } = start(upstreamAgent({ id: "shop", url: "https://agents.example/run", fetch }), { sink, turnId });
  expect(await turn.ended).toEqual({ kind: "completed" });
});

test("a failing service leaves no word of its own on the wire, but its sub-agent's name", async () => {
  const message = "ECONNREFUSED at /srv/s3cret";
  const rows = [
    [{ error_code: "RATE_LIMIT_ERROR" }, { code: "RATE_LIMIT_ERROR" }],
    [
      { error_code: "SUB_AGENT_FAILED", sub_agent_id: "flights" },
      { code: "SUB_AGENT_FAILED", sub_agent_id: "flights" },
    ],
    [{ error_code: "SUB_AGENT_FAILED", sub_agent_id: "at /srv/s3cret: 1" }, { code: "INTERNAL_ERROR" }],
  ];
  for (const [fields, error] of rows) {
    await using upstream = await startFakeUpstream(answerSse([{ type: "error", message, ...fields }]));
    const { turn, sink, failures } = start(upstreamAgent({ id: "shop", url: upstream.url }));
    expect(await turn.ended).toMatchObject({ kind: "failed", error });
    expect(sink.wire()).not.toMatch(/s3cret|ECONN/);
    expect(failures).toMatchObject([{ cause: message }]);
  }
});

test("a graph's turn is a whole one: text, a paired tool, usage and one end [W-MAP-3, W-SW-3]", async () => {
  const usage_metadata = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
  const model = new ScriptedChatModel(
    [{ content: "Wait. " }, ...callPieces("call_1", "s3cret")],
    [{ content: "Done.", usage_metadata }],
  );
  const { turn, sink, reports } = start(fromLangGraph(offerGraph(model).compile(), { id: "shop" }));
  expect(await turn.ended).toEqual({ kind: "completed" });
  expect(sink.types()).toEqual(["response_id", "text", "tool_call", "tool_completed", "text", "usage", "completed"]);
  expect(sink.wire()).not.toContain("s3cret");
  expect(reports.filter(({ kind }) => kind === "violation")).toEqual([]);

  const telling = new StateGraph(MessagesAnnotation)
    .addNode("only", (_, config) => {
      config.writer?.({ event_type: "searching_offers", tool_id: "s3cret" });
      return {};
    })
    .addEdge(START, "only")
    .compile();
  const told = start(fromLangGraph(telling, { id: "shop", emits: ["searching_offers"] }));
  await told.turn.ended;
  expect(told.sink.types()).toEqual(["response_id", "status", "completed"]);
  expect(told.sink.wire()).not.toMatch(/s3cret|tool_id/);
});
