import { expect, test } from "vitest";
import { createConversationStore, readConversations, titleOf } from "./stored-conversations.js";

const row = (id: string, updatedAt = 1) => ({ id, agentId: "a", locale: "en", title: id, updatedAt });

/** A browser's storage as far as it goes, and a way to be another tab. */
function storage(first: string | null = null) {
  const shared = { text: first, isFull: false };
  return {
    shared,
    getItem: () => shared.text,
    setItem: (_: string, text: string) => {
      if (shared.isFull) throw new DOMException("full", "QuotaExceededError");
      shared.text = text;
    },
  };
}

test.each([
  ["nothing", null],
  ["no JSON", "{{{"],
  ["half of a list", '[{"id":"a"'],
  ["no list", '{"id":"a"}'],
  ["null", "null"],
  ["a number", "42"],
  ["rows that are none", '[1,null,"a",[],{}]'],
  ["rows of another shape", '[{"id":1,"agentId":"a","locale":"en","title":"","updatedAt":1}]'],
  ["a time that is none", '[{"id":"x","agentId":"a","locale":"en","title":"","updatedAt":"now"}]'],
  ["a poisoned key", '[{"__proto__":{"id":"x"},"agentId":"a"}]'],
])("a storage that holds %s gives an empty list", (_, stored) => {
  expect(readConversations(stored)).toEqual([]);
  expect(createConversationStore({ storage: storage(stored), watchOthers: () => undefined }).list()).toEqual([]);
});

test("good rows among bad ones are kept, and no more than the most", () => {
  expect(readConversations(JSON.stringify([{}, row("a"), 7]))).toEqual([row("a")]);
  const many = Array.from({ length: 80 }, (_, index) => row(String(index)));
  expect(readConversations(JSON.stringify(many))).toHaveLength(50);
});

test("the newest stands first, and the list is the same object until something changes", () => {
  const store = createConversationStore({ storage: storage(), watchOthers: () => undefined });
  store.put(row("a", 1));
  store.put(row("b", 3));
  store.put(row("a", 2));
  expect(store.list().map(({ id }) => id)).toEqual(["b", "a"]);
  expect(store.list()).toBe(store.list());
  store.remove("b");
  expect(store.list().map(({ id }) => id)).toEqual(["a"]);
});

test("two tabs write one list: neither loses what the other put there", () => {
  const shared = storage();
  const tabs = [1, 2].map(() => createConversationStore({ storage: shared, watchOthers: () => undefined }));
  tabs[0]?.put(row("a", 1));
  tabs[1]?.put(row("b", 2));
  tabs[0]?.put(row("c", 3));
  for (const tab of tabs) expect(tab.list().map(({ id }) => id)).toEqual(["c", "b", "a"]);
});

test("a storage that is full or forbidden costs the memory and not the conversation", () => {
  const full = storage();
  const store = createConversationStore({ storage: full, watchOthers: () => undefined });
  full.shared.isFull = true;
  store.put(row("a"));
  expect([store.isKept, store.find("a")?.id]).toEqual([false, "a"]);
  const forbidden = {
    getItem: () => {
      throw new DOMException("forbidden", "SecurityError");
    },
    setItem: full.setItem,
  };
  expect(createConversationStore({ storage: forbidden, watchOthers: () => undefined }).list()).toEqual([]);
});

test("a title is the first words of a message, on one line", () => {
  expect(titleOf("  a\n\n b  ")).toBe("a b");
  expect(titleOf("x".repeat(200))).toHaveLength(80);
});
