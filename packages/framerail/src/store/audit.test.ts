import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTurn } from "../ledger/testing/open-turn.js";
import type { ActionType, AuditRow } from "./audit.js";
import { ACTION_TYPES, CHAIN_LINKS_MAX, findRoot, insertAuditRows, readActions, readChain } from "./audit.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";

const rowOf = (sessionId: string, actionType: ActionType, parentId: string | null): AuditRow => ({
  id: randomUUID(),
  sessionId,
  turnId: null,
  actionType,
  parentId,
  detail: {},
  durationMs: null,
  occurredAt: null,
});

describe.each(DRIVERS)("the audit log on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  const write = (org: string, ...rows: AuditRow[]) => store.database.asTenant(org, (sql) => insertAuditRows(sql, rows));
  const actions = (org: string, session: string, type?: ActionType) =>
    store.database.asTenant(org, (sql) => readActions(sql, session, type));

  test("a chain leads from the message down to the action, over stored rows and rows given together [R-7-1, R-15.6-3]", async () => {
    const org = await createTenant(store.database);
    const { sessionId, rootId } = await openTurn(store.database, org);
    const outer = rowOf(sessionId, "tool_call", rootId);
    const inner = rowOf(sessionId, "approval_requested", outer.id);
    const innermost = rowOf(sessionId, "approval_resolved", inner.id);
    const done = rowOf(sessionId, "message_completed", rootId);
    // In no order: parents need not come first.
    expect(await write(org, innermost, done, outer, inner)).toBe(4);
    const chain = await store.database.asTenant(org, (sql) => readChain(sql, sessionId, innermost.id));
    expect(chain).toEqual([
      { id: rootId, action_type: "message_received" },
      { id: outer.id, action_type: "tool_call" },
      { id: inner.id, action_type: "approval_requested" },
      { id: innermost.id, action_type: "approval_resolved" },
    ]);
    const all = await actions(org, sessionId);
    expect(all.map((action) => action.chain.at(-1)?.id)).toEqual(all.map(({ id }) => id));
    expect(all.find(({ id }) => id === done.id)?.chain.map(({ action_type }) => action_type)).toEqual([
      "message_received",
      "message_completed",
    ]);
  });

  test("a row whose parent is missing, of another session or of another tenant stops every row with it [R-7-3]", async () => {
    const [org, stranger] = [await createTenant(store.database), await createTenant(store.database)];
    const mine = await openTurn(store.database, org);
    const other = await openTurn(store.database, org);
    const foreign = await openTurn(store.database, stranger);
    const good = rowOf(mine.sessionId, "tool_call", mine.rootId);
    const itself = { ...rowOf(mine.sessionId, "tool_call", null), id: mine.turnId, parentId: mine.turnId };
    const forged = [
      rowOf(mine.sessionId, "tool_call", randomUUID()),
      rowOf(mine.sessionId, "tool_call", other.rootId),
      rowOf(mine.sessionId, "tool_call", foreign.rootId),
      rowOf(other.sessionId, "tool_call", good.id),
      rowOf(mine.sessionId, "tool_call", null),
      rowOf(mine.sessionId, "tool_call", "no id at all"),
      rowOf(mine.sessionId, "message_received", mine.rootId),
      itself,
    ];
    for (const row of forged) {
      await expect(write(org, good, row)).rejects.toMatchObject({ code: "PROVENANCE_INVALID" });
    }
    expect((await actions(org, mine.sessionId)).map(({ id }) => id)).toEqual([mine.rootId]);
  });

  test("a row that is written again changes nothing, alone and beside new ones", async () => {
    const org = await createTenant(store.database);
    const { sessionId, rootId } = await openTurn(store.database, org);
    const first = { ...rowOf(sessionId, "tool_call", rootId), detail: { tool_name: "first" } };
    const next = rowOf(sessionId, "approval_requested", first.id);
    expect(await write(org, first)).toBe(1);
    expect(await write(org, { ...first, detail: { tool_name: "second" } }, next)).toBe(1);
    expect(await write(org, first, next)).toBe(0);
    const [, kept] = await actions(org, sessionId);
    expect(kept?.detail).toEqual({ tool_name: "first" });
  });

  test("a chain has a longest length, and what goes beyond it is refused", async () => {
    const org = await createTenant(store.database);
    const { sessionId, rootId } = await openTurn(store.database, org);
    const rows: AuditRow[] = [];
    for (let parent = rootId; rows.length < CHAIN_LINKS_MAX - 1; parent = rows.at(-1)?.id as string) {
      rows.push(rowOf(sessionId, "tool_call", parent));
    }
    const last = rows.at(-1)?.id as string;
    const beyond = rowOf(sessionId, "tool_call", last);
    await expect(write(org, ...rows, beyond)).rejects.toMatchObject({ code: "PROVENANCE_INVALID" });
    await write(org, ...rows);
    await expect(write(org, beyond)).rejects.toMatchObject({ code: "PROVENANCE_INVALID" });
  });

  test("rows are read with all they were written with, and no text can make the write fail [R-AUD-1]", async () => {
    const org = await createTenant(store.database);
    const { sessionId, turnId, rootId } = await openTurn(store.database, org);
    const at = Date.UTC(2026, 4, 15, 18, 0, 1, 5);
    const rows = ACTION_TYPES.filter((type) => type !== "message_received").map((type, index) => ({
      ...rowOf(sessionId, type, rootId),
      turnId,
      detail: { text: `nul \0, half \ud800, whole 😀`, deep: { list: [1, null, true] } },
      durationMs: index,
      occurredAt: at + index,
    }));
    await write(org, ...rows);
    const [, ...read] = await actions(org, sessionId);
    expect(read).toEqual(
      rows.map((row) => ({
        ...row,
        detail: { ...row.detail, text: "nul \ufffd, half \ufffd, whole 😀" },
        chain: [
          { id: rootId, action_type: "message_received" },
          { id: row.id, action_type: row.actionType },
        ],
      })),
    );
    expect(await store.database.asTenant(org, (sql) => findRoot(sql, turnId))).toEqual({ id: rootId, sessionId });
    expect(await store.database.asTenant(org, (sql) => findRoot(sql, sessionId))).toBeUndefined();
  });

  test("the log is only ever added to, also by whoever owns the table [R-AUD-1]", async () => {
    const org = await createTenant(store.database);
    await openTurn(store.database, org);
    for (const text of ["update agent_audit_log set detail = '{}'", "delete from agent_audit_log"]) {
      await expect(store.database.asTenant(org, { text })).rejects.toMatchObject({ code: "42501" });
      await expect(store.admin(text)).rejects.toMatchObject({ code: "42501" });
    }
    await expect(store.admin("truncate agent_audit_log")).rejects.toMatchObject({ code: "42501" });
    await expect(
      store.admin(
        "insert into agent_audit_log (org_id, id, session_id, action_type, provenance_chain) select id, id, id, 'x', '[]' from organizations limit 1",
      ),
    ).rejects.toMatchObject({ code: "23514" });
  });

  test("a tenant sees no chain of another one's action", async () => {
    const [org, stranger] = [await createTenant(store.database), await createTenant(store.database)];
    const { sessionId, rootId } = await openTurn(store.database, org);
    expect(await store.database.asTenant(stranger, (sql) => readChain(sql, sessionId, rootId))).toBeUndefined();
    expect(await actions(stranger, sessionId)).toEqual([]);
  });
});
