import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Sql } from "../store/sql.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import type { ContextPolicy } from "./choose-context.js";
import { readContext } from "./read-context.js";
import type { Conversation } from "./testing/conversation.js";
import { openConversation, T0 } from "./testing/conversation.js";

describe.each(DRIVERS)("the context of a turn on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  let talk: Conversation;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
    talk = await openConversation(store, org);
  });
  afterAll(() => store.close());

  /** What is told, and how many messages were read for it. */
  const read = (policy: ContextPolicy, exceptRunId?: string) =>
    store.database.asTenant(org, async (sql) => {
      let rows = 0;
      const query: Sql["query"] = async (text, values) => {
        const found = await sql.query(text, values);
        rows += found.length;
        return found as never;
      };
      const told = await readContext(
        { ...sql, query },
        {
          conversationId: talk.conversationId,
          policy,
          estimateTokens: (text) => text.length,
          ...(exceptRunId !== undefined && { exceptRunId }),
        },
      );
      return { texts: told.map(({ content }) => content), rows };
    });
  const fill = async (count: number) => {
    for (let n = 0; n < count; n += 1) await talk.exchange({ question: `q${n}`, answer: `a${n}`, at: T0 + n });
  };

  test("a turn is told the newest exchanges, and not its own message [F-43] [P-64]", async () => {
    await fill(3);
    const [own] = await talk.exchange({ question: "now", answer: undefined });
    expect((await read({ messagesMax: 4 }, own?.run_id)).texts).toEqual(["q1", "a1", "q2", "a2"]);
    expect((await read({ messagesMax: 1 }, own?.run_id)).texts).toEqual(["q2", "a2"]);
    expect((await read({ messagesMax: 1 })).texts).toEqual(["now"]);
  });

  test("a conversation that begins has nothing to tell [F-43]", async () => {
    expect(await read({})).toEqual({ texts: [], rows: 0 });
    const [own] = await talk.exchange({ answer: undefined });
    expect((await read({}, own?.run_id)).texts).toEqual([]);
  });

  test("no more is read than the policy can use, and as much as it needs [F-43] [P-44]", async () => {
    await fill(60);
    expect(await read({ messagesMax: 6 })).toMatchObject({
      texts: ["q57", "a57", "q58", "a58", "q59", "a59"],
      rows: 8,
    });
    expect((await read({ messagesMax: 1_000, tokensMax: 12 })).rows).toBe(100);
    const all = await read({ messagesMax: 1_000 });
    expect(all.texts).toHaveLength(120);
    expect([all.texts[0], all.texts[119]]).toEqual(["q0", "a59"]);
  });

  test("the newest exchange is found whole, however many answers it has [F-43]", async () => {
    await talk.exchange({ question: "q", answer: "a" });
    for (let n = 0; n < 5; n += 1) await talk.exchange({ question: undefined, answer: `more ${n}` });
    expect((await read({ messagesMax: 1 })).texts).toEqual([
      "q",
      "a",
      "more 0",
      "more 1",
      "more 2",
      "more 3",
      "more 4",
    ]);
  });
});
