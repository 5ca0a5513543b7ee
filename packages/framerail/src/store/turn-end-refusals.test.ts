import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AuditRow } from "./audit.js";
import { readChain } from "./audit.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { AT, endOf, startTurn } from "./testing/turn-fixtures.js";
import { commitTurnEnd } from "./turn-end.js";
import { readTurn } from "./turns.js";

describe.each(DRIVERS)("an end that does not fit its turn on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const toolCall = (turn: { turnId: string; sessionId: string }, parentId: string): AuditRow => ({
    id: randomUUID(),
    sessionId: turn.sessionId,
    turnId: turn.turnId,
    actionType: "tool_call",
    parentId,
    detail: {},
    durationMs: null,
    occurredAt: AT,
  });

  test("a message of another conversation or another turn, or a call of another turn, ends nothing [C-8]", async () => {
    const turn = await startTurn(store.database, org);
    const other = await startTurn(store.database, org);
    const end = await endOf(turn);
    const foreign = [
      { ...end, message: { ...end.message, conversation_id: other.conversationId } },
      { ...end, message: { ...end.message, run_id: other.turnId } },
      {
        ...end,
        calls: [
          {
            turnId: other.turnId,
            call: 1,
            model: "m",
            inputTokens: 1,
            outputTokens: 1,
            reasoningTokens: 0,
            cachedTokens: 0,
            costUsd: "0",
            ttftMs: 0,
            totalMs: 0,
            estimated: false,
            occurredAt: AT,
          },
        ],
      },
    ];
    for (const wrong of foreign) {
      await expect(commitTurnEnd(store.database, org, wrong)).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    for (const { turnId } of [turn, other]) {
      expect(await readTurn(store.database, org, turnId)).toMatchObject({ status: "running" });
    }
  });

  test("actions that came with the end may be each other's parents, but not in a circle [R-7-1] [R-7-3]", async () => {
    const turn = await startTurn(store.database, org);
    const outer = toolCall(turn, turn.turnId);
    const inner = toolCall(turn, outer.id);
    const circle = { ...outer, parentId: inner.id };
    const end = await endOf(turn);
    await expect(commitTurnEnd(store.database, org, { ...end, audit: [circle, inner] })).rejects.toMatchObject({
      code: "PROVENANCE_INVALID",
    });
    await commitTurnEnd(store.database, org, { ...end, audit: [inner, outer] });
    const chain = await store.database.asTenant(org, (sql) => readChain(sql, turn.sessionId, inner.id));
    expect(chain?.map(({ id }) => id)).toEqual([turn.turnId, outer.id, inner.id]);
  });

  test("of two that end one turn at once, one does, and both are told so [D-4]", async () => {
    const turn = await startTurn(store.database, org);
    const end = await endOf(turn, { audit: [toolCall(turn, turn.turnId)] });
    await Promise.all([1, 2, 3, 4].map(() => commitTurnEnd(store.database, org, end)));
    const [count] = await store.admin(`select
      (select count(*)::int from messages where run_id = '${turn.turnId}' and role = 'assistant') as messages,
      (select count(*)::int from turn_frames where turn_id = '${turn.turnId}') as frames`);
    expect(count).toEqual({ messages: 1, frames: 1 });
  });
});
