// The console as a whole: conversations on the left, the chat, the inspector on the right; on a phone one at a time.
//   P1. Escape closes what lies over the page; where nothing does, it stops the turn that runs.

import { useEffect, useState } from "react";
import { Chat } from "../chat/chat.jsx";
import { Inspector } from "../inspector/inspector.jsx";
import { Sidebar } from "../sessions/sidebar.jsx";
import type { ConsoleApp } from "./console-app.js";
import { AppContext, useConversation, useCurrent } from "./use-app.js";
import { useCatalogue } from "./use-catalogue.js";

const PANES = { chat: "Chat", inspector: "Inspector" } as const;
type Pane = keyof typeof PANES;

export function App({ app }: { readonly app: ConsoleApp }) {
  const { agents, registry, failure } = useCatalogue(app);
  const conversation = useCurrent(app);
  const state = useConversation(conversation);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [pane, setPane] = useState<Pane>("chat");
  const [inspected, setInspected] = useState<string>();
  const entries = state?.entries ?? [];
  const shown = entries.find(({ key }) => key === inspected) ?? entries.at(-1);
  useEscape(isDrawerOpen, () => setDrawerOpen(false));

  const inspect = (key: string) => {
    conversation?.replay(key);
    setInspected(key);
    setPane("inspector");
  };
  return (
    <AppContext value={{ app, agents, registry }}>
      <div className="console" data-pane={pane} data-drawer={isDrawerOpen ? "open" : "closed"}>
        <header className="top">
          <button
            type="button"
            className="menu"
            aria-expanded={isDrawerOpen}
            aria-controls="conversations"
            onClick={() => setDrawerOpen(!isDrawerOpen)}
          >
            <span className="unseen">Conversations</span>
            <span aria-hidden="true">☰</span>
          </button>
          <h1>Framerail</h1>
          <PaneSwitch pane={pane} onChoose={setPane} />
        </header>
        <Sidebar conversation={conversation} onLeave={() => setDrawerOpen(false)} />
        {isDrawerOpen && (
          <button type="button" className="veil" onClick={() => setDrawerOpen(false)}>
            <span className="unseen">Close the list of conversations</span>
          </button>
        )}
        <main>
          <Chat
            conversation={conversation}
            failure={failure}
            inspected={shown?.key}
            onInspect={inspect}
            onSend={() => setInspected(undefined)}
          />
          <Inspector entry={shown} agentId={state?.record.agentId} />
        </main>
      </div>
    </AppContext>
  );
}

function PaneSwitch({ pane, onChoose }: { readonly pane: Pane; onChoose(pane: Pane): void }) {
  return (
    <fieldset className="pane-switch">
      <legend className="unseen">What is shown</legend>
      {(Object.keys(PANES) as Pane[]).map((name) => (
        <button key={name} type="button" aria-pressed={pane === name} onClick={() => onChoose(name)}>
          {PANES[name]}
        </button>
      ))}
    </fieldset>
  );
}

// P1
function useEscape(isActive: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!isActive) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopImmediatePropagation();
      onEscape();
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, [isActive, onEscape]);
}
