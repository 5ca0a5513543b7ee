import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readActions } from "../store/audit.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import type { BudgetInput, ReserveResult } from "./budgets.js";
import { getBudgets, hasRoom, putBudget, reserve, settle, settleTurn } from "./budgets.js";
import { openSession, openTurn } from "./testing/open-turn.js";

const MAY = Date.UTC(2026, 4, 31, 23, 59, 59);
const JUNE = Date.UTC(2026, 5, 1);
const RUNS = process.env.FRAMERAIL_LONG ? 50 : 3;

function reservationOf(result: ReserveResult): string {
  if (result.kind !== "granted") throw new Error("nothing was granted");
  return result.reservationId;
}

describe.each(DRIVERS)("budgets on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  async function bench(...budgets: readonly Partial<BudgetInput>[]) {
    const org = await createTenant(store.database);
    const turn = await openTurn(store.database, org);
    const { database } = store;
    const put = (over: Partial<BudgetInput>) =>
      putBudget(database, org, { agentId: null, tokenLimit: 1_000, period: "month", at: MAY, ...over });
    for (const budget of budgets) await put(budget);
    const ask = (estimateTokens: number, over: object = {}) =>
      reserve(database, org, { agentId: "assistant", turnId: turn.turnId, estimateTokens, at: MAY, ...over });
    return {
      ...turn,
      org,
      put,
      ask,
      settle: (reservationId: string, usedTokens: number) => settle(database, org, { reservationId, usedTokens }),
      /** One call from its reservation to its end. */
      use: async (tokens: number) =>
        settle(database, org, { reservationId: reservationOf(await ask(tokens)), usedTokens: tokens }),
      books: async (at = MAY) =>
        (await getBudgets(database, org, at)).map((one) => [one.settledTokens, one.reservedTokens]),
      room: (at = MAY) => hasRoom(database, org, { agentId: "assistant", at }),
      marks: async () => {
        const actions = await database.asTenant(org, (sql) => readActions(sql, turn.sessionId));
        return actions.map(({ actionType }) => actionType).filter((type) => type.startsWith("budget_"));
      },
    };
  }

  test("what an operator sets is read back, for the tenant and for an agent [R-EC-6b]", async () => {
    const { org } = await bench({}, { agentId: "assistant", tokenLimit: 50, period: "day" });
    expect(await getBudgets(store.database, org, MAY)).toMatchObject([
      { agentId: null, tokenLimit: 1_000, period: "month", settledTokens: 0 },
      { agentId: "assistant", tokenLimit: 50, period: "day", periodStart: Date.UTC(2026, 4, 31) },
    ]);
  });

  test("what is no budget, no estimate and no count is refused by name", async () => {
    const { put, ask, settle: end } = await bench({});
    const refused = { code: "INVALID_ARGUMENT" };
    for (const wrong of [
      { tokenLimit: -1 },
      { tokenLimit: 1.5 },
      { tokenLimit: Number.NaN },
      { period: "year" as "day" },
      { agentId: "" },
      { agentId: "a\0" },
    ]) {
      await expect(put(wrong)).rejects.toMatchObject(refused);
    }
    for (const wrong of [0, -1, 0.5, Number.POSITIVE_INFINITY]) {
      expect(() => ask(wrong)).toThrow(expect.objectContaining(refused));
      if (wrong !== 0) await expect(end(randomUUID(), wrong)).rejects.toMatchObject(refused);
    }
    await expect(end("x", 1)).rejects.toMatchObject(refused);
    await expect(ask(1, { turnId: randomUUID() })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(ask(1, { turnId: "x" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a call is granted its estimate, or what the stricter budget has left, or nothing [D-16, I-15]", async () => {
    const { ask, books } = await bench(
      { tokenLimit: 1_000 },
      { agentId: "assistant", tokenLimit: 300 },
      { agentId: "other", tokenLimit: 1 },
    );
    expect(await ask(200)).toMatchObject({ kind: "granted", granted: 200 });
    expect(await ask(200)).toMatchObject({ kind: "granted", granted: 100 });
    expect(await ask(1)).toMatchObject({ kind: "exhausted", spent: false });
    // The other agent's budget was not touched, and the tenant's has room: for a third agent it is the only one.
    expect((await books())[2]).toEqual([0, 0]);
    expect(await ask(5_000, { agentId: "third" })).toMatchObject({ kind: "granted", granted: 600 });
    expect(await ask(1, { agentId: "fourth" })).toMatchObject({ kind: "exhausted" });
  });

  test("without a budget everything is granted, and its end changes nothing", async () => {
    const { ask, settle: end, books } = await bench();
    const granted = await ask(5_000_000);
    expect(granted).toMatchObject({ kind: "granted", granted: 5_000_000 });
    expect(await end(reservationOf(granted), 5)).toEqual({ settled: false, spent: false });
    expect(await books()).toEqual([]);
  });

  test("an end gives back what was held and counts what was used, once [D-16, G9]", async () => {
    const { ask, settle: end, books } = await bench({}, { agentId: "assistant" });
    const id = reservationOf(await ask(400));
    expect(await books()).toEqual([
      [0, 400],
      [0, 400],
    ]);
    const ends = await Promise.all(Array.from({ length: 5 }, () => end(id, 150)));
    expect(ends.filter(({ settled }) => settled)).toHaveLength(1);
    expect(await end(id, 999)).toEqual({ settled: false, spent: false });
    expect(await books()).toEqual([
      [150, 0],
      [150, 0],
    ]);
  });

  test("what a turn left open counts as it was estimated, all of it, once [D-16]", async () => {
    const { ask, books, org, turnId, marks } = await bench({}, { agentId: "assistant" });
    const other = await openTurn(store.database, org);
    await ask(300);
    await ask(500);
    await ask(7, { turnId: other.turnId });
    const close = () => store.database.asTenant(org, (sql) => settleTurn(sql, turnId));
    const ends = await Promise.all([close(), close()]);
    expect(ends.filter(({ settled }) => settled)).toHaveLength(1);
    expect(await books()).toEqual([
      [800, 7],
      [800, 7],
    ]);
    expect(await marks()).toEqual(["budget_warning", "budget_warning"]);
  });

  test("a budget of 1000 warns at 700, is critical at 900, and at 1000 refuses the next call [R-EC-6, R-6-7]", async () => {
    const { use, ask, marks, room, sessionId, rootId, org } = await bench({});
    await use(699);
    expect(await marks()).toEqual([]);
    expect(await use(1)).toEqual({ settled: true, spent: false });
    expect(await marks()).toEqual(["budget_warning"]);
    await use(199);
    expect(await marks()).toHaveLength(1);
    await use(1);
    expect(await marks()).toEqual(["budget_warning", "budget_critical"]);
    expect([await use(99), await room()]).toEqual([{ settled: true, spent: false }, true]);
    expect([await use(1), await room()]).toEqual([{ settled: true, spent: true }, false]);
    expect(await ask(1)).toMatchObject({ kind: "exhausted", spent: true });
    expect(await ask(1)).toMatchObject({ kind: "exhausted", spent: true });
    expect(await marks()).toEqual(["budget_warning", "budget_critical", "budget_exhausted"]);
    const actions = await store.database.asTenant(org, (sql) => readActions(sql, sessionId, "budget_exhausted"));
    expect(actions).toMatchObject([
      { parentId: rootId, detail: { percent: 100, settled_tokens: 1_000, token_limit: 1_000, agent_id: null } },
    ]);
  });

  test("each mark is audited once however many calls end at the same time [R-EC-6]", async () => {
    const { ask, settle: end, marks } = await bench({});
    const ids = await Promise.all(Array.from({ length: 20 }, async () => reservationOf(await ask(50))));
    await Promise.all(ids.map((id) => end(id, 50)));
    expect((await marks()).sort()).toEqual(["budget_critical", "budget_exhausted", "budget_warning"]);
  });

  test("a call that jumps over marks leaves a row for each of them [R-EC-6]", async () => {
    const { use, marks } = await bench({ tokenLimit: 10 });
    await use(10);
    expect((await marks()).sort()).toEqual(["budget_critical", "budget_exhausted", "budget_warning"]);
  });

  test("a limit that is lowered below what was used is told by the next call that asks [R-EC-6]", async () => {
    const { use, put, ask, marks } = await bench({});
    await use(600);
    await put({ tokenLimit: 600 });
    expect(await ask(1)).toMatchObject({ kind: "exhausted", spent: true });
    expect(await marks()).toHaveLength(3);
  });

  test("a new period and a higher limit make room again, and only then may a session be active [R-GAP-4, I-15]", async () => {
    const {
      use,
      ask,
      put,
      room,
      marks,
      settle: end,
      books,
    } = await bench({}, { agentId: "assistant", tokenLimit: 900 });
    const before = reservationOf(await ask(100));
    await use(800);
    await put({ agentId: "assistant", tokenLimit: 800 });
    expect([await room(), await room(JUNE)]).toEqual([false, true]);
    // What was reserved in May counts for May, whenever it ends.
    await end(before, 200);
    expect([await books(), await books(JUNE)]).toEqual([
      [
        [1_000, 0],
        [1_000, 0],
      ],
      [
        [0, 0],
        [0, 0],
      ],
    ]);
    expect(await ask(1, { at: JUNE })).toMatchObject({ kind: "granted" });
    await put({ agentId: "assistant", tokenLimit: 2_000 });
    expect(await room()).toBe(false);
    await put({ tokenLimit: 1_001 });
    expect(await room()).toBe(true);
    const last = await ask(50);
    expect(last).toMatchObject({ kind: "granted", granted: 1 });
    // Raised and filled again within one period: each mark was told already.
    const told = await marks();
    expect(await end(reservationOf(last), 1)).toEqual({ settled: true, spent: true });
    expect(await marks()).toEqual(told);
  });

  test("calls on two budgets at once never lock each other out, whichever was made first [I-15]", async () => {
    const {
      put,
      ask,
      settle: end,
      books,
    } = await bench({ agentId: "b", tokenLimit: 100_000 }, { tokenLimit: 100_000 });
    await put({ agentId: "a", tokenLimit: 100_000 });
    const calls = Array.from({ length: 30 }, async (_, index) => {
      const id = reservationOf(await ask(10, { agentId: index % 2 ? "a" : "b" }));
      await end(id, 10);
    });
    await Promise.all(calls);
    expect(await books()).toEqual([
      [300, 0],
      [150, 0],
      [150, 0],
    ]);
  });

  test("of many calls at once that would each take all that is left, one is granted [G9, D-16]", async () => {
    const { ask, books } = await bench({ tokenLimit: 100 }, { agentId: "assistant", tokenLimit: 500 });
    const results = await Promise.all(Array.from({ length: 30 }, () => ask(100)));
    expect(results.filter(({ kind }) => kind === "granted")).toHaveLength(1);
    expect(await books()).toEqual([
      [0, 100],
      [0, 100],
    ]);
  });

  test("a hundred turns at once overshoot a budget by less than one call, whatever they use of their estimates [G9, R-6-7, R-OQ-4]", async () => {
    const { org, put } = await bench();
    const sessionId = await openSession(store.database, org);
    const turns = await Promise.all(
      Array.from({ length: 100 }, () => openTurn(store.database, org, { sessionId, agentId: "assistant" })),
    );
    const call = fc.record({
      estimate: fc.integer({ min: 1, max: 500 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 5_000 }),
      fc.array(call, { minLength: 100, maxLength: 100 }),
      async (tokenLimit, calls) => {
        const agentId = randomUUID();
        await put({ agentId, tokenLimit });
        await Promise.all(
          calls.map(async ({ estimate, share }, index) => {
            const { turnId } = turns[index] as { turnId: string };
            const asked = { agentId, turnId, estimateTokens: estimate, at: MAY };
            const result = await reserve(store.database, org, asked);
            if (result.kind !== "granted") return;
            expect(result.granted).toBeGreaterThan(0);
            // What it was granted is not what binds it here: a call that has begun may use all it was estimated at.
            const usedTokens = Math.round(estimate * share);
            await settle(store.database, org, { reservationId: result.reservationId, usedTokens });
          }),
        );
        const [books] = (await getBudgets(store.database, org, MAY)).filter((one) => one.agentId === agentId);
        const largest = Math.max(...calls.map(({ estimate }) => estimate));
        expect(books?.reservedTokens).toBe(0);
        expect(books?.settledTokens).toBeLessThan(tokenLimit + largest);
      },
    );
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  });

  test("small returns beside a call that was granted too little let nobody else overshoot too [G9]", async () => {
    const { ask, settle: end } = await bench({ tokenLimit: 100 });
    const small = await Promise.all([ask(10), ask(10), ask(10)]);
    const large = await ask(500);
    expect(large).toMatchObject({ granted: 70 });
    for (const one of small) await end(reservationOf(one), 0);
    // Thirty came free, but the large call may need them.
    expect(await ask(500)).toMatchObject({ kind: "exhausted", spent: false });
    await end(reservationOf(large), 20);
    expect(await ask(500)).toMatchObject({ kind: "granted", granted: 80 });
  });
});
