import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countMessages, readMessages, readTurnMessages } from "./messages.js";
import { createSession } from "./sessions.js";
import { explain } from "./testing/explain.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, openStore } from "./testing/open-store.js";

const T0 = 1_699_999_999_000;
const [sessionId, conversationId] = [randomUUID(), randomUUID()];
let store: TestStore;
let org: string;

beforeAll(async () => {
  store = await openStore("postgres");
  org = await createTenant(store.database);
  const session = { id: sessionId, conversation: { id: conversationId, isNew: true } };
  await store.database.asTenant(org, (sql) => createSession(sql, { ...session, agentId: "a", userId: "user_1" }));
  await fill();
});
afterAll(() => store.close());

test("among 10,000 messages a page is found by the index of its conversation, without a scan or a whole sort [P-46] [I-20]", async () => {
  const before = { created_at: T0 + 5_000, role: "user" as const, _id: `msg_${randomUUID()}` };
  const [newest, older, count] = await store.database.asTenant(org, (sql) =>
    explain(sql, async (asked) => {
      expect(await readMessages(asked, { conversationId, limit: 11 })).toHaveLength(11);
      expect(await readMessages(asked, { conversationId, before, limit: 11 })).toHaveLength(11);
      expect(await countMessages(asked, conversationId)).toBe(1_000);
    }),
  );
  for (const plan of [newest, older]) {
    expect(plan).toContain("Index Scan using messages_conversation_created");
    expect(plan).not.toMatch(/Seq Scan|-> +Sort/);
  }
  expect(older).toMatch(/Index Cond: .*created_at <=/);
  expect(count).toContain("messages_conversation_created");
});

test("among 10,000 messages those of a turn are found by an index, for the program and for an operator [P-47]", async () => {
  const [{ run_id }] = (await store.admin<{ run_id: string }>("select run_id from messages limit 1")) as [
    { run_id: string },
  ];
  const [ofProgram] = await store.database.asTenant(org, (sql) =>
    explain(sql, async (asked) => expect(await readTurnMessages(asked, run_id)).toHaveLength(1)),
  );
  // With the tenant known, the key that keeps a role to one message per turn is the nearer index.
  expect(ofProgram).toMatch(/Index Scan .*messages_org_id_run_id_role_key/);
  const plan = await store.admin(`explain select * from messages where run_id = '${run_id}'`);
  expect(JSON.stringify(plan)).toContain("Index Scan using messages_run");
});

/** 10,000 messages: a thousand of this conversation, the others of a hundred more. */
async function fill(): Promise<void> {
  await store.admin(`insert into conversations (org_id, id, user_id)
    select '${org}', md5(n::text)::uuid, 'user_1' from generate_series(0, 99) as n`);
  await store.admin(`with made as (
      insert into turns (org_id, id, session_id, conversation_id, agent_id, user_id, owner, status)
      select '${org}', gen_random_uuid(), '${sessionId}',
        case when n % 10 = 0 then '${conversationId}'::uuid else md5((n % 100)::text)::uuid end,
        'assistant', 'user_1', gen_random_uuid(), 'refused'
      from generate_series(1, 10000) as n returning id, conversation_id
    )
    insert into messages (org_id, id, conversation_id, run_id, role, content_items, created_at)
    select '${org}', 'msg_' || gen_random_uuid(), conversation_id, id, 'user', '[]',
      to_timestamp(${T0} / 1000.0 + row_number() over () / 1000.0) from made`);
  await store.admin("analyze messages");
}
