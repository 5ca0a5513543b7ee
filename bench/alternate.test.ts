import { expect, test } from "vitest";
import { alternate, median, percentile } from "./alternate.js";

test("every round measures every variant once, in an order that changes, after one warm-up each", async () => {
  const asked: string[] = [];
  const variants = ["a", "b", "c"].map((name) => ({ name, run: () => 0 }));
  const measured = await alternate(variants, {
    rounds: 2,
    times: 4,
    framesPerTime: 5,
    warmUpTimes: 9,
    async measure({ name }, times) {
      asked.push(`${name}${times}`);
      return name === "b" ? 4_000 : 2_000;
    },
  });
  expect(asked).toEqual(["a9", "b9", "c9", "a4", "b4", "c4", "b4", "c4", "a4"]);
  expect(measured.map(({ cpuNs, ratio }) => [cpuNs, ratio])).toEqual([
    [100, 1],
    [200, 2],
    [100, 1],
  ]);
});

test("where rounds have a length, a cheap variant works more often in one than a dear one", async () => {
  const asked: string[] = [];
  const variants = ["cheap", "dear"].map((name) => ({ name, run: () => 0 }));
  const measured = await alternate(variants, {
    ...{ rounds: 1, times: 10, roundCpuMs: 100, framesPerTime: 1, warmUpTimes: 1 },
    async measure({ name }, times) {
      asked.push(`${name} ${times}`);
      return times * (name === "cheap" ? 1e6 : 20e6);
    },
  });
  expect(asked).toEqual(["cheap 1", "cheap 10", "dear 1", "dear 10", "cheap 100", "dear 10"]);
  expect(measured.map(({ ratio }) => ratio)).toEqual([1, 20]);
});

test("a percentile is a value that was measured, and the last one is the largest", () => {
  const values = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([0, 0.5, 0.95, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 50, 95, 99, 100]);
  expect(percentile([7], 0.5)).toBe(7);
  expect(median([3, 1, 2, 4])).toBe(2.5);
});
