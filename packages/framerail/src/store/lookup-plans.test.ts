import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTurn } from "../ledger/testing/open-turn.js";
import type { AuditRow } from "./audit.js";
import { insertAuditRows } from "./audit.js";
import type { Database } from "./database.js";
import { createJournal } from "./journal.js";
import type { Statement } from "./sql.js";
import { explain } from "./testing/explain.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { endOf, startTurn } from "./testing/turn-fixtures.js";
import { commitTurnEnd } from "./turn-end.js";

// Small on purpose: it is for small tables that planners like to read everything, and keep the plan while they grow.
describe.each(DRIVERS)("the first plans of a small database on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  test("an action's parent is looked up by its key, never among all that the tenant did", async () => {
    const org = await createTenant(store.database);
    const turn = await openTurn(store.database, org);
    const row: AuditRow = {
      ...{ id: randomUUID(), sessionId: turn.sessionId, turnId: turn.turnId, actionType: "tool_call" },
      ...{ parentId: turn.rootId, detail: {}, durationMs: null, occurredAt: null },
    };
    const [plan] = await store.database.asTenant(org, (sql) =>
      explain(sql, async (asked) => expect(await insertAuditRows(asked, [row])).toBe(1)),
    );
    expect(plan).toContain("agent_audit_log_pkey");
    expect(plan).not.toMatch(/Hash|Seq Scan|agent_audit_log_session/);
  });

  test("the turn of a journaled row is looked up by its key, never among a tenant's turns", async () => {
    const org = await createTenant(store.database);
    const { turnId } = await openTurn(store.database, org);
    const asked: Statement[] = [];
    const asSystem = (statement: Statement) => {
      asked.push(statement);
      return Promise.resolve([{ count: 1 }]);
    };
    const journal = createJournal({ database: { ...store.database, asSystem } as Database });
    const event = { type: "node_enter", node: "n", timestamp: 1 } as never;
    journal.append({ org_id: org, turn_id: turnId, epoch: 1, position: 1, after_seq: 1, emitter: "a", event });
    await journal.close();
    const { text, values = [] } = asked[0] as Statement;
    const plan = JSON.stringify(await store.database.asSystem({ text: `explain ${text}`, values }));
    expect(plan).toContain("Index Scan using turns_pkey");
    expect(plan).not.toMatch(/Hash|Seq Scan/);
  });

  test("the end of a turn finds it by its key, never among all that run", async () => {
    const org = await createTenant(store.database);
    const turn = await startTurn(store.database, org);
    // Told that of many turns hardly one runs, a planner takes the list of what runs for the shortest way.
    await store.admin(`insert into turns (org_id, id, session_id, conversation_id, agent_id, user_id, owner, status, outcome,
          terminal)
      select org_id, gen_random_uuid(), session_id, conversation_id, agent_id, user_id, owner, 'ended', '{}', ''
        from turns, generate_series(1, 2000) where id = '${turn.turnId}'`);
    await store.admin("analyze turns");
    const asked: Statement[] = [];
    const asTenant = (_: string, statement: Statement) => {
      asked.push(statement);
      return Promise.resolve([{ id: turn.turnId }]);
    };
    await commitTurnEnd({ ...store.database, asTenant } as Database, org, await endOf(turn));
    const { text, values = [] } = asked[0] as Statement;
    const rows = await store.database.asTenant<object>(org, { text: `explain ${text}`, values });
    const plan = rows.map((row) => JSON.stringify(row)).join("\n");
    expect(plan).toContain("Index Scan using turns_pkey on turns");
    expect(plan).not.toMatch(/using turns_(?!pkey)|Seq Scan/);
  });
});
