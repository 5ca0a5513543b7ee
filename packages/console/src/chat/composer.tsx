// Where a message is written, and where a turn is stopped.
//   W1. Enter sends and Shift+Enter breaks the line; while an input method composes a word, Enter is its own.
//   W2. While a turn runs there is one thing to do with it: stop. Escape does the same from anywhere on the page.

import type { Turn, TurnState } from "@framerail/client";
import { isFramerailError } from "@framerail/protocol";
import type { KeyboardEvent } from "react";
import { useCallback, useEffect, useRef, useState } from "react";

export interface ComposerProps {
  readonly isReady: boolean;
  /** The last turn, and its state. */
  readonly turn: Turn | undefined;
  readonly state: TurnState | undefined;
  /** A message is on its way and has no turn yet. */
  readonly isOpening: boolean;
  readonly conversationId: string | undefined;
  onSend(message: string): void;
}

export function Composer({ isReady, turn, state, isOpening, conversationId, onSend }: ComposerProps) {
  const [draft, setDraft] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const isRunning = state !== undefined && state.outcome === undefined && state.failure === undefined;
  const { stop, isStopping, trouble } = useStop(turn, isRunning);
  const isBusy = isRunning || isOpening;
  const canSend = isReady && !isBusy && draft.trim() !== "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation is the reason to go there.
  useEffect(() => field.current?.focus({ preventScroll: true }), [conversationId]);
  const submit = () => {
    if (!canSend) return;
    onSend(draft.trim());
    setDraft("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // W1
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {trouble !== undefined && <p className="notice bad">The turn could not be stopped ({trouble}).</p>}
      <div className="field">
        <textarea
          ref={field}
          aria-label="Message"
          placeholder="Write a message"
          rows={1}
          dir="auto"
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={onKeyDown}
        />
        {isBusy ? (
          <button type="button" className="stop" onClick={stop} disabled={!isRunning || isStopping}>
            {isStopping ? "Stopping…" : "Stop"}
          </button>
        ) : (
          <button type="submit" className="primary" disabled={!canSend}>
            Send
          </button>
        )}
      </div>
      <p className="keys">
        <kbd>Enter</kbd> sends · <kbd>Shift</kbd>+<kbd>Enter</kbd> breaks the line · <kbd>Esc</kbd> stops
      </p>
    </form>
  );
}

function useStop(turn: Turn | undefined, isRunning: boolean) {
  const [stopped, setStopped] = useState<Turn>();
  const [trouble, setTrouble] = useState<{ readonly turn: Turn; readonly code: string }>();
  const stop = useCallback(() => {
    if (turn === undefined || !isRunning) return;
    setStopped(turn);
    setTrouble(undefined);
    turn.cancel().catch((error: unknown) => {
      setStopped(undefined);
      setTrouble({ turn, code: isFramerailError(error) ? error.code : String(error) });
    });
  }, [turn, isRunning]);
  useEffect(() => {
    // W2
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key === "Escape" && !event.isComposing) stop();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [stop]);
  return {
    stop,
    isStopping: isRunning && stopped === turn,
    trouble: trouble?.turn === turn ? trouble?.code : undefined,
  };
}
