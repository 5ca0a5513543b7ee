import { FramerailError } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { OUTPUT_TOKENS_EXPECTED } from "../agent/model/limits.js";
import { saysWhole, tool } from "../agent/testing/scripted.js";
import { getBudgets, putBudget } from "../ledger/budgets.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import type { Database } from "../store/database.js";
import { createJournal } from "../store/journal.js";
import { readSession } from "../store/sessions.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { createSession } from "../store/testing/turn-fixtures.js";
import { openDispatcher } from "./testing/open-dispatcher.js";

const usage = { input_tokens: 300, output_tokens: 200 };
const agent = defineAgent({
  id: "assistant",
  model: saysWhole(
    { call: 1, tool_calls: [{ name: "search" }], usage },
    { call: 2, tool_calls: [{ name: "search" }], usage },
    { call: 3, text: "Done.", usage },
  ),
  tools: [tool("search", () => "found")],
});

describe.each(DRIVERS)("a turn within a budget, with its store on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const open = (played = agent, database: Database = store.database) =>
    openDispatcher(played, {
      database,
      log: createMemoryLog(),
      journal: createJournal({ database: store.database }),
    });
  const play = async (dispatcher: ReturnType<typeof open>, sessionId: string) => {
    const sent = await dispatcher.send({
      orgId: org,
      sessionId,
      userId: undefined,
      message: "hello",
      locale: null,
      onDisconnect: { action: "continue", grace_ms: 0 },
    });
    return sent.kind === "started" ? sent.ended : undefined;
  };
  const budget = (tokenLimit: number) => putBudget(store.database, org, { agentId: null, tokenLimit, period: "total" });
  const statusOf = async (sessionId: string) =>
    (await store.database.asTenant(org, (sql) => readSession(sql, { sessionId, userId: undefined }))).status;

  test("pauses before the call that has nothing left, its session waits, and goes on when there is room [D-16] [G9] [R-EC-6] [R-GAP-4]", async () => {
    await budget(1_000);
    const { sessionId } = await createSession(store.database, org);
    const dispatcher = open();
    expect(await play(dispatcher, sessionId)).toEqual({ kind: "paused", limit: "state_limit" });
    expect(await getBudgets(store.database, org)).toMatchObject([{ settledTokens: 1_000, reservedTokens: 0 }]);
    expect(await store.admin(`select from llm_usage_events where org_id = '${org}'`)).toHaveLength(2);
    expect(await statusOf(sessionId)).toBe("suspended");
    await expect(play(dispatcher, sessionId)).rejects.toMatchObject({ code: "BUDGET_EXHAUSTED" });
    expect(await statusOf(sessionId)).toBe("suspended");
    await budget(10_000);
    expect(await play(dispatcher, sessionId)).toEqual({ kind: "completed" });
    expect(await statusOf(sessionId)).toBe("active");
    expect(await getBudgets(store.database, org)).toMatchObject([{ settledTokens: 2_500, reservedTokens: 0 }]);
  });

  test("settles as estimated, at its end, what could not be settled after a call [D-16] [D-4]", async () => {
    await budget(100_000);
    let isAway = false;
    const database = {
      ...store.database,
      asTenant(orgId: string, work: never): Promise<unknown> {
        if (!isAway) return store.database.asTenant(orgId, work);
        isAway = false;
        return Promise.reject(new FramerailError("STORE_UNAVAILABLE", "gone"));
      },
    } as Database;
    const model = saysWhole({ call: 1, text: "Done.", usage });
    const goesAway: typeof model = {
      ...model,
      doStream(options) {
        isAway = true;
        return model.doStream(options);
      },
    };
    const { sessionId } = await createSession(store.database, org);
    const dispatcher = open(defineAgent({ id: "assistant", model: goesAway }), database);
    expect(await play(dispatcher, sessionId)).toEqual({ kind: "completed" });
    const [books] = await getBudgets(store.database, org);
    expect(books?.reservedTokens).toBe(0);
    expect(books?.settledTokens).toBeGreaterThan(OUTPUT_TOKENS_EXPECTED);
  });

  test("shares it with turns beside it, and all of them together overshoot by at most one call [G9] [D-16]", async () => {
    await budget(2_200);
    const dispatcher = open();
    const sessions = await Promise.all(Array.from({ length: 6 }, () => createSession(store.database, org)));
    const ends = await Promise.all(sessions.map(({ sessionId }) => play(dispatcher, sessionId)));
    expect(ends.some((end) => end?.kind === "paused")).toBe(true);
    const [books] = await getBudgets(store.database, org);
    expect(books?.reservedTokens).toBe(0);
    expect(books?.settledTokens).toBeLessThan(2_200 + 500);
    expect(books?.settledTokens).toBeGreaterThanOrEqual(2_000);
  });
});
