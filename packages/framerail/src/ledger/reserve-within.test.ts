import { describe, expect, test } from "vitest";
import { manualClock } from "../agent/model/testing/manual-clock.js";
import type { ReserveResult } from "./budgets.js";
import { RESERVE_RETRY_MS, RESERVE_WAIT_MS_MAX } from "./limits.js";
import { reserveWithin } from "./reserve-within.js";

const GRANTED: ReserveResult = { kind: "granted", reservationId: "r", granted: 1, held: true };
const HELD: ReserveResult = { kind: "exhausted", budgetId: "b", spent: false };
const SPENT: ReserveResult = { kind: "exhausted", budgetId: "b", spent: true };

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a call that finds its budget held by others", () => {
  test("looks again for five seconds and gets what comes free [D-16]", async () => {
    const clock = manualClock();
    let answer: ReserveResult = HELD;
    const result = reserveWithin(() => Promise.resolve(answer), { clock });
    await tick();
    clock.advance(RESERVE_RETRY_MS);
    await tick();
    answer = GRANTED;
    clock.advance(RESERVE_RETRY_MS);
    expect(await result).toBe(GRANTED);
    expect(clock.pending).toBe(0);
  });

  test("is told after five seconds that nothing came free [D-16]", async () => {
    const clock = manualClock();
    let looks = 0;
    let result: ReserveResult | undefined;
    const waiting = reserveWithin(
      () => {
        looks += 1;
        return Promise.resolve(HELD);
      },
      { clock },
    ).then((answer) => {
      result = answer;
    });
    for (let waited = 0; waited < RESERVE_WAIT_MS_MAX; waited += RESERVE_RETRY_MS) {
      await tick();
      expect(result).toBeUndefined();
      clock.advance(RESERVE_RETRY_MS);
    }
    await waiting;
    expect([result, looks]).toEqual([HELD, RESERVE_WAIT_MS_MAX / RESERVE_RETRY_MS + 1]);
  });

  test("does not wait for a budget that is used up [D-16]", async () => {
    const clock = manualClock();
    expect(await reserveWithin(() => Promise.resolve(SPENT), { clock })).toBe(SPENT);
    expect(clock.pending).toBe(0);
  });

  test("stops waiting in the tick its turn is cancelled", async () => {
    const clock = manualClock();
    const cancel = new AbortController();
    const result = reserveWithin(() => Promise.resolve(HELD), { clock, signal: cancel.signal });
    await tick();
    const reason = new Error("cancelled");
    cancel.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
  });
});
