import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ensureOrganization } from "./organizations.js";
import type { NewSession, SessionStatus } from "./sessions.js";
import {
  advanceLoop,
  createSession,
  heartbeatSessions,
  readSession,
  requireConversation,
  setSessionStatus,
  TRANSITIONS,
  terminateSession,
} from "./sessions.js";
import type { Sql } from "./sql.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";

const NOT_FOUND = { code: "NOT_FOUND" };
const STATUSES = Object.keys(TRANSITIONS) as SessionStatus[];

describe.each(DRIVERS)("sessions on the %s driver", (name) => {
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
  const newSession = (fields: Partial<NewSession> = {}): NewSession => ({
    id: randomUUID(),
    conversation: { id: randomUUID(), isNew: true },
    agentId: "assistant",
    userId: "user_1",
    ...fields,
  });
  const create = (fields: Partial<NewSession> = {}) => run((sql) => createSession(sql, newSession(fields)));
  const anyUser = (sessionId: string) => ({ sessionId, userId: undefined });
  const put = (id: string, status: SessionStatus) =>
    store.admin(`update agent_sessions set status = '${status}' where id = '${id}'`);

  test("a new session has all it carries, with times in milliseconds, and reads back the same [R-SES-1] [C-9]", async () => {
    const wanted = newSession({
      status: "initializing",
      locale: "cs-CZ",
      metadata: { channel: "web" },
      snapshot: { tools: ["search"] },
    });
    const before = Date.now();
    const session = await run((sql) => createSession(sql, wanted));
    expect(session).toEqual({
      id: wanted.id,
      conversationId: wanted.conversation.id,
      agentId: "assistant",
      userId: "user_1",
      status: "initializing",
      locale: "cs-CZ",
      metadata: { channel: "web" },
      snapshot: { tools: ["search"] },
      checkpointKey: null,
      loopCount: 0,
      lastHeartbeat: null,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    });
    expect(Math.abs(session.createdAt - before)).toBeLessThan(60_000);
    expect(await run((sql) => readSession(sql, { sessionId: wanted.id, userId: "user_1" }))).toEqual(session);
  });

  test("a session may join a conversation of its user, and of nobody else", async () => {
    const { conversationId } = await create();
    const existing = { conversation: { id: conversationId, isNew: false } };
    expect(await create(existing)).toMatchObject({ conversationId });
    await expect(create({ ...existing, userId: "user_2" })).rejects.toMatchObject(NOT_FOUND);
    await expect(create({ conversation: { id: randomUUID(), isNew: false } })).rejects.toMatchObject(NOT_FOUND);
    await expect(create({ conversation: { id: "none", isNew: false } })).rejects.toMatchObject(NOT_FOUND);
    const stranger = await createTenant(store.database);
    const foreign = run((sql) => createSession(sql, newSession(existing)), stranger);
    await expect(foreign).rejects.toMatchObject(NOT_FOUND);
  });

  test("a session of another tenant or user is not found, whoever reads, changes or ends it [D-12]", async () => {
    const { id, conversationId } = await create();
    const stranger = await createTenant(store.database);
    const foreign = [
      run((sql) => readSession(sql, anyUser(id)), stranger),
      run((sql) => setSessionStatus(sql, anyUser(id), "suspended"), stranger),
      run((sql) => terminateSession(sql, anyUser(id)), stranger),
      run((sql) => advanceLoop(sql, id, 1), stranger),
      run((sql) => requireConversation(sql, { conversationId, userId: undefined }), stranger),
      run((sql) => readSession(sql, { sessionId: id, userId: "user_2" })),
      run((sql) => setSessionStatus(sql, { sessionId: id, userId: "user_2" }, "suspended")),
      run((sql) => terminateSession(sql, { sessionId: id, userId: "user_2" })),
      run((sql) => requireConversation(sql, { conversationId, userId: "user_2" })),
      run((sql) => readSession(sql, anyUser(randomUUID()))),
      run((sql) => readSession(sql, anyUser("no uuid"))),
    ];
    for (const attempt of await Promise.allSettled(foreign))
      expect(attempt).toMatchObject({ status: "rejected", reason: NOT_FOUND });
    expect(await run((sql) => heartbeatSessions(sql, [id]), stranger)).toEqual([]);
    expect(await run((sql) => readSession(sql, anyUser(id)))).toMatchObject({ status: "active", loopCount: 0 });
    await run((sql) => requireConversation(sql, { conversationId, userId: "user_1" }));
  });

  test("every step of the status table is taken, and every other step is refused and changes nothing [R-SES-1] [C-25]", async () => {
    const { id } = await create();
    for (const from of STATUSES) {
      for (const to of STATUSES) {
        await put(id, from);
        const step = run((sql) => setSessionStatus(sql, anyUser(id), to));
        if (TRANSITIONS[from].includes(to)) expect(await step).toMatchObject({ id, status: to });
        else {
          const code = from === "terminated" ? "SESSION_CLOSED" : "INVALID_ARGUMENT";
          await expect(step, `${from} to ${to}`).rejects.toMatchObject({ code });
          expect(await run((sql) => readSession(sql, anyUser(id)))).toMatchObject({ status: from });
        }
      }
    }
  });

  test("the status table is the one that is agreed [R-SES-1]", () => {
    expect(TRANSITIONS).toEqual({
      initializing: ["active", "error"],
      active: ["suspended", "initializing", "terminated", "error"],
      suspended: ["active", "terminated"],
      error: ["terminated"],
      terminated: [],
    });
  });

  test("twenty at once that take the same step: one takes it, the others are refused [R-SES-1]", async () => {
    const { id } = await create();
    const steps = Array.from({ length: 20 }, () => run((sql) => setSessionStatus(sql, anyUser(id), "suspended")));
    const settled = await Promise.allSettled(steps);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const one of settled)
      if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("ending a session twice ends it once [R-SES-1]", async () => {
    const { id } = await create();
    const first = await run((sql) => terminateSession(sql, anyUser(id)));
    expect(first.status).toBe("terminated");
    expect(await run((sql) => terminateSession(sql, anyUser(id)))).toEqual(first);
  });

  test("the loop count goes up and never down, and nothing that is no count gets in [R-SES-1]", async () => {
    const { id } = await create();
    const advance = (count: number) => run((sql) => advanceLoop(sql, id, count));
    expect([await advance(3), await advance(2), await advance(7)]).toEqual([3, 3, 7]);
    for (const wrong of [-1, 1.5, Number.NaN, 2 ** 31])
      await expect(advance(wrong)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await run((sql) => readSession(sql, anyUser(id)))).toMatchObject({ loopCount: 7 });
  });

  test("a heartbeat reaches every session that a worker holds, and names those it still holds [R-SES-1] [R-GAP-2]", async () => {
    const [one, two, ended] = [await create(), await create(), await create()];
    await run((sql) => terminateSession(sql, anyUser(ended.id)));
    const ids = [one.id, two.id, ended.id, randomUUID()];
    const held = await run((sql) => heartbeatSessions(sql, ids));
    expect([...held].sort()).toEqual([one.id, two.id].sort());
    const beat = (await run((sql) => readSession(sql, anyUser(one.id)))).lastHeartbeat;
    expect(Math.abs((beat ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(await run((sql) => readSession(sql, anyUser(ended.id)))).toMatchObject({ lastHeartbeat: null });
    expect(await run((sql) => heartbeatSessions(sql, []))).toEqual([]);
  });

  test("the snapshot stays as it was, whatever happens to the session and whoever tries [R-5.1-4]", async () => {
    const { id } = await create({ snapshot: { tools: ["search"] } });
    await run((sql) => setSessionStatus(sql, anyUser(id), "suspended"));
    await run((sql) => advanceLoop(sql, id, 4));
    const change = "update agent_sessions set snapshot_data = '{}' where id = $1";
    await expect(run((sql) => sql.query(change, [id]))).rejects.toMatchObject({ code: "23514" });
    await expect(store.admin(change.replace("$1", `'${id}'`))).rejects.toMatchObject({ code: "23514" });
    expect(await run((sql) => readSession(sql, anyUser(id)))).toMatchObject({ snapshot: { tools: ["search"] } });
  });

  test("text that the database cannot keep is refused before anything is written", async () => {
    const wrong: Partial<NewSession>[] = [
      { id: "7" },
      { agentId: "a\0" },
      { userId: "u\ud800" },
      { locale: "\0" },
      { metadata: { a: "\0" } },
      { snapshot: { a: "\ud800" } },
    ];
    for (const fields of wrong) await expect(create(fields)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await run((sql) => sql.query("select id from conversations"))).toEqual([]);
  });

  test("a tenant's row is made once, also by twenty at once, and keeps its name until it gets another", async () => {
    const orgId = randomUUID();
    const ensure = (as?: string) => run((sql) => ensureOrganization(sql, orgId, as), orgId);
    const nameOf = () => run((sql) => sql.query("select name from organizations"), orgId);
    await Promise.all(Array.from({ length: 20 }, () => ensure()));
    expect(await nameOf()).toEqual([{ name: "" }]);
    await ensure("Acme");
    await ensure();
    expect(await nameOf()).toEqual([{ name: "Acme" }]);
    await ensure("Acme & Sons");
    expect(await nameOf()).toEqual([{ name: "Acme & Sons" }]);
    const foreign = run((sql) => ensureOrganization(sql, orgId, "mine"));
    await expect(foreign).rejects.toMatchObject({ code: "42501" });
  });
});
