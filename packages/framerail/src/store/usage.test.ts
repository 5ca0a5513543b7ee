import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endTurn } from "../ledger/testing/end-turn.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { endOf, startTurn } from "./testing/turn-fixtures.js";
import { commitTurnEnd } from "./turn-end.js";
import type { UsageQuestion, UsageRow } from "./usage.js";
import { sumUsage } from "./usage.js";

const DAY = 86_400_000;
const MIDNIGHT = Date.UTC(2026, 4, 15);

type Call = Omit<UsageRow, "turnId">;

const rowOf = (call: number, over: Partial<Call> = {}): Call => ({
  call,
  model: "m-1",
  inputTokens: 10,
  outputTokens: 5,
  reasoningTokens: 2,
  cachedTokens: 4,
  costUsd: "0.100000000",
  ttftMs: 7,
  totalMs: 9,
  estimated: false,
  occurredAt: MIDNIGHT,
  ...over,
});

describe.each(DRIVERS)("usage rows on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  const write = (org: string, calls: readonly Call[], agentId?: string) =>
    endTurn(store.database, org, { calls, ...(agentId !== undefined && { agentId }) });
  const sum = (org: string, question: Partial<UsageQuestion> = {}) =>
    store.database.asTenant(org, (sql) =>
      sumUsage(sql, { from: 0, to: MIDNIGHT + 400 * DAY, groupBy: [], ...question }),
    );

  test("the table has a place for all that is charged [R-6-2]", async () => {
    const columns = await store.admin<{ name: string }>(
      "select column_name as name from information_schema.columns where table_name = 'llm_usage_events'",
    );
    const names = columns.map((column) => column.name);
    for (const column of ["org_id", "agent_id", "session_id", "model", "input_tokens", "output_tokens", "cost_usd"]) {
      expect(names).toContain(column);
    }
    for (const column of ["ttft_ms", "total_ms", "occurred_at"]) expect(names).toContain(column);
  });

  test("a row has every field, and its tenant, session and agent are those of its turn [R-6-1]", async () => {
    const org = await createTenant(store.database);
    const calls = [rowOf(1, { occurredAt: MIDNIGHT + 123, model: "m\0" })];
    const { turnId, sessionId } = await write(org, calls, "shop");
    const [row] = await store.database.asTenant<object>(org, { text: "select * from llm_usage_events" });
    expect(row).toEqual({
      org_id: org,
      turn_id: turnId,
      call: 1,
      session_id: sessionId,
      agent_id: "shop",
      model: "m\ufffd",
      input_tokens: 10,
      output_tokens: 5,
      reasoning_tokens: 2,
      cached_tokens: 4,
      cost_usd: "0.100000000",
      ttft_ms: 7,
      total_ms: 9,
      estimated: false,
      occurred_at: MIDNIGHT + 123,
    });
  });

  test("a call of a turn that the tenant does not have writes nothing at all [R-6-1]", async () => {
    const [org, stranger] = [await createTenant(store.database), await createTenant(store.database)];
    const mine = await startTurn(store.database, org);
    const foreign = await startTurn(store.database, stranger);
    const smuggled = await endOf(mine, { calls: [foreign, mine].map(({ turnId }) => ({ ...rowOf(1), turnId })) });
    await expect(commitTurnEnd(store.database, org, smuggled)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const theirs = await endOf(foreign, { calls: [{ ...rowOf(1), turnId: foreign.turnId }] });
    await expect(commitTurnEnd(store.database, org, theirs)).rejects.toMatchObject({ code: "STALE_EPOCH" });
    expect(await sum(org)).toMatchObject([{ calls: 0, costUsd: "0.000000000" }]);
    expect(await sum(stranger)).toMatchObject([{ calls: 0 }]);
  });

  test("every call has one row, however often its commit is tried [C-14, G9]", async () => {
    const org = await createTenant(store.database);
    const unknown = rowOf(2, { estimated: true, outputTokens: 0, reasoningTokens: 0 });
    const { end } = await write(org, [rowOf(1), unknown, rowOf(3)]);
    await commitTurnEnd(store.database, org, end);
    expect(await sum(org)).toEqual([
      {
        calls: 3,
        estimatedCalls: 1,
        inputTokens: 30,
        outputTokens: 10,
        reasoningTokens: 4,
        cachedTokens: 12,
        costUsd: "0.300000000",
      },
    ]);
  });

  test("money adds up to the last place, where binary fractions would drift", async () => {
    const org = await createTenant(store.database);
    const costs = Array.from({ length: 1_000 }, (_, call) => rowOf(call + 1, { costUsd: "0.000000001" }));
    await write(org, [...costs, rowOf(1_001, { costUsd: "999999999.999999999" })]);
    expect(await sum(org)).toMatchObject([{ costUsd: "1000000000.000000999" }]);
  });

  test("sums are by day in UTC, by agent and by model, of the span that was asked for", async () => {
    const org = await createTenant(store.database);
    const shop = [
      rowOf(1, { occurredAt: MIDNIGHT - 1 }),
      rowOf(2, { occurredAt: MIDNIGHT }),
      rowOf(3, { occurredAt: MIDNIGHT + DAY - 1, model: "m-2" }),
    ];
    await write(org, shop, "shop");
    await write(org, [rowOf(1, { occurredAt: MIDNIGHT + DAY })], "help");
    expect(await sum(org, { groupBy: ["day"] })).toMatchObject([
      { day: "2026-05-14", calls: 1 },
      { day: "2026-05-15", calls: 2 },
      { day: "2026-05-16", calls: 1 },
    ]);
    expect(await sum(org, { groupBy: ["agent", "model", "agent"] })).toMatchObject([
      { agent: "help", model: "m-1", calls: 1 },
      { agent: "shop", model: "m-1", calls: 2 },
      { agent: "shop", model: "m-2", calls: 1 },
    ]);
    expect(await sum(org, { from: MIDNIGHT, to: MIDNIGHT + DAY })).toMatchObject([{ calls: 2 }]);
    expect(await sum(org, { agentId: "help", groupBy: ["day"] })).toMatchObject([{ day: "2026-05-16", calls: 1 }]);
    expect(await sum(org, { agentId: "nobody", groupBy: ["day"] })).toEqual([]);
  });
});
