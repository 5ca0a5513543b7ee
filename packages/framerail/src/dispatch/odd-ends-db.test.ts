import { randomUUID } from "node:crypto";
import { type FramerailError, systemClock } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Agent } from "../agent/agent.js";
import { defineAgent } from "../agent/define-agent.js";
import { putBudget, reserve, settle } from "../ledger/budgets.js";
import { createTurnCalls } from "../ledger/turn-calls.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import { createJournal } from "../store/journal.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { createSession, startTurn } from "../store/testing/turn-fixtures.js";
import { readTurn } from "../store/turns.js";
import type { SealReport } from "./seal-turns.js";
import { startSealing } from "./seal-turns.js";
import { openDispatcher } from "./testing/open-dispatcher.js";
import { createTurnBudget } from "./turn-budget.js";

describe.each(DRIVERS)("ends, with the store on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  async function play(agent: Agent) {
    const log = createMemoryLog();
    const [owner, abandoned] = [randomUUID(), new Set<string>()];
    const journal = createJournal({ database: store.database });
    const dispatcher = openDispatcher(agent, { database: store.database, log, journal, owner, abandoned });
    const { sessionId } = await createSession(store.database, org);
    const reports: SealReport[] = [];
    const sealer = await startSealing({
      ...{ database: store.database, log, clock: systemClock, owner, abandoned, newId: randomUUID },
      report: (report) => reports.push(report),
    });
    const send = () =>
      dispatcher.send({
        ...{ orgId: org, sessionId, userId: undefined, message: "hello", locale: null },
        onDisconnect: { action: "continue", grace_ms: 0 },
      });
    const close = async () => {
      await sealer.close();
      await log.close();
    };
    return { send, sealer, reports, close };
  }

  const call = { tool_call_id: "c1", tool_name: "search" };
  const writes = (timestamp: number, duration_ms: number) =>
    defineAgent({
      id: "assistant",
      async run(_, { writer }) {
        writer.toolCall({ ...call, arguments: {}, timestamp });
        await writer.ready();
        writer.toolResult({ tool_call_id: "c1", result: 1, is_error: false, duration_ms });
        writer.toolCallEnd(call);
        writer.text("Done.");
      },
    });

  test.each([
    ["a tool's time in microseconds", Date.now() * 1_000, 5],
    ["the largest time there is", Number.MAX_SAFE_INTEGER, 5],
    ["a tool that says it took longer than an integer holds", Date.now(), 2_147_483_648],
  ])("a turn ends whatever its agent writes: %s [G1]", async (_, timestamp, duration) => {
    const { send, sealer, reports, close } = await play(writes(timestamp, duration));
    const sent = await send();
    if (sent.kind === "started") await sent.ended;
    await sealer.round();
    await sealer.round();
    await close();
    expect(
      reports.filter(({ kind }) => kind === "seal_failed").map((r) => String((r as { error: unknown }).error)),
    ).toEqual([]);
    expect(await readTurn(store.database, org, sent.turnId)).toMatchObject({ status: "ended" });
  });

  test("a turn whose calls tell more tokens than a number holds ends too [G1] [G9]", async () => {
    const tokens = {
      ...{ input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 0, total_tokens: Number.MAX_SAFE_INTEGER },
      ...{ reasoning_tokens: 0, cached_tokens: 0 },
    };
    const agent = defineAgent({
      id: "assistant",
      async run(_, { writer }) {
        for (let n = 0; n < 2; n += 1) writer.write({ type: "metrics", model: "m", tokens } as never);
        writer.text("Done.");
      },
    });
    const { send, sealer, reports, close } = await play(agent);
    const sent = await send();
    if (sent.kind === "started") await sent.ended;
    await sealer.round();
    await close();
    expect(
      reports.filter(({ kind }) => kind === "seal_failed").map((r) => String((r as { error: unknown }).error)),
    ).toEqual([]);
    expect(await readTurn(store.database, org, sent.turnId)).toMatchObject({ status: "ended" });
  });

  test("two calls of one turn that find nothing left are both told so [R-EC-6]", async () => {
    const { turnId, sessionId } = await startTurn(store.database, org);
    await putBudget(store.database, org, { agentId: null, tokenLimit: 1, period: "total" });
    const spent = await reserve(store.database, org, { agentId: "assistant", turnId, estimateTokens: 1 });
    if (spent.kind === "granted") await settle(store.database, org, { ...spent, usedTokens: 1 });
    const budget = createTurnBudget({
      ...{ database: store.database, clock: systemClock, turn: { orgId: org, turnId, epoch: 1, sessionId } },
      ...{ agentId: "assistant", calls: createTurnCalls(turnId), newId: randomUUID },
    });
    const planned = { model: "m", inputTokens: 1, outputTokens: 1 };
    const { signal } = new AbortController();
    const ends = await Promise.allSettled([budget.reserve(planned, signal), budget.reserve(planned, signal)]);
    expect(ends.map((end) => (end.status === "rejected" ? (end.reason as FramerailError).code : "granted"))).toEqual([
      "BUDGET_EXHAUSTED",
      "BUDGET_EXHAUSTED",
    ]);
  });
});
