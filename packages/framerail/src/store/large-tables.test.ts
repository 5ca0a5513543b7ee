import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "./database.js";
import type { Statement } from "./sql.js";
import { AS_CONNECTED } from "./sql.js";
import { explain } from "./testing/explain.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, openStore } from "./testing/open-store.js";
import { claimOf, createSession, startTurn } from "./testing/turn-fixtures.js";
import { claimTurn, refuseTurn } from "./turns.js";
import { sumUsage } from "./usage.js";

let store: TestStore;
let org: string;
beforeAll(async () => {
  store = await openStore("postgres");
  org = await createTenant(store.database);
});
afterAll(() => store.close());

test("a refusal does not read all keys of a busy tenant", async () => {
  const { sessionId } = await createSession(store.database, org);
  const claim = claimOf(sessionId, { idempotency: { principal: "p", key: "k", bodySha256: "s" } });
  await claimTurn(store.database, org, claim);
  // A day: every key has a turn of its own.
  await store.driver.transaction(AS_CONNECTED, async (sql) => {
    await sql.query("set local session_replication_role = replica");
    await sql.query(`insert into idempotency_keys (org_id, principal, session_id, key, body_sha256, turn_id, expires_at)
      select org_id, principal, session_id, n::text, body_sha256, gen_random_uuid(), expires_at
        from idempotency_keys, generate_series(1, 50000) n where turn_id = '${claim.turnId}' and key = 'k'`);
  });
  await store.admin("analyze idempotency_keys");
  const asked: Statement[] = [];
  const asTenant = (_: string, statement: Statement) => Promise.resolve(void asked.push(statement));
  await refuseTurn({ ...store.database, asTenant } as unknown as Database, org, claim.turnId, 1);
  const { text, values = [] } = asked[0] as Statement;
  const plan = JSON.stringify(await store.database.asTenant(org, { text: `explain ${text}`, values }));
  expect(plan).toContain("idempotency_keys_turn");
});

test("what a tenant used in ten minutes is not summed by reading all that it ever used", async () => {
  const turn = await startTurn(store.database, org);
  await store.admin(`insert into llm_usage_events (org_id, turn_id, call, session_id, agent_id, model, input_tokens,
      output_tokens, occurred_at)
    select '${org}', '${turn.turnId}', n, '${turn.sessionId}', 'assistant', 'm', 1, 1, now() - n * interval '1 minute'
      from generate_series(1, 100000) n`);
  await store.admin("analyze llm_usage_events");
  const [plan] = await store.database.asTenant(org, (sql) =>
    explain(sql, (asked) => sumUsage(asked, { from: Date.now() - 600_000, to: Date.now(), groupBy: [] })),
  );
  expect(plan).not.toContain("Seq Scan");
});
