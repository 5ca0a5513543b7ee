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

  test("the turn of a journaled row is looked up by an index, never among all turns", async () => {
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
    expect(plan).toMatch(/Index Scan using turns_/);
    expect(plan).not.toMatch(/Hash|Seq Scan/);
  });
});
