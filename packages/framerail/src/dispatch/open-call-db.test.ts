import { randomUUID } from "node:crypto";
import { systemClock } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { finish, oddModel, toolCall } from "../agent/model/testing/odd-model.js";
import { keepAsked, saysWhole, tool } from "../agent/testing/scripted.js";
import { getBudgets, putBudget } from "../ledger/budgets.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import type { Database } from "../store/database.js";
import { createJournal } from "../store/journal.js";
import { claimOrphans } from "../store/leases.js";
import { readOpenCalls } from "../store/open-calls.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { createSession } from "../store/testing/turn-fixtures.js";
import { readTurn } from "../store/turns.js";
import { sealOrphan } from "./seal-orphan.js";
import type { DispatcherParts } from "./testing/open-dispatcher.js";
import { openDispatcher } from "./testing/open-dispatcher.js";

const PATIENCE = { timeout: 30_000 };
const search = tool("search", () => "found");
const usage = { input_tokens: 300, output_tokens: 200 };
const LOOKS = { call: 1, tool_calls: [{ name: "search" }], usage };
const SAYS = { text: "Done.", usage };

describe.each(DRIVERS)("a model call under way, with its store on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  async function begin(agent: ReturnType<typeof defineAgent>, parts: Partial<DispatcherParts> = {}) {
    const { sessionId } = await createSession(store.database, org);
    const { database } = store;
    const journal = createJournal({ database });
    const dispatcher = openDispatcher(agent, { database, log: createMemoryLog(), journal, ...parts });
    const sent = await dispatcher.send({
      orgId: org,
      sessionId,
      userId: undefined,
      message: "hello",
      locale: null,
      onDisconnect: { action: "continue", grace_ms: 0 },
    });
    return sent.kind === "started" ? { ...sent, journal, dispatcher } : expect.fail("it was attached");
  }

  const rowsOf = (turnId: string) =>
    store.admin(
      `select call, model, input_tokens, output_tokens, estimated from llm_usage_events
        where turn_id = '${turnId}' order by call`,
    );
  const notesOf = (turnId: string) => readOpenCalls(store.database, org, turnId);

  async function takeOver(turnId: string) {
    const orphans = await claimOrphans(store.database, { owner: randomUUID(), max: 1_000 });
    const orphan = orphans.find(({ turn_id }) => turn_id === turnId) ?? expect.fail("it was not an orphan");
    const { database } = store;
    await sealOrphan(orphan, { database, clock: systemClock, newId: randomUUID, readLog: () => Promise.resolve([]) });
  }

  test.each([
    ["without a budget", 0],
    ["within a budget", 10_000],
  ])(
    "has one row, estimated, when its turn is taken over, and its earlier owner makes no other call: %s [G9] [D-3] [D-16]",
    async (_, tokenLimit) => {
      if (tokenLimit > 0) await putBudget(store.database, org, { agentId: null, tokenLimit, period: "total" });
      let answer = () => {};
      const opensAfter = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const parts = [toolCall("{}"), finish(10, 5, "tool-calls")];
      const { model, asked } = keepAsked(oddModel({ parts, opensAfter }));
      const { turnId, ended } = await begin(defineAgent({ id: "assistant", model, tools: [search] }));
      await expect.poll(() => asked.length, PATIENCE).toBe(1);
      const [note] = await notesOf(turnId);
      expect(note).toMatchObject({ call: 1, model: "odd", told: 0 });
      await takeOver(turnId);
      const sent = note?.inputTokens ?? 0;
      expect(sent).toBeGreaterThan(0);
      const row = { call: 1, model: "odd", input_tokens: sent, output_tokens: 0, estimated: true };
      expect(await rowsOf(turnId)).toEqual([row]);
      expect((await readTurn(store.database, org, turnId))?.usage).toMatchObject({ total_tokens: sent });
      expect(await notesOf(turnId)).toEqual([]);
      for (const books of await getBudgets(store.database, org)) expect(books).toMatchObject({ reservedTokens: 0 });
      answer();
      await ended;
      expect(asked).toHaveLength(1);
      expect(await rowsOf(turnId)).toEqual([row]);
    },
  );

  test("that told its figures before its turn was taken over has those, and the one after it its estimate [G9] [D-5]", async () => {
    let calls = 0;
    const hangs = oddModel({ parts: [], end: "hang" });
    const asks = oddModel({ parts: [toolCall("{}"), finish(10, 5, "tool-calls")] });
    const model: typeof hangs = {
      ...hangs,
      doStream(options) {
        calls += 1;
        return (calls === 1 ? asks : hangs).doStream(options);
      },
    };
    const { turnId, journal } = await begin(defineAgent({ id: "assistant", model, tools: [search] }));
    await expect.poll(() => calls, PATIENCE).toBe(2);
    await journal.settled();
    await takeOver(turnId);
    expect(await rowsOf(turnId)).toMatchObject([
      { call: 1, input_tokens: 10, output_tokens: 5, estimated: false },
      { call: 2, output_tokens: 0, estimated: true },
    ]);
  });

  test("is gone when its turn ends by itself, and the rows have the figures that were told [G9] [G4]", async () => {
    const { turnId, ended } = await begin(
      defineAgent({ id: "assistant", model: saysWhole(LOOKS, { call: 2, ...SAYS }), tools: [search] }),
    );
    expect(await ended).toEqual({ kind: "completed" });
    expect(await rowsOf(turnId)).toMatchObject([
      { call: 1, ...usage, estimated: false },
      { call: 2, ...usage, estimated: false },
    ]);
    expect(await notesOf(turnId)).toEqual([]);
  });

  test("that its turn's cancel forestalled was not made, and has no row [G9] [G11]", async () => {
    const { model, asked } = keepAsked(saysWhole({ call: 1, ...SAYS }));
    let goOn = () => {};
    const stalled = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const database = {
      ...store.database,
      async asTenant(orgId: string, work: never): Promise<unknown> {
        if ((work as { text?: string }).text?.includes("insert into open_calls")) await stalled;
        return store.database.asTenant(orgId, work);
      },
    } as Database;
    // However long the database takes, the end waits for what it cut off.
    const clock = { ...systemClock, schedule: (ms: number, act: () => void) => systemClock.schedule(100 * ms, act) };
    const { turnId, ended, dispatcher } = await begin(defineAgent({ id: "assistant", model }), { database, clock });
    dispatcher.running(turnId)?.cancel();
    goOn();
    expect(await ended).toMatchObject({ kind: "cancelled" });
    expect(asked).toEqual([]);
    expect(await rowsOf(turnId)).toEqual([]);
    expect(await notesOf(turnId)).toEqual([]);
  });

  test("costs one trip to the database before it and none after it, where no budget counts [G9] [D-16]", async () => {
    const tripsWith = async (...steps: Parameters<typeof saysWhole>) => {
      let trips = 0;
      const database = {
        ...store.database,
        asTenant(orgId: string, work: never): Promise<unknown> {
          trips += 1;
          return store.database.asTenant(orgId, work);
        },
      } as Database;
      const agent = defineAgent({ id: "assistant", model: saysWhole(...steps), tools: [search] });
      expect(await (await begin(agent, { database })).ended).toEqual({ kind: "completed" });
      return trips;
    };
    const [one, two] = [await tripsWith({ call: 1, ...SAYS }), await tripsWith(LOOKS, { call: 2, ...SAYS })];
    expect(two - one).toBe(1);
  });
});
