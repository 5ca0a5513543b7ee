// What the server has to offer: its agents and its status vocabulary, asked for when the console opens. The first answer
// also settles which conversation is shown.

import type { AgentDocument } from "@framerail/client";
import { isFramerailError } from "@framerail/protocol";
import { useEffect, useState } from "react";
import { listLocales, preferredLocale } from "../sessions/locales.js";
import type { ConsoleApp } from "./console-app.js";
import type { RegistryDocument } from "./server.js";

export interface CatalogueState {
  readonly agents: readonly AgentDocument[];
  readonly registry: RegistryDocument | undefined;
  /** Why there are no agents. */
  readonly failure: string | undefined;
}

const NOTHING: CatalogueState = { agents: [], registry: undefined, failure: undefined };

export function useCatalogue(app: ConsoleApp): CatalogueState {
  const [state, setState] = useState(NOTHING);
  useEffect(() => {
    const leaving = new AbortController();
    void readCatalogue(app, leaving.signal).then((found) => {
      if (!leaving.signal.aborted) setState(found);
    });
    return () => leaving.abort();
  }, [app]);
  return state;
}

async function readCatalogue(app: ConsoleApp, signal: AbortSignal): Promise<CatalogueState> {
  try {
    const [agents, registry] = await Promise.all([app.client.agents(signal), app.server.registry()]);
    if (app.current() === undefined && !signal.aborted) beginFirst(app, agents, registry);
    return { agents, registry, failure: agents.length === 0 ? "This server has no agents." : undefined };
  } catch (error) {
    const code = isFramerailError(error) ? ` (${error.code})` : "";
    return { ...NOTHING, failure: `The server cannot be reached${code}. Start it and reload this page.` };
  }
}

/** A new conversation, like the last one in agent and language; the first one is with the agent that has most to show. */
function beginFirst(app: ConsoleApp, agents: readonly AgentDocument[], registry: RegistryDocument | undefined): void {
  const [last] = app.store.list();
  const busiest = [...agents].sort((a, b) => b.emitters.length - a.emitters.length)[0];
  const agent = agents.find(({ agent_id }) => agent_id === last?.agentId) ?? busiest;
  const locales = listLocales(registry?.locales ?? []);
  if (agent !== undefined) app.begin(agent.agent_id, last?.locale ?? preferredLocale(navigator.languages, locales));
}
