import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertAuditRows } from "../store/audit.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { listActions, readProvenance, requireParent } from "./provenance.js";
import { openTurn } from "./testing/open-turn.js";
import { auditRowsOfTurn } from "./turn-audit.js";

describe.each(DRIVERS)("provenance on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  async function completedTurn(org: string) {
    const turn = { ...(await openTurn(store.database, org)), receivedAt: 1_000, newId: randomUUID };
    const rows = auditRowsOfTurn(
      turn,
      [{ type: "tool_call", tool_call_id: "a", tool_name: "find", arguments: {}, timestamp: 1_500 }],
      { outcome: { kind: "completed" }, answer: "Hello", endedAt: 2_000 },
    );
    await store.database.asTenant(org, (sql) => insertAuditRows(sql, rows));
    return { ...turn, rows };
  }

  test("the rows of a turn can be written beside its message, and each is led back to it [R-7-1, R-7-2]", async () => {
    const org = await createTenant(store.database);
    const { sessionId, rootId, rows } = await completedTurn(org);
    for (const { id: actionId, actionType } of rows.slice(1)) {
      expect(await readProvenance(store.database, org, { sessionId, actionId })).toEqual([
        { id: rootId, action_type: "message_received" },
        { id: actionId, action_type: actionType },
      ]);
    }
  });

  test("no chain is told of an action that the session or the tenant does not have [R-7-2]", async () => {
    const [org, stranger] = [await createTenant(store.database), await createTenant(store.database)];
    const { sessionId, rootId } = await completedTurn(org);
    const other = await completedTurn(org);
    const unknown = { code: "NOT_FOUND" };
    const ask = (tenant: string, session: string, actionId: string) =>
      readProvenance(store.database, tenant, { sessionId: session, actionId });
    await expect(ask(stranger, sessionId, rootId)).rejects.toMatchObject(unknown);
    await expect(ask(org, other.sessionId, rootId)).rejects.toMatchObject(unknown);
    await expect(ask(org, sessionId, randomUUID())).rejects.toMatchObject(unknown);
    await expect(ask(org, "'; drop", rootId)).rejects.toMatchObject(unknown);
    await expect(ask(org, sessionId, "x")).rejects.toMatchObject(unknown);
  });

  test("an action with a forged parent is stopped before it is done [R-7-3]", async () => {
    const [org, stranger] = [await createTenant(store.database), await createTenant(store.database)];
    const mine = await completedTurn(org);
    const other = await completedTurn(org);
    const foreign = await completedTurn(stranger);
    const ask = (actionId: string) =>
      store.database.asTenant(org, (sql) => requireParent(sql, { sessionId: mine.sessionId, actionId }));
    expect((await ask(mine.rootId)).at(-1)?.id).toBe(mine.rootId);
    for (const forged of [other.rootId, foreign.rootId, randomUUID(), "", "root"]) {
      await expect(ask(forged)).rejects.toMatchObject({ code: "PROVENANCE_INVALID" });
    }
  });

  test("the end of a message is found by its name and by its older one, and by no invented one [I-14]", async () => {
    const org = await createTenant(store.database);
    const { sessionId, rows } = await completedTurn(org);
    const find = (type?: string) => store.database.asTenant(org, async (sql) => listActions(sql, sessionId, type));
    for (const type of ["message_completed", "session_message_completed"]) {
      expect((await find(type)).map(({ id }) => id)).toEqual([rows.at(-1)?.id]);
    }
    expect(await find()).toHaveLength(3);
    for (const type of ["", "toString", "message"]) {
      await expect(find(type)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
  });
});
