import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../store/messages.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { encodeCursor } from "./cursor.js";
import { HISTORY_LIMIT_MAX } from "./limits.js";
import type { HistoryRequest } from "./read-history.js";
import { readHistory } from "./read-history.js";
import type { Conversation } from "./testing/conversation.js";
import { openConversation, T0 } from "./testing/conversation.js";

describe.each(DRIVERS)("a history on the %s driver", (name) => {
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

  const read = (fields: Partial<HistoryRequest> = {}, orgId = org) =>
    store.database.asTenant(orgId, (sql) =>
      readHistory(sql, { conversationId: talk.conversationId, userId: "user_1", ...fields }),
    );
  const fill = async (exchanges: number, at?: number) => {
    const all: Message[] = [];
    for (let index = 0; index < exchanges; index += 1)
      all.push(...(await talk.exchange(at === undefined ? {} : { at })));
    return all;
  };
  /** Every page from the newest to the oldest, put together. */
  const readAll = async (limit: number) => {
    const pages: (readonly Message[])[] = [];
    let before: string | undefined;
    do {
      const page = await read({ limit, before });
      pages.unshift(page.messages);
      before = page.prev;
    } while (before !== undefined);
    return pages;
  };

  test("of sixteen messages the newest ten come, oldest first, when nobody says how many [P-42] [P-43] [P-44] [I-20]", async () => {
    const all = await fill(8);
    const { messages, prev } = await read();
    expect(messages).toEqual(all.slice(6));
    expect(await read({ before: prev })).toEqual({ messages: all.slice(0, 6), prev: undefined });
  });

  test("a page leads to an older one exactly when there is one [I-20]", async () => {
    expect(await read()).toEqual({ messages: [], prev: undefined });
    await fill(2);
    expect(await read({ limit: 4 })).toMatchObject({ prev: undefined });
    expect(await read({ limit: 3 })).toMatchObject({ prev: expect.any(String) });
  });

  test.each([1, 2, 3, 5])(
    "pages of %i put together are the whole, also when all was said in one millisecond [I-20]",
    async (limit) => {
      await fill(3, T0);
      await fill(3, T0 + 1);
      await fill(1, T0 + 2);
      const whole = (await read({ limit: HISTORY_LIMIT_MAX })).messages;
      expect(whole).toHaveLength(14);
      const pages = await readAll(limit);
      expect(pages.flat()).toEqual(whole);
      for (const page of pages.slice(1)) expect(page).toHaveLength(limit);
      const ids = whole.filter(({ role, created_at }) => role === "user" && created_at === T0).map(({ _id }) => _id);
      expect(ids).toEqual([...ids].sort());
    },
  );

  test("a question stands before its answer, also when the turn began in the millisecond it was asked for [I-20]", async () => {
    for (let index = 0; index < 8; index += 1) await talk.exchange({ at: T0 + index });
    const { messages } = await read({ limit: 16 });
    for (let index = 0; index < 16; index += 2) {
      const [question, answer] = messages.slice(index, index + 2);
      expect([question?.role, answer?.role]).toEqual(["user", "assistant"]);
      expect(question?.run_id).toBe(answer?.run_id);
    }
  });

  test("what is said while somebody pages back moves nothing on the older pages [I-20]", async () => {
    const all = await fill(3);
    const { prev } = await read({ limit: 2 });
    await fill(2);
    expect((await read({ limit: 2, before: prev })).messages).toEqual(all.slice(2, 4));
  });

  test("reasoning is hidden unless it is asked for, and leaves no hole [I-20] [P-42]", async () => {
    const items = [
      { type: "reasoning" as const, sequence: 0, content: "hm", timestamp: T0 },
      { type: "message" as const, sequence: 1, content: "Four.", timestamp: T0 },
      { type: "reasoning" as const, sequence: 2, content: "sure", timestamp: T0 },
      { type: "message" as const, sequence: 3, content: "Yes.", timestamp: T0 },
    ];
    await talk.exchange({ items });
    const hidden = (await read()).messages[1]?.content_items;
    expect(hidden).toEqual([
      { type: "message", sequence: 0, content: "Four.", timestamp: T0 },
      { type: "message", sequence: 1, content: "Yes.", timestamp: T0 },
    ]);
    expect((await read({ reasoning: true })).messages[1]?.content_items).toEqual(items);
  });

  test("an answer that was cut off is shown with its mark [C-34]", async () => {
    await talk.exchange({ incomplete: true });
    expect((await read()).messages.map(({ incomplete }) => incomplete)).toEqual([false, true]);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, HISTORY_LIMIT_MAX + 1])(
    "a limit of %d is refused [P-42]",
    async (limit) => {
      await expect(read({ limit })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    },
  );

  test("a cursor that is none is refused, and one whose message is gone still works [I-20]", async () => {
    const all = await fill(2);
    await expect(read({ before: "nonsense" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const gone = encodeCursor({ created_at: T0 + 2_000, role: "user", _id: `msg_${randomUUID()}` });
    const { messages } = await read({ before: gone });
    expect(messages.slice(0, 2)).toEqual(all.slice(0, 2));
  });

  test("a conversation of another user or tenant is not found, and neither is one that does not exist [D-12]", async () => {
    await fill(1);
    const stranger = await createTenant(store.database);
    const attempts = [
      read({ userId: "user_2" }),
      read({ userId: undefined }, stranger),
      read({ conversationId: randomUUID() }),
      read({ conversationId: "none" }),
    ];
    for (const attempt of await Promise.allSettled(attempts))
      expect(attempt).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
    expect((await read({ userId: undefined })).messages).toHaveLength(2);
  });
});
