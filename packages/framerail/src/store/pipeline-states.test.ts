import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { getPipelineState, putPipelineState, readPipelineStates } from "./pipeline-states.js";
import type { Sql } from "./sql.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";

describe.each(DRIVERS)("pipeline states on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const run = <T>(work: (sql: Sql) => Promise<T>, orgId = org) => store.database.asTenant(orgId, work);

  test("each stream of each pipeline has its own state, the latest", async () => {
    await run(async (sql) => {
      await putPipelineState(sql, "orders", "eu", { cursor: 1 });
      await putPipelineState(sql, "orders", "us", null);
      await putPipelineState(sql, "stock", "eu", ["a"]);
      await putPipelineState(sql, "orders", "eu", { cursor: 2 });
      expect(await getPipelineState(sql, "orders", "eu")).toMatchObject({ stream: "eu", state: { cursor: 2 } });
      expect(await getPipelineState(sql, "stock", "eu")).toMatchObject({ state: ["a"] });
      expect(await getPipelineState(sql, "stock", "us")).toBeUndefined();
    });
    const states = await run((sql) => readPipelineStates(sql, "orders"));
    expect(states).toEqual([
      { stream: "eu", state: { cursor: 2 }, updatedAt: expect.any(Number) },
      { stream: "us", state: null, updatedAt: expect.any(Number) },
    ]);
  });

  test("twenty who write one state at once leave one of theirs", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => run((sql) => putPipelineState(sql, "orders", "eu", n))));
    const states = await run((sql) => readPipelineStates(sql, "orders"));
    expect(states).toHaveLength(1);
    expect(states[0]?.state).toBeLessThan(20);
  });

  test("another tenant has its own states under the same names [D-12]", async () => {
    const stranger = await createTenant(store.database);
    await run((sql) => putPipelineState(sql, "orders", "eu", "ours"));
    expect(await run((sql) => getPipelineState(sql, "orders", "eu"), stranger)).toBeUndefined();
    await run((sql) => putPipelineState(sql, "orders", "eu", "theirs"), stranger);
    expect(await run((sql) => getPipelineState(sql, "orders", "eu"))).toMatchObject({ state: "ours" });
  });

  test("a state that would come back changed is refused, and the one before stays", async () => {
    await run((sql) => putPipelineState(sql, "orders", "eu", "good"));
    for (const wrong of ["\0", "\ud800"]) {
      const put = run((sql) => putPipelineState(sql, "orders", "eu", wrong));
      await expect(put).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
      const named = run((sql) => putPipelineState(sql, "orders", wrong, 1));
      await expect(named).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
    expect(await run((sql) => getPipelineState(sql, "orders", "eu"))).toMatchObject({ state: "good" });
  });
});
