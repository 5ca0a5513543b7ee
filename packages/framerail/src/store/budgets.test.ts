import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endTurn } from "../ledger/testing/end-turn.js";
import { openTurn } from "../ledger/testing/open-turn.js";
import type { Budget } from "./budgets.js";
import { insertReservation, lockBooks, readBooks, settleReservation, upsertBudget } from "./budgets.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";

const budgetOf = (over: Partial<Budget> = {}): Budget => ({
  id: randomUUID(),
  agentId: null,
  tokenLimit: 1_000,
  period: "month",
  ...over,
});

const LEAP_DAY_END = Date.UTC(2028, 1, 29, 23, 59, 59, 999);

describe.each(DRIVERS)("the books of budgets on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  const put = (org: string, budget: Budget, at?: number) =>
    store.database.asTenant(org, (sql) => upsertBudget(sql, budget, at));
  const read = (org: string, agentId?: string, at?: number) =>
    store.database.asTenant(org, (sql) => readBooks(sql, agentId, at));

  test("periods begin at midnight UTC of the day or of the month, or never [R-GAP-4]", async () => {
    const org = await createTenant(store.database);
    for (const [agentId, period] of [
      [null, "day"],
      ["a", "month"],
      ["b", "total"],
    ] as const) {
      await put(org, budgetOf({ agentId, period }));
    }
    const starts = async (at: number) => (await read(org, undefined, at)).map(({ periodStart }) => periodStart);
    expect(await starts(LEAP_DAY_END)).toEqual([Date.UTC(2028, 1, 29), Date.UTC(2028, 1, 1), 0]);
    expect(await starts(LEAP_DAY_END + 1)).toEqual([Date.UTC(2028, 2, 1), Date.UTC(2028, 2, 1), 0]);
    const [row] = await store.database.asTenant<{ today: number }>(org, {
      text: "select date_trunc('day', now(), 'UTC') as today",
    });
    expect((await read(org))[0]?.periodStart).toBe(row?.today);
  });

  test("a budget is put and put again under one key, for the tenant and for each agent [R-EC-6b, I-15]", async () => {
    const org = await createTenant(store.database);
    const first = budgetOf();
    await put(org, first);
    await put(org, budgetOf({ tokenLimit: 5 }));
    await put(org, budgetOf({ agentId: "a", period: "day" }));
    await put(org, budgetOf({ agentId: "b" }));
    expect(await read(org)).toMatchObject([
      { id: first.id, agentId: null, tokenLimit: 5, settledTokens: 0, reservedTokens: 0 },
      { agentId: "a", period: "day" },
      { agentId: "b" },
    ]);
    expect((await read(org, "a")).map(({ agentId }) => agentId)).toEqual([null, "a"]);
    expect(await read(await createTenant(store.database))).toEqual([]);
  });

  test("a new budget, or one with a new period, begins with what its period has used [R-6-7]", async () => {
    const org = await createTenant(store.database);
    const noon = Date.UTC(2026, 4, 15, 12);
    const callAt = (call: number, occurredAt: number) => ({
      ...{ call, occurredAt, model: "m", inputTokens: 60, outputTokens: 40, reasoningTokens: 40 },
      ...{ cachedTokens: 60, costUsd: "0", ttftMs: 0, totalMs: 0, estimated: false },
    });
    const yesterday = noon - 86_400_000;
    await endTurn(store.database, org, { agentId: "a", calls: [callAt(1, noon), callAt(2, yesterday)] });
    await endTurn(store.database, org, { agentId: "b", calls: [callAt(1, noon)] });
    const settled = async () => (await read(org, undefined, noon)).map(({ settledTokens }) => settledTokens);
    await put(org, budgetOf({ period: "day" }), noon);
    await put(org, budgetOf({ agentId: "a", period: "day" }), noon);
    expect(await settled()).toEqual([200, 100]);
    await put(org, budgetOf({ period: "month" }), noon);
    expect(await settled()).toEqual([300, 100]);
    // A change of the limit alone leaves the books alone.
    await endTurn(store.database, org, { agentId: "a", calls: [callAt(1, noon)] });
    await put(org, budgetOf({ period: "month", tokenLimit: 9 }), noon);
    expect(await settled()).toEqual([300, 100]);
    await put(org, budgetOf({ period: "total" }), noon);
    expect(await settled()).toEqual([400, 100]);
  });

  test("a reservation is on the books of every budget that counts, and is given back once [D-16]", async () => {
    const org = await createTenant(store.database);
    const { turnId } = await openTurn(store.database, org);
    await put(org, budgetOf());
    await put(org, budgetOf({ agentId: "a" }));
    await put(org, budgetOf({ agentId: "b" }));
    const id = randomUUID();
    const reserve = (turn: string) =>
      store.database.asTenant(org, async (sql) =>
        insertReservation(sql, { id, turnId: turn, tokens: 30 }, await lockBooks(sql, "a")),
      );
    expect(await reserve(randomUUID())).toBe(false);
    expect(await reserve(turnId)).toBe(true);
    const books = async () => (await read(org)).map((one) => [one.reservedTokens, one.settledTokens]);
    expect(await books()).toEqual([
      [30, 0],
      [30, 0],
      [0, 0],
    ]);
    const settle = () => store.database.asTenant(org, (sql) => settleReservation(sql, id, 45));
    const settled = await Promise.all([settle(), settle(), settle()]);
    expect(settled.map(({ length }) => length).sort()).toEqual([0, 0, 2]);
    expect(await books()).toEqual([
      [0, 45],
      [0, 45],
      [0, 0],
    ]);
  });

  test("a stranger can neither see books nor settle a reservation", async () => {
    const [org, stranger] = [await createTenant(store.database), await createTenant(store.database)];
    const { turnId } = await openTurn(store.database, org);
    await put(org, budgetOf());
    const id = randomUUID();
    await store.database.asTenant(org, async (sql) =>
      insertReservation(sql, { id, turnId, tokens: 30 }, await lockBooks(sql, "a")),
    );
    expect(await store.database.asTenant(stranger, (sql) => settleReservation(sql, id, 1))).toEqual([]);
    expect(await store.database.asTenant(stranger, (sql) => lockBooks(sql, "a"))).toEqual([]);
    expect(await read(org)).toMatchObject([{ reservedTokens: 30, settledTokens: 0 }]);
  });
});
