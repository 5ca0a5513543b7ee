import { FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { handClock } from "../../dispatch/testing/turn-bench.js";
import { STREAMS_RETRY_S } from "./limits.js";
import { createRequestLimit, createStreamLimit, rateLimited, retryAfterOf } from "./rate-limit.js";

/** Seconds to wait, or 0 for what was let in. */
function waitOf(work: () => unknown): number | undefined {
  try {
    work();
    return 0;
  } catch (error) {
    expect(error).toMatchObject({ code: "RATE_LIMITED", retry: "same_call" });
    return retryAfterOf(error);
  }
}

test("a tenant may send a burst, and then as fast as its bucket fills [G8]", () => {
  const clock = handClock();
  const take = createRequestLimit({ clock, perSecond: 10, burst: 3 });
  const ask = () => waitOf(() => take("a"));
  expect([ask(), ask(), ask(), ask()]).toEqual([0, 0, 0, 1]);
  clock.pass(99);
  expect(ask()).toBe(1);
  clock.pass(1);
  expect([ask(), ask()]).toEqual([0, 1]);
  clock.pass(3_600_000);
  expect([ask(), ask(), ask(), ask()]).toEqual([0, 0, 0, 1]);
});

test("what a caller is told to wait is enough, and a clock set back gives nothing [G8]", () => {
  const clock = handClock();
  const take = createRequestLimit({ clock, perSecond: 0.25, burst: 1 });
  const ask = () => waitOf(() => take("a"));
  expect([ask(), ask()]).toEqual([0, 4]);
  clock.pass(-3_600_000);
  expect(ask()).toBe(4);
  clock.pass(4_000);
  expect(ask()).toBe(0);
});

test("one tenant's requests cost no other tenant anything [G8]", () => {
  const take = createRequestLimit({ clock: handClock(), perSecond: 1, burst: 1 });
  expect([waitOf(() => take("a")), waitOf(() => take("a")), waitOf(() => take("b"))]).toEqual([0, 1, 0]);
});

test("the buckets are bounded, and the one used longest ago goes first [G8]", () => {
  const take = createRequestLimit({ clock: handClock(), perSecond: 1, burst: 1, tenantsMax: 2 });
  const ask = (tenant: string) => waitOf(() => take(tenant));
  expect([ask("a"), ask("b"), ask("a"), ask("c")]).toEqual([0, 0, 1, 0]);
  expect([ask("a"), ask("b")]).toEqual([1, 0]);
});

test("a tenant has so many open streams and no more, and each end counts once [G8]", () => {
  const streams = createStreamLimit(2);
  const leave = streams.enter("a");
  streams.enter("a");
  expect(waitOf(() => streams.enter("a"))).toBe(STREAMS_RETRY_S);
  expect(waitOf(() => streams.enter("b"))).toBe(0);
  leave();
  leave();
  expect(streams.count("a")).toBe(1);
  expect(waitOf(() => streams.enter("a"))).toBe(0);
  expect(waitOf(() => streams.enter("a"))).toBe(STREAMS_RETRY_S);
});

test("only an error that knows says when to come again", () => {
  expect(retryAfterOf(rateLimited("later", 7))).toBe(7);
  for (const error of [
    new FramerailError("RATE_LIMITED", "later"),
    new Error("x"),
    { retryAfterSeconds: 1 },
    undefined,
  ])
    expect(retryAfterOf(error)).toBeUndefined();
});
