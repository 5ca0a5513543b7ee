import { getEventListeners, once } from "node:events";
import { FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { start, handClock as turnClock } from "../../dispatch/testing/turn-bench.js";
import { isIdleTimeout } from "../idle-timeout.js";
import { handClock } from "../testing/hand-clock.js";
import { keepContext, TURN } from "../testing/kept-context.js";
import type { Call } from "./testing/fake-upstream.js";
import { answerSse, SSE_TYPE, sse, startFakeUpstream } from "./testing/fake-upstream.js";
import type { UpstreamAgentOptions } from "./upstream-agent.js";
import { upstreamAgent } from "./upstream-agent.js";

const HELLO = { type: "text", content: "Hello" };
const DONE = { type: "end_stream", status: "success", total_duration_ms: 5 };

const agentAt = (url: string, options: Partial<UpstreamAgentOptions> = {}) =>
  upstreamAgent({ id: "shop", url, ...options });

/** Lets what is on its way arrive: the sockets are real, only the clock is not. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 2_000) throw new Error("it never came");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function failureOf(run: Promise<unknown>): Promise<FramerailError> {
  const error: unknown = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FramerailError)) throw new Error("the run did not fail as it must");
  return error;
}

const open = ({ response }: Call) => void response.writeHead(200, SSE_TYPE).write(sse([HELLO]));

const STOPS: { readonly [name: string]: (call: Call) => void } = {
  "that ends cleanly": ({ response }) => response.end(),
  "that is cut off": ({ response }) => response.destroy(),
  "in the middle of an event": ({ response }) => response.end('data: {"type":"completed"}\n'),
  "with a sentinel only": ({ response }) => response.end("data: [DONE]\n\n"),
};
for (const [name, end] of Object.entries(STOPS)) {
  test(`an answer ${name} without a terminal is a failure, never a success`, async () => {
    await using upstream = await startFakeUpstream(open);
    const context = keepContext();
    const run = failureOf(agentAt(upstream.url).run(TURN, context));
    await until(() => context.text() === "Hello");
    end(await upstream.called());
    const error = await run;
    expect(error).toMatchObject({ code: "UPSTREAM_FAILED", message: expect.stringContaining("broke off") });
    expect(error.message).not.toContain("127.0.0.1");
  });
}

test("the run ends with the terminal, and closes a service that goes on talking [C-23]", async () => {
  await using upstream = await startFakeUpstream(({ response }) => {
    response.writeHead(200, SSE_TYPE).write(sse([HELLO, DONE, { type: "text", content: "late" }]));
  });
  const context = keepContext();
  expect(await agentAt(upstream.url).run(TURN, context)).toEqual({ kind: "completed" });
  expect(context.text()).toBe("Hello");
  await (await upstream.called()).closed;
});

for (const [status, code] of [
  [429, "RATE_LIMITED"],
  [500, "UPSTREAM_FAILED"],
  [401, "UPSTREAM_FAILED"],
  [204, "UPSTREAM_FAILED"],
] as const) {
  test(`an answer with status ${status} fails with ${code}, and its body is not read`, async () => {
    await using upstream = await startFakeUpstream(({ response }) => {
      response.writeHead(status, SSE_TYPE);
      if (status === 204) response.end();
      else response.write(sse([{ type: "text", content: "s3cret" }]));
    });
    const context = keepContext();
    const error = await failureOf(agentAt(upstream.url).run(TURN, context));
    expect(error).toMatchObject({ code, message: expect.stringContaining(String(status)) });
    expect(context.events).toEqual([]);
    await (await upstream.called()).closed;
  });
}

for (const type of ["text/html", "event-stream", "", undefined]) {
  test(`a content type of ${JSON.stringify(type)} is a failed upstream`, async () => {
    await using upstream = await startFakeUpstream(({ response }) => {
      response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(sse([HELLO, DONE]));
    });
    expect(await failureOf(agentAt(upstream.url).run(TURN, keepContext()))).toMatchObject({ code: "UPSTREAM_FAILED" });
  });
}

test("a service that cannot be reached is a failed upstream whose address stays inside", async () => {
  const upstream = await startFakeUpstream(answerSse([DONE]));
  await upstream[Symbol.asyncDispose]();
  const error = await failureOf(agentAt(upstream.url).run(TURN, keepContext()));
  expect(error).toMatchObject({ code: "UPSTREAM_FAILED", message: "the upstream agent cannot be reached" });
});

test("a service that switches to another protocol is a failed upstream at once", async () => {
  await using upstream = await startFakeUpstream(({ response }) => {
    response.socket?.end("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n");
  });
  const error = await failureOf(agentAt(upstream.url, { idleTimeoutMs: 2_000 }).run(TURN, keepContext()));
  expect(error).toMatchObject({ code: "UPSTREAM_FAILED" });
});

test("an event over the decoder's maximum ends the turn and the request", async () => {
  await using upstream = await startFakeUpstream(({ response }) => {
    response.writeHead(200, SSE_TYPE).write(`data: ${"x".repeat(1_200_000)}`);
  });
  const error = await failureOf(agentAt(upstream.url).run(TURN, keepContext()));
  expect(error).toMatchObject({ code: "UPSTREAM_FAILED", cause: { code: "INPUT_TOO_LARGE" } });
  await (await upstream.called()).closed;
});

test("a cancel closes the service's socket at once and rejects with its own reason [W-CAN-1, C-21]", async () => {
  await using upstream = await startFakeUpstream(open);
  const context = keepContext();
  const run = failureOf(agentAt(upstream.url).run(TURN, context));
  await until(() => context.text() === "Hello");
  const began = performance.now();
  context.cancel();
  expect(await run).toBe(context.signal.reason);
  await (await upstream.called()).closed;
  expect(performance.now() - began).toBeLessThan(250);
});

test("a cancel also ends the wait for headers, and the wait for a writer that holds back [W-CAN-1]", async () => {
  await using silent = await startFakeUpstream(() => undefined);
  const waiting = keepContext();
  const run = failureOf(agentAt(silent.url).run(TURN, waiting));
  const call = await silent.called();
  waiting.cancel();
  expect(await run).toBe(waiting.signal.reason);
  await call.closed;

  await using upstream = await startFakeUpstream(open);
  const held = keepContext();
  held.hold = new Promise(() => undefined);
  const heldRun = failureOf(agentAt(upstream.url).run(TURN, held));
  await until(() => held.asked === 1);
  held.cancel();
  expect(await heldRun).toBe(held.signal.reason);
  await (await upstream.called()).closed;
});

test("whichever way a turn ends, no timer and no listener of it stays [W-CAN-1]", async () => {
  const clock = handClock();
  const answers = [answerSse([HELLO, DONE]), answerSse([{ type: "error", message: "no" }]), answerSse([HELLO])];
  for (const answer of answers) {
    await using upstream = await startFakeUpstream(answer);
    const context = keepContext();
    await agentAt(upstream.url, { clock })
      .run(TURN, context)
      .catch(() => undefined);
    expect([clock.waiting, getEventListeners(context.signal, "abort")]).toEqual([0, []]);
    await (await upstream.called()).closed;
  }
});

test("a turn that is cancelled before it starts sends nothing [W-CAN-1]", async () => {
  await using upstream = await startFakeUpstream(answerSse([DONE]));
  const context = keepContext();
  context.cancel();
  await expect(agentAt(upstream.url).run(TURN, context)).rejects.toBe(context.signal.reason);
  expect(upstream.calls).toHaveLength(0);
});

test("a service silent past the window is cancelled as idle, and its socket is closed [W-NFR-6, W-CAN-2]", async () => {
  await using upstream = await startFakeUpstream(open);
  const clock = handClock();
  const context = keepContext();
  const run = failureOf(agentAt(upstream.url, { clock, idleTimeoutMs: 700 }).run(TURN, context));
  await until(() => context.asked === 1);
  await until(() => clock.waiting === 1);
  clock.pass(699);
  expect(context.signal.aborted).toBe(false);
  clock.pass(1);
  const error = await run;
  expect(isIdleTimeout(error)).toBe(true);
  expect(error.code).toBe("CANCELLED");
  const call = await upstream.called();
  await call.closed;
  expect(clock.waiting).toBe(0);
});

test("the window counts while the service has not even answered, and is 60 s unless told [W-NFR-6, D-19]", async () => {
  await using upstream = await startFakeUpstream(() => undefined);
  const clock = handClock();
  const run = failureOf(agentAt(upstream.url, { clock }).run(TURN, keepContext()));
  const call = await upstream.called();
  clock.pass(59_999);
  // The window, and what tells the turn that it is waited for.
  expect(clock.waiting).toBe(2);
  clock.pass(1);
  expect(isIdleTimeout(await run)).toBe(true);
  await call.closed;
});

test("comments, heartbeats and unknown events are no sign of life; an event is one [C-23]", async () => {
  await using upstream = await startFakeUpstream(open);
  const clock = handClock();
  const context = keepContext();
  const run = failureOf(agentAt(upstream.url, { clock, idleTimeoutMs: 700 }).run(TURN, context));
  await until(() => context.asked === 1);
  const { response } = await upstream.called();
  clock.pass(600);
  response.write(sse([HELLO]));
  await until(() => context.asked === 2);
  clock.pass(600);
  // The notice about the unknown event shows that the comment before it was read.
  response.write(`: still here\n\n${sse([{ type: "ping" }])}`);
  await until(() => context.types().includes("log"));
  clock.pass(100);
  expect(isIdleTimeout(await run)).toBe(true);
  expect(context.text()).toBe("HelloHello");
});

test("a service that is silent for longer than a turn may be has the window that it was given [W-CAN-2] [D-19]", async () => {
  await using upstream = await startFakeUpstream(open);
  const clock = turnClock();
  const { turn, sink } = start(agentAt(upstream.url, { clock, idleTimeoutMs: 100_000 }), { clock });
  await until(() => sink.types().includes("text"));
  const { response } = await upstream.called();
  clock.pass(95_000);
  response.end(sse([HELLO, DONE]));
  expect(await turn.ended).toEqual({ kind: "completed" });
  expect(clock.waiting).toBe(0);

  const silent = start(agentAt(upstream.url, { clock, idleTimeoutMs: 100_000 }), { clock });
  await until(() => silent.sink.types().includes("text"));
  clock.pass(99_999);
  expect(silent.sink.types()).not.toContain("cancelled");
  clock.pass(1);
  expect(await silent.turn.ended).toEqual({ kind: "cancelled", code: "IDLE_TIMEOUT" });
  expect(clock.waiting).toBe(0);
});

test("the service's silence is not counted while the writer holds it back [D-6]", async () => {
  await using upstream = await startFakeUpstream(open);
  const clock = handClock();
  const context = keepContext();
  const gate = new AbortController();
  context.hold = once(gate.signal, "abort").then(() => undefined);
  const run = agentAt(upstream.url, { clock, idleTimeoutMs: 700 }).run(TURN, context);
  await until(() => context.asked === 1);
  expect(clock.waiting).toBe(0);
  clock.pass(10_000);
  context.hold = undefined;
  gate.abort();
  await until(() => clock.waiting === 1);
  (await upstream.called()).response.end(sse([DONE]));
  expect(await run).toEqual({ kind: "completed" });
});

test("while the writer holds back no further bytes are taken from the service [D-6]", async () => {
  const piece = sse([{ type: "text", content: "x".repeat(10_000) }]);
  await using upstream = await startFakeUpstream(({ response }) => {
    response.writeHead(200, SSE_TYPE).write(piece.repeat(3_000));
  });
  const context = keepContext();
  context.hold = new Promise(() => undefined);
  const run = failureOf(agentAt(upstream.url).run(TURN, context));
  await until(() => context.asked === 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(context.events.length).toBeLessThan(100);
  expect((await upstream.called()).response.writableLength).toBeGreaterThan(0);
  context.cancel();
  await run;
});
