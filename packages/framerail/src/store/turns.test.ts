import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loseAnswer } from "./testing/lose-answer.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { claimOf, createSession, endOf, startTurn, userMessage } from "./testing/turn-fixtures.js";
import { commitTurnEnd } from "./turn-end.js";
import { acceptTurn, claimTurn, dropExpiredKeys, readTurn, refuseTurn } from "./turns.js";

describe.each(DRIVERS)("turns on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const claim = (fields: ReturnType<typeof claimOf>) => claimTurn(store.database, org, fields);
  const statusOf = async (turnId: string) => (await readTurn(store.database, org, turnId))?.status;

  test("a claim gives the session's facts, and acceptance stores the message and the root of its chain [P-64] [R-15.6-3] [C-8]", async () => {
    const { sessionId, conversationId } = await createSession(store.database, org);
    const asked = claimOf(sessionId);
    expect(await claim(asked)).toEqual({
      kind: "claimed",
      turn: { conversation_id: conversationId, agent_id: "assistant", user_id: "user_1", locale: null, metadata: {} },
    });
    expect(await statusOf(asked.turnId)).toBe("dispatching");
    const message = userMessage(asked.turnId, conversationId, "two\u0000words");
    await acceptTurn(store.database, org, { turnId: asked.turnId, epoch: 1, message });
    expect(await statusOf(asked.turnId)).toBe("running");
    const kept = await store.admin(`select m.id, m.role, m.run_id, m.content_items, m.created_at, a.action_type,
      a.provenance_chain from messages m join agent_audit_log a on a.turn_id = m.run_id where m.run_id = '${asked.turnId}'`);
    expect(kept).toEqual([
      {
        id: message._id,
        role: "user",
        run_id: asked.turnId,
        content_items: [{ ...message.content_items[0], content: "two\uFFFDwords" }],
        created_at: message.created_at,
        action_type: "message_received",
        provenance_chain: [{ id: asked.turnId, action_type: "message_received" }],
      },
    ]);
  });

  test("a session has one open turn at a time, also when twenty ask at once [D-20]", async () => {
    const { sessionId } = await createSession(store.database, org);
    const claims = Array.from({ length: 20 }, () => claim(claimOf(sessionId)));
    const settled = await Promise.allSettled(claims);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const one of settled)
      if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "TURN_RUNNING" });
  });

  test("a claim and an acceptance whose answers were lost are found, and the turn goes on [D-4]", async () => {
    const { sessionId, conversationId } = await createSession(store.database, org);
    const asked = claimOf(sessionId);
    const claimed = await claimTurn(loseAnswer(store.database, "after"), org, asked);
    expect(claimed).toMatchObject({ kind: "claimed", turn: { conversation_id: conversationId, user_id: "user_1" } });
    const acceptance = { turnId: asked.turnId, epoch: 1, message: userMessage(asked.turnId, conversationId) };
    await acceptTurn(loseAnswer(store.database, "after"), org, acceptance);
    expect(await statusOf(asked.turnId)).toBe("running");
  });

  test("a claim and an acceptance that were never committed stay unknown, and can be tried again [D-4]", async () => {
    const { sessionId, conversationId } = await createSession(store.database, org);
    const asked = claimOf(sessionId);
    const unknown = { code: "COMMIT_UNKNOWN" };
    await expect(claimTurn(loseAnswer(store.database, "before"), org, asked)).rejects.toMatchObject(unknown);
    await claim(asked);
    const acceptance = { turnId: asked.turnId, epoch: 1, message: userMessage(asked.turnId, conversationId) };
    await expect(acceptTurn(loseAnswer(store.database, "before"), org, acceptance)).rejects.toMatchObject(unknown);
    expect(await statusOf(asked.turnId)).toBe("dispatching");
    await acceptTurn(store.database, org, acceptance);
    expect(await statusOf(asked.turnId)).toBe("running");
  });

  test("a refused claim and an ended turn make room for the next [D-20]", async () => {
    const { sessionId, conversationId } = await createSession(store.database, org);
    const first = claimOf(sessionId);
    await claim(first);
    await refuseTurn(store.database, org, first.turnId, 1);
    expect(await statusOf(first.turnId)).toBe("refused");
    const second = claimOf(sessionId);
    await claim(second);
    await acceptTurn(store.database, org, {
      turnId: second.turnId,
      epoch: 1,
      message: userMessage(second.turnId, conversationId),
    });
    await commitTurnEnd(store.database, org, await endOf({ turnId: second.turnId, conversationId }));
    expect((await claim(claimOf(sessionId))).kind).toBe("claimed");
  });

  test("the same key and request attach to the first turn, and another request is refused", async () => {
    const { sessionId } = await createSession(store.database, org);
    const idempotency = { principal: "user_1", key: "k1", bodySha256: "a".repeat(64) };
    const first = claimOf(sessionId, { idempotency });
    const results = await Promise.all(
      [first, ...Array.from({ length: 9 }, () => claimOf(sessionId, { idempotency }))].map(claim),
    );
    const claimed = results.filter(({ kind }) => kind === "claimed");
    expect(claimed).toHaveLength(1);
    const attached = new Set(results.flatMap((result) => (result.kind === "attached" ? [result.turnId] : [])));
    expect(attached.size).toBe(1);
    const other = { ...idempotency, bodySha256: "b".repeat(64) };
    await expect(claim(claimOf(sessionId, { idempotency: other }))).rejects.toMatchObject({ code: "KEY_REUSED" });
    const stranger = { ...idempotency, principal: "user_2" };
    await expect(claim(claimOf(sessionId, { idempotency: stranger }))).rejects.toMatchObject({ code: "TURN_RUNNING" });
  });

  test("a key is free again when its claim was refused, and after it has expired", async () => {
    const { sessionId } = await createSession(store.database, org);
    const idempotency = { principal: "user_1", key: "k1", bodySha256: "a".repeat(64) };
    const first = claimOf(sessionId, { idempotency });
    await claim(first);
    await refuseTurn(store.database, org, first.turnId, 1);
    const second = claimOf(sessionId, { idempotency });
    expect((await claim(second)).kind).toBe("claimed");
    await refuseTurn(store.database, org, second.turnId, 99);
    expect(await claim(claimOf(sessionId, { idempotency }))).toEqual({ kind: "attached", turnId: second.turnId });
    await store.admin(`update idempotency_keys set expires_at = now() - interval '1 second' where org_id = '${org}'`);
    await refuseTurn(store.database, org, second.turnId, 1);
    expect((await claim(claimOf(sessionId, { idempotency }))).kind).toBe("claimed");
  });

  test("keys that have expired are taken away, and others stay", async () => {
    const { sessionId } = await createSession(store.database, org);
    const key = (name: string) => ({ principal: "user_1", key: name, bodySha256: "a".repeat(64) });
    const first = claimOf(sessionId, { idempotency: key("old") });
    await claim(first);
    await store.admin(`update idempotency_keys set expires_at = now() - interval '1 second' where org_id = '${org}'`);
    await store.admin(`update turns set status = 'refused' where id = '${first.turnId}'`);
    await claim(claimOf(sessionId, { idempotency: key("young") }));
    expect(await dropExpiredKeys(store.database)).toBe(1);
    expect(await store.admin(`select key from idempotency_keys where org_id = '${org}'`)).toEqual([{ key: "young" }]);
  });

  test("a session that is closed, unknown, another user's or another tenant's takes no turn [D-13]", async () => {
    const { sessionId } = await createSession(store.database, org);
    await expect(claim(claimOf(randomUUID()))).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(claim(claimOf(sessionId, { userId: "user_2" }))).rejects.toMatchObject({ code: "NOT_FOUND" });
    const other = await createTenant(store.database);
    await expect(claimTurn(store.database, other, claimOf(sessionId))).rejects.toMatchObject({ code: "NOT_FOUND" });
    await store.admin(`update agent_sessions set status = 'suspended' where id = '${sessionId}'`);
    await expect(claim(claimOf(sessionId))).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  });

  test("a turn is accepted once, by the owner of its epoch [D-3]", async () => {
    const { turnId, conversationId } = await startTurn(store.database, org);
    const accept = (epoch: number) =>
      acceptTurn(store.database, org, { turnId, epoch, message: userMessage(turnId, conversationId) });
    await expect(accept(1)).rejects.toMatchObject({ code: "STALE_EPOCH" });
    await expect(accept(2)).rejects.toMatchObject({ code: "STALE_EPOCH" });
    expect(await store.admin(`select id from messages where run_id = '${turnId}'`)).toHaveLength(1);
  });

  test("a turn is read by its tenant and its user alone [D-13]", async () => {
    const { turnId } = await startTurn(store.database, org);
    expect(await readTurn(store.database, org, turnId, "user_1")).toMatchObject({
      turn_id: turnId,
      epoch: 1,
      outcome: null,
    });
    expect(await readTurn(store.database, org, turnId, "user_2")).toBeUndefined();
    expect(await readTurn(store.database, await createTenant(store.database), turnId)).toBeUndefined();
  });
});
