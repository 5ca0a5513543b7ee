import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalRequest } from "./approvals.js";
import {
  expireApprovals,
  listPendingApprovals,
  requestApproval,
  resolveApproval,
  useApproval,
  withdrawApprovals,
} from "./approvals.js";
import { createSession } from "./sessions.js";
import type { Sql } from "./sql.js";
import { insertTurn } from "./testing/insert-turn.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";

const DIGEST = "a".repeat(64);
const parallel = <T>(act: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: 20 }, (_, index) => act(index)));

describe.each(DRIVERS)("approvals on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  let sessionId: string;
  let turnId: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
    [sessionId, turnId] = await newTurn();
  });
  afterAll(() => store.close());

  const run = <T>(work: (sql: Sql) => Promise<T>, orgId = org) => store.database.asTenant(orgId, work);
  const newTurn = async (): Promise<[string, string]> => {
    const [id, conversationId] = [randomUUID(), randomUUID()];
    const conversation = { id: conversationId, isNew: true };
    await run((sql) => createSession(sql, { id, conversation, agentId: "assistant", userId: "user_1" }));
    return [id, await insertTurn(store.database, org, { sessionId: id, conversationId })];
  };
  const requestOf = (fields: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
    id: randomUUID(),
    sessionId,
    turnId,
    toolCallId: `call_${randomUUID()}`,
    toolName: "send_money",
    digest: DIGEST,
    summary: { amount: 10 },
    expiresInMs: 60_000,
    ...fields,
  });
  const request = (fields: Partial<ApprovalRequest> = {}) => run((sql) => requestApproval(sql, requestOf(fields)));
  const resolve = (approvalId: string, fields: Partial<ApprovalAnswer> = {}) =>
    run((sql) => resolveApproval(sql, { approvalId, userId: undefined, approved: true, by: "user_1", ...fields }));
  const use = (fields: Partial<Parameters<typeof useApproval>[1]> = {}, orgId = org) =>
    run((sql) => useApproval(sql, { sessionId, digest: DIGEST, ...fields }), orgId);
  const statusOf = async (id: string) =>
    (await store.admin<{ status: string }>(`select status from approvals where id = '${id}'`))[0]?.status;
  const letExpire = (id: string) =>
    store.admin(`update approvals set expires_at = now() - interval '1 second' where id = '${id}'`);

  test("what waits for an answer is listed, oldest first, until it has one [G10]", async () => {
    const [first, second, third] = [await request(), await request(), await request()];
    expect(first).toMatchObject({ sessionId, turnId, toolName: "send_money", digest: DIGEST, status: "pending" });
    expect(first.expiresAt - first.requestedAt).toBe(60_000);
    await resolve(second.id);
    await letExpire(third.id);
    const [otherSession, otherTurn] = await newTurn();
    await request({ sessionId: otherSession, turnId: otherTurn });
    expect(await run((sql) => listPendingApprovals(sql, sessionId))).toEqual([first]);
    expect(await run((sql) => listPendingApprovals(sql, "none"))).toEqual([]);
  });

  test("a tool call asks once, also when twenty ask for it at once, and for one thing only [G10]", async () => {
    const asked = await parallel(() => request({ toolCallId: "call_1" }));
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
    const other = request({ toolCallId: "call_1", digest: "b".repeat(64) });
    await expect(other).rejects.toMatchObject({ code: "INVARIANT_VIOLATION" });
  });

  test("nobody asks for a turn of another session or tenant [G10]", async () => {
    const [otherSession] = await newTurn();
    const stranger = await createTenant(store.database);
    const wrong = [
      request({ sessionId: otherSession }),
      request({ turnId: randomUUID() }),
      run((sql) => requestApproval(sql, requestOf()), stranger),
    ];
    for (const attempt of await Promise.allSettled(wrong))
      expect(attempt).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
  });

  test("of twenty who answer at once one is first, and all are told that one answer [G10] [R-GAP-3]", async () => {
    const { id } = await request();
    const answers = await parallel((index) => resolve(id, { approved: index % 2 === 0, by: `person_${index}` }));
    expect(answers.filter(({ first }) => first)).toHaveLength(1);
    const told = answers.find(({ first }) => first)?.approval;
    expect(told?.status).toMatch(/^(?:approved|denied)$/);
    for (const { approval } of answers) expect(approval).toEqual(told);
  });

  test("a later answer changes nothing, and says what was decided by whom [G10] [R-GAP-3]", async () => {
    const { id } = await request();
    const { approval } = await resolve(id, { approved: false, by: "ann", note: "too much" });
    expect(approval).toMatchObject({ status: "denied", resolvedBy: "ann", note: "too much" });
    expect(await resolve(id, { approved: true, by: "bob" })).toEqual({ first: false, approval });
    expect(await use()).toBeUndefined();
  });

  test("an approval of another user or tenant is not found, and stays open [G10] [D-12]", async () => {
    const { id } = await request();
    const stranger = await createTenant(store.database);
    const answer = { approvalId: id, userId: undefined, approved: true, by: "x" };
    const wrong = [
      resolve(id, { userId: "user_2" }),
      resolve(randomUUID()),
      resolve("none"),
      run((sql) => resolveApproval(sql, answer), stranger),
    ];
    for (const attempt of await Promise.allSettled(wrong))
      expect(attempt).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
    expect(await resolve(id, { userId: "user_1" })).toMatchObject({ first: true });
    expect(await use({}, stranger)).toBeUndefined();
  });

  test("of twenty who would use one approval at once exactly one may [G10]", async () => {
    const { id } = await request();
    await resolve(id);
    const used = (await parallel(() => use())).filter((approval) => approval !== undefined);
    expect(used).toMatchObject([{ id, status: "used" }]);
    expect(await use()).toBeUndefined();
    expect(await resolve(id)).toMatchObject({ first: false, approval: { status: "used", resolvedBy: "user_1" } });
  });

  test("two approvals of the same call allow it twice and no more [G10]", async () => {
    for (const { id } of [await request(), await request()]) await resolve(id);
    const used = [await use(), await use(), await use()];
    expect(used.filter((approval) => approval !== undefined)).toHaveLength(2);
    expect(used[0]?.id).not.toBe(used[1]?.id);
  });

  test("an approval is good for its digest in its session, and for nothing before it is given [G10]", async () => {
    const { id } = await request();
    expect(await use()).toBeUndefined();
    await resolve(id);
    const [otherSession] = await newTurn();
    expect(await use({ digest: "b".repeat(64) })).toBeUndefined();
    expect(await use({ sessionId: otherSession })).toBeUndefined();
    expect(await use()).toMatchObject({ id });
  });

  test("after its expiry an approval can be neither given nor used [G10] [R-GAP-3]", async () => {
    const [late, given] = [await request(), await request()];
    await resolve(given.id);
    for (const { id } of [late, given]) await letExpire(id);
    expect(await resolve(late.id)).toMatchObject({ first: false, approval: { status: "expired", resolvedBy: null } });
    expect(await use()).toBeUndefined();
    expect((await run((sql) => expireApprovals(sql))).map(({ id }) => id)).toEqual([late.id]);
    expect(await run((sql) => expireApprovals(sql))).toEqual([]);
    expect([await statusOf(late.id), await statusOf(given.id)]).toEqual(["expired", "approved"]);
  });

  test("a withdrawn turn keeps what was used or denied, and nothing of the rest can be given or used [G10]", async () => {
    const [pending, approved, denied, used] = [await request(), await request(), await request(), await request()];
    await resolve(used.id);
    await use();
    await resolve(approved.id);
    await resolve(denied.id, { approved: false });
    const withdrawn = await run((sql) => withdrawApprovals(sql, turnId));
    expect(withdrawn.map(({ id }) => id).sort()).toEqual([pending.id, approved.id].sort());
    expect(await use()).toBeUndefined();
    expect(await resolve(pending.id)).toMatchObject({ first: false, approval: { status: "withdrawn" } });
    expect([await statusOf(denied.id), await statusOf(used.id)]).toEqual(["denied", "used"]);
  });

  test("bad text is refused by name before anything is written, and U+0000 in a summary is replaced [G10]", async () => {
    for (const fields of [{ toolName: "\0" }, { digest: "\ud800" }, { expiresInMs: -1 }, { expiresInMs: 2 ** 31 }])
      await expect(request(fields)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const { id, summary } = await request({ summary: { to: "a\0b" } });
    expect(summary).toEqual({ to: "a\ufffdb" });
    await expect(resolve(id, { note: "\0" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await statusOf(id)).toBe("pending");
  });
});
