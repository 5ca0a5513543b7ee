// What the console holds while it is open: the client, what this browser remembers, and the conversation on the screen.
//   A1. One conversation is open at a time; its id stands in the address, so a reload and a copied tab show the same.
//   A2. A conversation without a message is nobody's: it is stored with the first one.

import type { Client } from "@framerail/client";
import type { Conversation } from "../chat/conversation.js";
import { openConversation } from "../chat/conversation.js";
import type { ConnectionReports } from "../connection/connection-reports.js";
import type { ConversationStore, StoredConversation } from "../sessions/stored-conversations.js";
import type { ConsoleServer } from "./server.js";

export interface ConsoleApp {
  readonly client: Client;
  readonly server: ConsoleServer;
  readonly store: ConversationStore;
  readonly reports: ConnectionReports;
  current(): Conversation | undefined;
  /** Opens one that is stored; false when there is none of that id. */
  open(id: string): boolean;
  begin(agentId: string, locale: string): void;
  remove(id: string): void;
  subscribe(listener: () => void): () => void;
}

export interface ConsoleAppOptions extends Pick<ConsoleApp, "client" | "server" | "store" | "reports"> {
  newId(): string;
  now(): number;
  /** Puts the id into the address. */
  showId(id: string): void;
}

export function createConsoleApp(options: ConsoleAppOptions): ConsoleApp {
  const { client, server, store, reports, newId, now, showId } = options;
  const listeners = new Set<() => void>();
  let current: Conversation | undefined;

  const show = (record: StoredConversation) => {
    current?.close();
    current = openConversation({ client, store, record, newId, now });
    // A1
    showId(record.id);
    for (const listener of listeners) listener();
  };
  const begin = (agentId: string, locale: string) =>
    // A2
    show({ id: newId(), agentId, locale, title: "", updatedAt: now() });

  return {
    client,
    server,
    store,
    reports,
    current: () => current,
    open(id) {
      if (current?.state().record.id === id) return true;
      const record = store.find(id);
      if (record !== undefined) show(record);
      return record !== undefined;
    },
    begin,
    remove(id) {
      const record = current?.state().record;
      store.remove(id);
      if (record?.id === id) begin(record.agentId, record.locale);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
