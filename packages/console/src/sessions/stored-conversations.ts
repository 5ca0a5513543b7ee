// The conversations that this browser remembers: which agent, which session, and the last message sent.
// Owns: their form, and that what cannot be read is left out. Does not own: messages; those are the server's.
//   K1. Whatever stands in the storage, a list comes out: rows that are not ours are passed over, and so is a list that is
//       no list.
//   K2. Two tabs share one list: each change is made to what stands there now, not to what was read before.
//   K3. A storage that is full or forbidden costs the memory, never the conversation; `isKept` says so.

import type { Infer } from "@framerail/protocol/schema";
import { compileCheck, count, object, optional, string } from "@framerail/protocol/schema";
import { CONVERSATIONS_MAX, STORED_LENGTH_MAX, TITLE_LENGTH_MAX } from "../limits.js";

const text = () => string({ lengthMax: STORED_LENGTH_MAX });

const STORED = object({
  id: text(),
  agentId: text(),
  locale: text(),
  title: text(),
  updatedAt: count(),
  sessionId: optional(text()),
  conversationId: optional(text()),
  last: optional(object({ key: text(), message: text(), turnId: optional(text()) })),
});
export type StoredConversation = Infer<typeof STORED>;

const check = compileCheck(STORED);
export const CONVERSATIONS_KEY = "framerail.conversations";

export interface ConversationStore {
  /** Newest first. The same list until something changes. */
  list(): readonly StoredConversation[];
  find(id: string): StoredConversation | undefined;
  put(conversation: StoredConversation): void;
  remove(id: string): void;
  /** Whether the next page will remember. */
  readonly isKept: boolean;
  subscribe(listener: () => void): () => void;
}

export interface StoreOptions {
  readonly storage: Pick<Storage, "getItem" | "setItem">;
  /** Tells when another tab has written. */
  watchOthers(onChange: () => void): void;
}

export function createConversationStore({ storage, watchOthers }: StoreOptions): ConversationStore {
  const listeners = new Set<() => void>();
  let raw: string | null = null;
  let listed: readonly StoredConversation[] = [];
  let isKept = true;

  const read = (): readonly StoredConversation[] => {
    try {
      const found = storage.getItem(CONVERSATIONS_KEY);
      if (isKept && found !== raw) {
        raw = found;
        listed = readConversations(found);
      }
    } catch {
      // K3
      isKept = false;
    }
    return listed;
  };
  const write = (next: readonly StoredConversation[]) => {
    listed = [...next].sort((a, b) => b.updatedAt - a.updatedAt).slice(0, CONVERSATIONS_MAX);
    raw = JSON.stringify(listed);
    try {
      storage.setItem(CONVERSATIONS_KEY, raw);
      isKept = true;
    } catch {
      // K3
      isKept = false;
    }
    for (const listener of listeners) listener();
  };
  watchOthers(() => {
    for (const listener of listeners) listener();
  });

  return {
    list: read,
    find: (id) => read().find((one) => one.id === id),
    // K2
    put: (conversation) => write([conversation, ...read().filter(({ id }) => id !== conversation.id)]),
    remove: (id) => write(read().filter((one) => one.id !== id)),
    get isKept() {
      return isKept;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** K1 */
export function readConversations(stored: string | null): readonly StoredConversation[] {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? "[]");
  } catch {
    // Somebody else's, or half of ours.
    return [];
  }
  if (!Array.isArray(value)) return [];
  return value.filter((row): row is StoredConversation => check(row) === undefined).slice(0, CONVERSATIONS_MAX);
}

/** The first words of a message, on one line. */
export function titleOf(message: string): string {
  const line = message.replace(/\s+/g, " ").trim();
  return line.length > TITLE_LENGTH_MAX ? `${line.slice(0, TITLE_LENGTH_MAX - 1)}…` : line;
}
