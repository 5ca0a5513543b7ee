// The console's parts for components that need them.

import type { AgentDocument } from "@framerail/client";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { Conversation, ConversationState } from "../chat/conversation.js";
import type { StoredConversation } from "../sessions/stored-conversations.js";
import type { ConsoleApp } from "./console-app.js";
import type { RegistryDocument } from "./server.js";

export interface Surroundings {
  readonly app: ConsoleApp;
  readonly agents: readonly AgentDocument[];
  readonly registry: RegistryDocument | undefined;
}

export const AppContext = createContext<Surroundings | undefined>(undefined);

export function useSurroundings(): Surroundings {
  const surroundings = useContext(AppContext);
  if (surroundings === undefined) throw new Error("outside of the console");
  return surroundings;
}

export function useCurrent(app: ConsoleApp): Conversation | undefined {
  return useSyncExternalStore(app.subscribe, app.current);
}

const leaveNothing = () => undefined;

export function useConversation(conversation: Conversation | undefined): ConversationState | undefined {
  return useSyncExternalStore(
    (listener) => conversation?.subscribe(listener) ?? leaveNothing,
    () => conversation?.state(),
  );
}

export function useStored(app: ConsoleApp): readonly StoredConversation[] {
  return useSyncExternalStore(app.store.subscribe, app.store.list);
}
