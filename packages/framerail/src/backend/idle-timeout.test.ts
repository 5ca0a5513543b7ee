import { FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { createIdleTimer, IDLE_TIMEOUT, isIdleTimeout } from "./idle-timeout.js";
import { handClock } from "./testing/hand-clock.js";

function watch(windowMs: number) {
  const clock = handClock();
  const errors: FramerailError[] = [];
  return { clock, errors, timer: createIdleTimer(clock, windowMs, (error) => errors.push(error)) };
}

test("silence is told once, at the end of the window that was started last [W-CAN-2]", () => {
  const { clock, errors, timer } = watch(100);
  timer.start();
  clock.pass(60);
  timer.start();
  expect(clock.waiting).toBe(1);
  clock.pass(99);
  expect(errors).toEqual([]);
  clock.pass(1);
  expect(errors.map(isIdleTimeout)).toEqual([true]);
  expect(clock.waiting).toBe(0);
});

test("while it is stopped no silence is counted, and stopping twice is no mistake [D-6]", () => {
  const { clock, errors, timer } = watch(100);
  timer.start();
  timer.stop();
  timer.stop();
  clock.pass(1_000);
  expect([errors, clock.waiting]).toEqual([[], 0]);
});

test("only a cancellation with the mark of silence is one of silence [C-23]", () => {
  const errorOf = (cause: unknown) => new FramerailError("CANCELLED", "x", { cause });
  expect(isIdleTimeout(errorOf(IDLE_TIMEOUT))).toBe(true);
  expect(isIdleTimeout(errorOf(undefined))).toBe(false);
  expect(isIdleTimeout(new FramerailError("UPSTREAM_FAILED", "x", { cause: IDLE_TIMEOUT }))).toBe(false);
  expect(isIdleTimeout({ code: "CANCELLED", cause: IDLE_TIMEOUT })).toBe(false);
});
