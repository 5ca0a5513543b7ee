// The middle: what was said and answered, and the place to say more.

import { useTurn } from "@framerail/client/react";
import { useRef } from "react";
import { ScrollRegion } from "../app/scroll-region.jsx";
import { useConversation } from "../app/use-app.js";
import { Announcer } from "./announcer.jsx";
import { Composer } from "./composer.jsx";
import type { Conversation, ConversationState } from "./conversation.js";
import { EntryView } from "./entry.jsx";
import { useFollowing } from "./use-following.js";

export interface ChatProps {
  readonly conversation: Conversation | undefined;
  /** Why there is nobody to talk with. */
  readonly failure: string | undefined;
  /** The entry whose turn the inspector shows. */
  readonly inspected: string | undefined;
  onInspect(key: string): void;
  onSend(): void;
}

export function Chat({ conversation, failure, inspected, onInspect, onSend }: ChatProps) {
  const state = useConversation(conversation);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const last = state?.entries.at(-1);
  const lastTurn = useTurn(last?.turn);
  useFollowing(scroller, content, last?.key);
  const send = (message: string) => {
    conversation?.send(message);
    onSend();
  };
  return (
    <section className="chat" aria-label="Chat">
      <h2 className="unseen">Chat</h2>
      <ScrollRegion className="scroller" ref={scroller} label="Messages">
        <div className="content" ref={content}>
          {failure !== undefined && <p className="notice bad">{failure}</p>}
          {state !== undefined && <HistoryNotice state={state} onOlder={() => void conversation?.loadOlder()} />}
          {state !== undefined && state.entries.length === 0 && state.history === "none" && (
            <Welcome agentId={state.record.agentId} />
          )}
          <ol className="entries">
            {state?.entries.map((entry) => (
              <EntryView
                key={entry.key}
                entry={entry}
                locale={state.record.locale}
                isInspected={entry.key === inspected}
                onInspect={onInspect}
              />
            ))}
          </ol>
        </div>
      </ScrollRegion>
      <Announcer turn={lastTurn} />
      <Composer
        isReady={state !== undefined && state.history !== "loading"}
        turn={last?.turn}
        state={lastTurn}
        isOpening={last !== undefined && last.turn === undefined && last.answer === undefined && !last.refusal}
        conversationId={state?.record.id}
        onSend={send}
      />
    </section>
  );
}

function HistoryNotice({ state, onOlder }: { readonly state: ConversationState; onOlder(): void }) {
  const { history, hasOlder } = state;
  if (history === "loading") return <p className="notice">Reading the history…</p>;
  return (
    <>
      {typeof history === "object" && (
        <p className="notice bad">
          {history.failed === "NOT_FOUND"
            ? "The server does not know this conversation any more."
            : `The history could not be read (${history.failed}).`}
        </p>
      )}
      {hasOlder && (
        <button type="button" className="older" onClick={onOlder}>
          Show older messages
        </button>
      )}
    </>
  );
}

function Welcome({ agentId }: { readonly agentId: string }) {
  return (
    <section className="welcome">
      <h3>Talk with {agentId}</h3>
      <p>Send anything, and watch its turn, frame by frame. Then try to break it:</p>
      <ul>
        <li>Reload this page in the middle of an answer. It goes on where it was.</li>
        <li>Open the same address in a second tab. Both show the same turn.</li>
        <li>Press Stop, or Escape. The model's request is closed at once, and what was written stays.</li>
        <li>Kill the server and start it again. The turn says how it ended.</li>
      </ul>
    </section>
  );
}
