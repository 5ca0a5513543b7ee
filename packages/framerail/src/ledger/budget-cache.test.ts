import { describe, expect, test } from "vitest";
import { manualClock } from "../agent/model/testing/manual-clock.js";
import { createBudgetCache } from "./budget-cache.js";
import { BUDGET_CACHE_MAX, BUDGET_REFRESH_MS } from "./limits.js";

function bench(answer: boolean | Error = true) {
  const clock = manualClock();
  const asked: string[] = [];
  const state = { answer };
  const cache = createBudgetCache({
    clock,
    hasRoom: async (orgId, agentId) => {
      asked.push(`${orgId}/${agentId}`);
      if (state.answer instanceof Error) throw state.answer;
      return state.answer;
    },
  });
  return { clock, asked, state, cache };
}

const EXHAUSTED = { code: "BUDGET_EXHAUSTED" };

describe("the cached counter of a budget", () => {
  test("refuses at 100 percent without asking the store, and asks again after 30 seconds [R-6-8]", async () => {
    const { clock, asked, state, cache } = bench(false);
    await expect(cache.requireRoom("o", "a")).rejects.toMatchObject(EXHAUSTED);
    state.answer = true;
    clock.advance(BUDGET_REFRESH_MS - 1);
    for (let calls = 0; calls < 5; calls += 1) {
      await expect(cache.requireRoom("o", "a")).rejects.toMatchObject(EXHAUSTED);
    }
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await cache.requireRoom("o", "a");
    expect(asked).toHaveLength(2);
  });

  test("lets calls through for as long, too, and then sees that the budget is used up [R-6-8]", async () => {
    const { clock, asked, state, cache } = bench(true);
    await cache.requireRoom("o", "a");
    state.answer = false;
    clock.advance(BUDGET_REFRESH_MS - 1);
    await cache.requireRoom("o", "a");
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await expect(cache.requireRoom("o", "a")).rejects.toMatchObject(EXHAUSTED);
  });

  test("is one per tenant and agent, and is forgotten for a tenant whose budget was changed [R-6-8]", async () => {
    const { asked, cache } = bench();
    for (const [org, agent] of [
      ["o", "a"],
      ["o", "b"],
      ["p", "a"],
      ["o", "a"],
    ] as const) {
      await cache.requireRoom(org, agent);
    }
    expect(asked).toEqual(["o/a", "o/b", "p/a"]);
    cache.forget("o");
    await cache.requireRoom("o", "a");
    await cache.requireRoom("p", "a");
    expect(asked).toEqual(["o/a", "o/b", "p/a", "o/a"]);
  });

  test("asks the store once for many who ask at the same time", async () => {
    const { asked, cache } = bench(false);
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => cache.requireRoom("o", "a")));
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
    expect(asked).toHaveLength(1);
  });

  test("tells of a failed question and does not remember it", async () => {
    const { asked, state, cache } = bench(new Error("away"));
    await expect(cache.requireRoom("o", "a")).rejects.toThrow("away");
    state.answer = true;
    await cache.requireRoom("o", "a");
    expect(asked).toHaveLength(2);
  });

  test("is stale when the clock was set back", async () => {
    const { clock, asked, cache } = bench();
    await cache.requireRoom("o", "a");
    clock.advance(-1);
    await cache.requireRoom("o", "a");
    expect(asked).toHaveLength(2);
  });

  test("keeps a bounded number, and lets go first of what nobody has asked for longest", async () => {
    const { asked, cache } = bench();
    await cache.requireRoom("kept", "a");
    await cache.requireRoom("dropped", "a");
    for (let index = 2; index < BUDGET_CACHE_MAX; index += 1) await cache.requireRoom(`o${index}`, "a");
    await cache.requireRoom("kept", "a");
    await cache.requireRoom("one more", "a");
    asked.length = 0;
    await cache.requireRoom("kept", "a");
    await cache.requireRoom("dropped", "a");
    expect(asked).toEqual(["dropped/a"]);
  });
});
