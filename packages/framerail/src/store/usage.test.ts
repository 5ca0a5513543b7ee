import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTurn } from "../ledger/testing/open-turn.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import type { UsageQuestion, UsageRow } from "./usage.js";
import { insertUsageRows, sumUsage } from "./usage.js";

const DAY = 86_400_000;
const MIDNIGHT = Date.UTC(2026, 4, 15);

const rowOf = (turnId: string, call: number, over: Partial<UsageRow> = {}): UsageRow => ({
  turnId,
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

  const write = (org: string, ...rows: UsageRow[]) => store.database.asTenant(org, (sql) => insertUsageRows(sql, rows));
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
    const { turnId, sessionId } = await openTurn(store.database, org, { agentId: "shop" });
    await write(org, rowOf(turnId, 1, { occurredAt: MIDNIGHT + 123, model: "m\0" }));
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
    const mine = await openTurn(store.database, org);
    const foreign = await openTurn(store.database, stranger);
    for (const turnId of [foreign.turnId, randomUUID()]) {
      await expect(write(org, rowOf(mine.turnId, 1), rowOf(turnId, 1))).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    expect(await sum(org)).toMatchObject([{ calls: 0, costUsd: "0.000000000" }]);
    expect(await sum(stranger)).toMatchObject([{ calls: 0 }]);
  });

  test("every call has one row, however often its commit is tried [C-14, G9]", async () => {
    const org = await createTenant(store.database);
    const { turnId } = await openTurn(store.database, org);
    const rows = [rowOf(turnId, 1), rowOf(turnId, 2, { estimated: true, outputTokens: 0, reasoningTokens: 0 })];
    expect(await write(org, ...rows)).toBe(2);
    expect(await write(org, ...rows, rowOf(turnId, 3))).toBe(1);
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
    const { turnId } = await openTurn(store.database, org);
    const costs = Array.from({ length: 1_000 }, (_, call) => rowOf(turnId, call + 1, { costUsd: "0.000000001" }));
    await write(org, ...costs, rowOf(turnId, 1_001, { costUsd: "999999999.999999999" }));
    expect(await sum(org)).toMatchObject([{ costUsd: "1000000000.000000999" }]);
  });

  test("sums are by day in UTC, by agent and by model, of the span that was asked for", async () => {
    const org = await createTenant(store.database);
    const shop = await openTurn(store.database, org, { agentId: "shop" });
    const help = await openTurn(store.database, org, { agentId: "help" });
    await write(
      org,
      rowOf(shop.turnId, 1, { occurredAt: MIDNIGHT - 1 }),
      rowOf(shop.turnId, 2, { occurredAt: MIDNIGHT }),
      rowOf(shop.turnId, 3, { occurredAt: MIDNIGHT + DAY - 1, model: "m-2" }),
      rowOf(help.turnId, 1, { occurredAt: MIDNIGHT + DAY }),
    );
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
