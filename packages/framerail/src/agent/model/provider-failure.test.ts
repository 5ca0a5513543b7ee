import { FramerailError } from "@framerail/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FakeOpenAi } from "./testing/fake-openai.js";
import { chunk, startFakeOpenAi, usageChunk } from "./testing/fake-openai.js";
import { startStep, thrownBy } from "./testing/provider-step.js";

const CLOSED_MS_MAX = 250;

let fake: FakeOpenAi;
beforeAll(async () => {
  fake = await startFakeOpenAi();
});
afterAll(() => fake.close());

test("a provider's 429 is RATE_LIMITED, and what it said is only the cause [W-ERR-2]", async () => {
  fake.answer("busy", { status: 429, error: { message: "org-secret over its limit", code: "rate_limit_exceeded" } });
  const error = await thrownBy(startStep(fake, ["busy"]).running);
  expect(error.code).toBe("RATE_LIMITED");
  expect(error.message).toBe("model busy refused for its rate limit");
  expect((error.cause as Error).message).toContain("org-secret");
});

test("a rate limit told in the middle of a stream is RATE_LIMITED too [W-ERR-2]", async () => {
  fake.answer("busy-later", {
    chunks: [chunk({ content: "So " }), { error: { message: "slow down", type: "rate_limit_error" } }],
  });
  const { turn, running } = startStep(fake, ["busy-later"]);
  expect((await thrownBy(running)).code).toBe("RATE_LIMITED");
  expect(turn.contents("text")).toEqual(["So "]);
});

test("a failed call still leaves one metrics event, estimated, that charges its input [R-6-5, G9]", async () => {
  fake.answer("broken", { status: 500, error: { message: "out of order" } });
  const { turn, running } = startStep(fake, ["broken"]);
  expect((await thrownBy(running)).code).toBe("MODEL_FAILED");
  const [metrics, ...others] = turn.metrics();
  expect(others).toEqual([]);
  expect(metrics).toMatchObject({ model: "broken", estimated: true });
  expect(metrics?.tokens.input_tokens).toBeGreaterThan(0);
  expect(metrics?.tokens.output_tokens).toBe(0);
  expect(metrics).not.toHaveProperty("ttft_ms");
});

test("a provider that tells no usage gets an estimate of a quarter of the characters [R-6-5]", async () => {
  fake.answer("silent-usage", { chunks: [chunk({ content: "x".repeat(40) }, "stop")] });
  const { turn, running } = startStep(fake, ["silent-usage"]);
  const { usage } = await running;
  expect(usage.output_tokens).toBe(10);
  expect(usage.input_tokens).toBeGreaterThan(10);
  expect(turn.metrics()).toMatchObject([{ estimated: true, tokens: usage }]);
});

test("a model that fails before it wrote anything is followed by the next, within the step [R-3.4-11]", async () => {
  fake.answer("broken", { status: 500, error: { message: "out of order" } });
  fake.answer("spare", {
    chunks: [chunk({ content: "Here." }, "stop"), usageChunk({ prompt_tokens: 9, completion_tokens: 2 })],
  });
  const reports: FramerailError[] = [];
  const { turn, running } = startStep(fake, ["broken", "spare"], { report: (failure) => reports.push(failure) });
  expect((await running).text).toBe("Here.");
  expect(turn.metrics()).toMatchObject([
    { model: "broken", estimated: true },
    { model: "spare", tokens: { input_tokens: 9, output_tokens: 2 } },
  ]);
  expect(reports).toMatchObject([{ code: "MODEL_FAILED", message: "model broken failed" }]);
  expect(turn.events.filter(({ type }) => type === "log")).toEqual([
    { type: "log", level: "warn", message: "model broken failed with MODEL_FAILED; model spare is asked" },
  ]);
});

test("a model that fails after it wrote something is followed by nobody [R-3.4-11]", async () => {
  fake.answer("breaks", { chunks: [chunk({ content: "So " }), { error: { message: "out of order" } }] });
  fake.answer("spare", { chunks: [chunk({ content: "Here." }, "stop")] });
  const asked = fake.requests.length;
  const { turn, running } = startStep(fake, ["breaks", "spare"]);
  expect((await thrownBy(running)).code).toBe("MODEL_FAILED");
  expect(turn.contents("text")).toEqual(["So "]);
  expect(fake.requests.slice(asked).map(({ model }) => model)).toEqual(["breaks"]);
  expect(turn.metrics()).toHaveLength(1);
});

test("when every model fails, the step fails as the last one did [R-3.4-11]", async () => {
  fake.answer("broken", { status: 500, error: { message: "out of order" } });
  fake.answer("busy", { status: 429, error: { message: "slow down" } });
  const { turn, running } = startStep(fake, ["broken", "busy"]);
  expect((await thrownBy(running)).code).toBe("RATE_LIMITED");
  expect(turn.metrics().map(({ model }) => model)).toEqual(["broken", "busy"]);
});

test("an abort in the middle of an answer closes the request within a quarter of a second [G11, C-21]", async () => {
  fake.answer("endless", { chunks: [chunk({ content: "Once upon" })], end: "hang" });
  const { turn, abort, running, request } = startStep(fake, ["endless", "spare"]);
  const { closedByClient } = await request();
  await expect.poll(() => turn.contents("text")).toEqual(["Once upon"]);
  const reason = new FramerailError("CANCELLED", "the turn was cancelled");
  const abortedAt = performance.now();
  abort.abort(reason);
  const error = await thrownBy(running);
  expect(error).toMatchObject({ code: "CANCELLED", cause: reason });
  expect((await closedByClient) - abortedAt).toBeLessThan(CLOSED_MS_MAX);
  // Not even the spare model is asked, and what was cut off is accounted for.
  expect(turn.metrics()).toMatchObject([{ model: "endless", estimated: true, tokens: { output_tokens: 3 } }]);
});

test("an abort before the first byte of an answer closes the request as fast [G11]", async () => {
  fake.answer("mute", { silent: true });
  const { turn, abort, running, request } = startStep(fake, ["mute", "spare"]);
  const { closedByClient } = await request();
  const abortedAt = performance.now();
  abort.abort(new FramerailError("DEADLINE_EXCEEDED", "the step took too long"));
  expect(await thrownBy(running)).toMatchObject({ code: "CANCELLED", cause: { code: "DEADLINE_EXCEEDED" } });
  expect((await closedByClient) - abortedAt).toBeLessThan(CLOSED_MS_MAX);
  expect(turn.metrics()).toMatchObject([{ estimated: true, tokens: { output_tokens: 0 } }]);
});

test.each([
  ["a line that is not JSON", ["data: {what\n\n"]],
  ["JSON of another shape", [{ hello: "world" }]],
  ["a page of HTML", ["<html><body>502 Bad Gateway</body></html>\n\n"]],
])("a model that streams garbage, %s, is a clear failure that names it", async (_, chunks) => {
  fake.answer("garbled", { chunks });
  const error = await thrownBy(startStep(fake, ["garbled"]).running);
  expect(error.code).toBe("MODEL_FAILED");
  expect(error.message).toBe("model garbled failed");
});

test.each([
  ["ends without the reason of its finish", "end"],
  ["is cut in the middle", "cut"],
] as const)("a stream that %s is a failure, not an answer [G1]", async (_, end) => {
  fake.answer("truncated", { chunks: [chunk({ content: "Half of" })], end });
  const { turn, running } = startStep(fake, ["truncated"]);
  expect((await thrownBy(running)).code).toBe("MODEL_FAILED");
  expect(turn.contents("text")).toEqual(["Half of"]);
  expect(turn.metrics()).toMatchObject([{ estimated: true }]);
});

test("a call that fails in the middle closes its request", async () => {
  fake.answer("stuck", { chunks: ["data: {what\n\n"], end: "hang" });
  const { running, request } = startStep(fake, ["stuck"]);
  const { closedByClient } = await request();
  await thrownBy(running);
  await closedByClient;
});

test("a finished answer leaves its connection open for the next call", async () => {
  fake.answer("plain", { chunks: [chunk({ content: "ok" }, "stop")] });
  const { running, request } = startStep(fake, ["plain"]);
  await running;
  const { socket } = await request();
  await startStep(fake, ["plain"]).running;
  expect(socket.destroyed).toBe(false);
});

test("no word of the provider reaches the events of a turn [G7]", async () => {
  fake.answer("leaky", { status: 500, error: { message: "sk-very-secret at db.internal" } });
  const { turn, running } = startStep(fake, ["leaky", "leaky"]);
  const error = await thrownBy(running);
  expect(JSON.stringify(turn.events) + error.message).not.toMatch(/secret|internal|127\.0\.0\.1/);
});
