import type { FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { keepContext, TURN } from "../testing/kept-context.js";
import { answerSse, NDJSON_TYPE, ndjson, SSE_TYPE, sse, startFakeUpstream } from "./testing/fake-upstream.js";
import type { UpstreamAgentOptions } from "./upstream-agent.js";
import { upstreamAgent } from "./upstream-agent.js";

const DONE = { type: "end_stream", status: "success", total_duration_ms: 5 };

test("the message, the ids and the history are posted as JSON with the operator's headers", async () => {
  await using upstream = await startFakeUpstream(answerSse([DONE]));
  const agent = upstreamAgent({ id: "shop", url: upstream.url, headers: { Authorization: "Bearer k", Accept: "x/y" } });
  expect(await agent.run(TURN, keepContext())).toEqual({ kind: "completed" });
  const { method, headers, body } = await upstream.called();
  expect(method).toBe("POST");
  expect(headers).toMatchObject({
    authorization: "Bearer k",
    accept: "text/event-stream, application/x-ndjson",
    "content-type": "application/json",
    // One connection for one turn: a kept one may be closed by the service in the moment it is used again.
    connection: "close",
  });
  expect(JSON.parse(body)).toEqual({
    message: TURN.message,
    turn_id: "turn_1",
    conversation_id: "conv_1",
    history: TURN.history,
  });
});

test("an operator shapes the request's body with the turn and its principal", async () => {
  await using upstream = await startFakeUpstream(answerSse([DONE]));
  const body: UpstreamAgentOptions["body"] = ({ message }, { user_id }) => ({ q: message, user_id });
  await upstreamAgent({ id: "shop", url: upstream.url, body }).run(TURN, keepContext());
  expect(JSON.parse((await upstream.called()).body)).toEqual({ q: TURN.message, user_id: "user_1" });
});

for (const [name, lineEnd] of [
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
] as const) {
  test(`an SSE answer whose lines end with ${name} is relayed event by event`, async () => {
    const events = [{ type: "text", content: "Two " }, { type: "text", content: "offers\u2028" }, DONE];
    await using upstream = await startFakeUpstream(answerSse(events, lineEnd));
    const context = keepContext();
    expect(await upstreamAgent({ id: "shop", url: upstream.url }).run(TURN, context)).toEqual({ kind: "completed" });
    expect(context.events).toEqual(events.slice(0, 2));
  });
}

test("an NDJSON answer is read, its empty lines and a missing last line end included", async () => {
  await using upstream = await startFakeUpstream(({ response }) => {
    response.writeHead(200, NDJSON_TYPE).end(`${ndjson([{ type: "text", content: "a" }])}\n${JSON.stringify(DONE)}`);
  });
  const context = keepContext();
  expect(await upstreamAgent({ id: "shop", url: upstream.url }).run(TURN, context)).toEqual({ kind: "completed" });
  expect(context.text()).toBe("a");
});

test("a format that the operator names is read whatever the content type says", async () => {
  await using upstream = await startFakeUpstream(({ response }) => {
    response.writeHead(200, { "content-type": "text/plain" }).end(ndjson([{ type: "text", content: "a" }, DONE]));
  });
  const context = keepContext();
  await upstreamAgent({ id: "shop", url: upstream.url, format: "ndjson" }).run(TURN, context);
  expect(context.text()).toBe("a");
});

test("the platform's own fetch can stand in for the built-in transport", async () => {
  await using upstream = await startFakeUpstream(({ response }) => {
    response.writeHead(200, SSE_TYPE).write(sse([{ type: "text", content: "a" }, DONE]));
  });
  const context = keepContext();
  expect(await upstreamAgent({ id: "shop", url: upstream.url, fetch }).run(TURN, context)).toEqual({
    kind: "completed",
  });
  expect(context.text()).toBe("a");
  await (await upstream.called()).closed;
});

test("a header of the operator does not change what the protocol needs, however it is spelt", async () => {
  await using upstream = await startFakeUpstream(answerSse([DONE]));
  const headers = { ACCEPT: "x/y", "Content-Type": "text/plain" };
  await upstreamAgent({ id: "shop", url: upstream.url, headers, fetch }).run(TURN, keepContext());
  expect((await upstream.called()).headers).toMatchObject({
    accept: "text/event-stream, application/x-ndjson",
    "content-type": "application/json",
  });
});

test("an answer without a body is a failed upstream", async () => {
  const empty = () => Promise.resolve({ status: 200, headers: new Headers(SSE_TYPE), body: null });
  const run = upstreamAgent({ id: "shop", url: "https://agents.example/run", fetch: empty }).run(TURN, keepContext());
  await expect(run).rejects.toMatchObject({ code: "UPSTREAM_FAILED", message: expect.stringContaining("body") });
});

test("a redirect is not followed, so that headers with secrets go to no other host", async () => {
  await using other = await startFakeUpstream(answerSse([DONE]));
  await using upstream = await startFakeUpstream(({ response }) => {
    response.writeHead(307, { location: other.url, ...SSE_TYPE }).end();
  });
  for (const options of [{}, { fetch }]) {
    const run = upstreamAgent({ id: "shop", url: upstream.url, ...options }).run(TURN, keepContext());
    await expect(run).rejects.toMatchObject({ code: "UPSTREAM_FAILED" });
  }
  expect(other.calls).toHaveLength(0);
});

test("an agent that cannot work is refused when it is made, without a word of its secrets", () => {
  const whole = { id: "shop", url: "https://agents.example/run" };
  expect(upstreamAgent({ ...whole, emits: ["searching_offers"] }).manifest).toEqual({
    id: "shop",
    emitters: [{ id: "shop", emits: ["searching_offers"] }],
  });
  for (const options of [{ id: "x".repeat(256) }, { idleTimeoutMs: 1 }, { idleTimeoutMs: 2 ** 31 - 1 }])
    expect(() => upstreamAgent({ ...whole, ...options })).not.toThrow();
  const wrong: Partial<UpstreamAgentOptions>[] = [
    { id: "" },
    { id: "two words" },
    { id: "x".repeat(257) },
    { emits: ["Searching…"] },
    { url: "s3cret" },
    { url: "file:///s3cret" },
    { url: "https://user:s3cret@agents.example/" },
    { headers: { authorization: "s3cret\r\nx: y" } },
    { headers: { "s3cret\n": "" } },
    { format: "s3cret" as "sse" },
    { idleTimeoutMs: 0 },
    { idleTimeoutMs: 1.5 },
    { idleTimeoutMs: Number.NaN },
    { idleTimeoutMs: 2 ** 31 },
    { idleTimeoutMs: Number.POSITIVE_INFINITY },
  ];
  for (const options of wrong) {
    const error = catchError(() => upstreamAgent({ ...whole, ...options }));
    expect(error).toMatchObject({ code: "INVALID_AGENT" });
    expect(error.message).not.toContain("s3cret");
    expect(error.cause).toBeUndefined();
  }
});

function catchError(body: () => unknown): FramerailError {
  try {
    body();
  } catch (error) {
    return error as FramerailError;
  }
  throw new Error("nothing was thrown");
}
