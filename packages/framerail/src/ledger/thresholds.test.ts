import { describe, expect, test } from "vitest";
import { isSpent, thresholdsReached } from "./thresholds.js";

const percents = (settledTokens: number, tokenLimit: number, audited = 0) =>
  thresholdsReached({ settledTokens, tokenLimit }, audited).map(({ percent }) => percent);

describe("the marks of a budget", () => {
  test("are reached at 70, 90 and 100 percent and not one token before [R-6-7]", () => {
    expect([690, 699, 700, 890, 899, 900, 990, 999, 1_000, 1_500].map((used) => percents(used, 1_000))).toEqual([
      [],
      [],
      [70],
      [70],
      [70],
      [70, 90],
      [70, 90],
      [70, 90],
      [70, 90, 100],
      [70, 90, 100],
    ]);
    expect(thresholdsReached({ settledTokens: 10, tokenLimit: 10 }, 0).map(({ actionType }) => actionType)).toEqual([
      "budget_warning",
      "budget_critical",
      "budget_exhausted",
    ]);
  });

  test("that were audited are not reached again [R-EC-6]", () => {
    expect(percents(950, 1_000, 70)).toEqual([90]);
    expect(percents(2_000, 1_000, 100)).toEqual([]);
  });

  test("are exact for the largest counts, and a budget of nothing is spent from the start", () => {
    const limit = Number.MAX_SAFE_INTEGER;
    expect([percents(limit - 1, limit), percents(limit, limit)]).toEqual([
      [70, 90],
      [70, 90, 100],
    ]);
    expect(isSpent({ settledTokens: 0, tokenLimit: 0 })).toBe(true);
    expect(isSpent({ settledTokens: 9, tokenLimit: 10 })).toBe(false);
  });
});
