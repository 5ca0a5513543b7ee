import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loseAnswer } from "../store/testing/lose-answer.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { getBudgets, putBudget, reserve, settle } from "./budgets.js";
import { openTurn } from "./testing/open-turn.js";

describe.each(DRIVERS)("a reservation whose answer was lost on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  async function open(budgets: number) {
    const org = await createTenant(store.database);
    const { turnId } = await openTurn(store.database, org);
    if (budgets > 0) await putBudget(store.database, org, { agentId: null, tokenLimit: 1_000, period: "total" });
    const books = async () =>
      (await getBudgets(store.database, org)).map(({ reservedTokens, settledTokens }) => [
        reservedTokens,
        settledTokens,
      ]);
    const ask = (when: "before" | "after") =>
      reserve(loseAnswer(store.database, when), org, { agentId: "assistant", turnId, estimateTokens: 400 });
    return { org, turnId, books, ask };
  }

  test("is found on the books and given to its caller, who can settle it [D-16] [D-4]", async () => {
    const { org, books, ask } = await open(1);
    const result = await ask("after");
    expect(result).toMatchObject({ kind: "granted", granted: 400 });
    expect(await books()).toEqual([[400, 0]]);
    const reservationId = result.kind === "granted" ? result.reservationId : "";
    expect(await settle(store.database, org, { reservationId, usedTokens: 90 })).toEqual({
      settled: true,
      spent: false,
    });
    expect(await books()).toEqual([[0, 90]]);
  });

  test("holds nothing where it never came, and its caller is told that it is unknown [D-16] [D-4]", async () => {
    const { books, ask } = await open(1);
    await expect(ask("before")).rejects.toMatchObject({ code: "COMMIT_UNKNOWN" });
    expect(await books()).toEqual([[0, 0]]);
  });

  test("is granted as much when it is asked for again as it was at first [D-16]", async () => {
    const { org, turnId } = await open(1);
    const call = { agentId: "assistant", turnId, estimateTokens: 10_000, reservationId: randomUUID() };
    const first = await reserve(store.database, org, call);
    expect(first).toMatchObject({ kind: "granted", granted: 1_000 });
    expect(await reserve(store.database, org, call)).toEqual(first);
  });

  test("is granted all the same to a tenant without budgets, for whom nothing is written [D-16]", async () => {
    const { ask } = await open(0);
    expect(await ask("before")).toMatchObject({ kind: "granted", granted: 400 });
  });
});
