import fc from "fast-check";
import { expect, test } from "vitest";
import { createTimestamps, formatTimestamp, systemClock } from "./clock.js";

const clockAt = (times: number[]) => ({ ...systemClock, now: () => times.shift() as number });

test("a timestamp is UTC ISO-8601 with milliseconds and Z [W-EV-20]", () => {
  const stamp = createTimestamps(clockAt([Date.UTC(2026, 4, 15, 18), Date.UTC(2026, 4, 15, 18) + 7]));
  expect(stamp()).toBe("2026-05-15T18:00:00.000Z");
  expect(stamp()).toBe("2026-05-15T18:00:00.007Z");
});

test("timestamps equal the formatted time and never go back, whatever the clock does [W-EV-20]", () => {
  const epochMs = fc.integer({ min: 0, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(fc.array(epochMs, { minLength: 1 }), fc.array(fc.integer({ min: -1500, max: 1500 })), (far, near) => {
      const times = [...far, ...near.map((step) => (far[0] as number) + Math.abs(step))];
      const stamp = createTimestamps(clockAt([...times]));
      let latest = 0;
      for (const time of times) {
        latest = Math.max(latest, time);
        expect(stamp()).toBe(formatTimestamp(latest));
      }
    }),
  );
});

test("the system clock's schedule can be taken back", async () => {
  const fired: string[] = [];
  const takeBack = systemClock.schedule(1, () => fired.push("no"));
  takeBack();
  await new Promise<void>((resolve) => systemClock.schedule(5, resolve));
  takeBack();
  expect(fired).toEqual([]);
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
});
