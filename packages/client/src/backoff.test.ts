import { describe, expect, test } from "vitest";
import { backoffMs } from "./backoff.js";
import { RETRY_MS_MAX, RETRY_MS_MIN } from "./limits.js";

const at = (attempt: number, more: { retryMs?: number; retryAfterMs?: number } = {}, chance = 1) =>
  backoffMs({ attempt, random: () => chance, ...more });

describe("the wait before another attempt", () => {
  test("doubles up to its maximum, and is never less than half of that [G8]", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 1_000].map((attempt) => at(attempt))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
    ]);
    expect(at(3, {}, 0)).toBe(2_000);
  });

  test("begins with what the stream names, within our bounds", () => {
    expect(at(1, { retryMs: 200 })).toBe(200);
    expect(at(1, { retryMs: 0 })).toBe(RETRY_MS_MIN);
    expect(at(1, { retryMs: Number.MAX_SAFE_INTEGER })).toBe(RETRY_MS_MAX);
  });

  test("is never shorter than the server asks for", () => {
    expect(at(1, { retryAfterMs: 45_000 })).toBe(45_000);
    expect(at(6, { retryAfterMs: 10 })).toBe(30_000);
  });
});
