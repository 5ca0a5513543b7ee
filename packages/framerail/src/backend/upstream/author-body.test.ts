import { FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { keepContext, TURN } from "../testing/kept-context.js";
import { answerSse, startFakeUpstream } from "./testing/fake-upstream.js";
import type { UpstreamAgentOptions } from "./upstream-agent.js";
import { upstreamAgent } from "./upstream-agent.js";

const DONE = { type: "end_stream", status: "success", total_duration_ms: 5 };
const agentAt = (url: string, body: UpstreamAgentOptions["body"]) =>
  upstreamAgent({ id: "shop", url, ...(body && { body }) });

test("a body may take its time, and what fails in it fails its turn alone", async () => {
  await using upstream = await startFakeUpstream(answerSse([DONE]));
  const later = async () => ({ token: await Promise.resolve(1) });
  expect(await agentAt(upstream.url, later).run(TURN, keepContext())).toEqual({ kind: "completed" });
  expect(upstream.calls.map(({ body }) => body)).toEqual(['{"token":1}']);
  const broken = new FramerailError("STORE_UNAVAILABLE", "no token");
  const rejects = () => Promise.reject(broken);
  const throws = () => {
    throw broken;
  };
  for (const body of [rejects, throws]) {
    await expect(agentAt(upstream.url, body).run(TURN, keepContext())).rejects.toBe(broken);
  }
  expect(upstream.calls).toHaveLength(1);
});

test("a cancel ends the wait for a body, and nothing is sent [W-CAN-1]", async () => {
  await using upstream = await startFakeUpstream(answerSse([DONE]));
  const context = keepContext();
  let fail = (_: Error) => {};
  const body = () => new Promise((_, reject) => (fail = reject));
  const run = agentAt(upstream.url, body).run(TURN, context);
  context.cancel();
  await expect(run).rejects.toBe(context.signal.reason);
  fail(new Error("too late to matter"));
  expect(upstream.calls).toHaveLength(0);
});
