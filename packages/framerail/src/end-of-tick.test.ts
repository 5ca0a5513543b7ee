import { setTimeout as sleep, setImmediate as tick } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBeat } from "./end-of-tick.js";

const APART_MS = 40;

test("what comes alone goes at the end of its tick, and what comes soon after it waits for the next beat [G8]", async () => {
  const beat = createBeat(APART_MS);
  const begun: number[] = [];
  const next = () => new Promise<void>((resolve) => beat(() => resolve(void begun.push(performance.now()))));
  const first = next();
  expect(begun).toHaveLength(0);
  await tick();
  await tick();
  expect(begun).toHaveLength(1);
  await first;
  await next();
  await sleep(APART_MS + 5);
  const third = next();
  await tick();
  await tick();
  expect(begun).toHaveLength(3);
  await third;
  const [one = 0, two = 0] = begun;
  // A timer counts whole milliseconds, and may come one early.
  expect(two - one).toBeGreaterThan(APART_MS - 2);
});
