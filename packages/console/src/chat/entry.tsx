// One entry: what the user said, and the answer, live or from history.

import { useTurn } from "@framerail/client/react";
import { useSurroundings } from "../app/use-app.js";
import { useTurnTimes } from "../app/use-turn-times.js";
import { describeConnection } from "../connection/describe-connection.js";
import { useFrames } from "../inspector/use-frames.js";
import { directionOf } from "../sessions/locales.js";
import type { Entry } from "./conversation.js";
import { failedCalls, layOutItems } from "./lay-out-items.js";
import { PartView } from "./part-view.jsx";
import { StatusLine } from "./status-line.jsx";
import { TurnFoot } from "./turn-foot.jsx";

export interface EntryProps {
  readonly entry: Entry;
  readonly locale: string;
  readonly isInspected: boolean;
  onInspect(key: string): void;
}

export function EntryView({ entry, locale, isInspected, onInspect }: EntryProps) {
  const { turn, answer, refusal } = entry;
  return (
    <li className="entry" data-inspected={isInspected}>
      <section className="said" aria-label="You">
        <p dir="auto">{entry.message}</p>
      </section>
      {refusal !== undefined && <Refused code={refusal} />}
      {turn === undefined && answer === undefined && refusal === undefined && (
        <p className="notice">Opening a session…</p>
      )}
      {(turn !== undefined || answer !== undefined) && (
        <AnswerView entry={entry} locale={locale} onInspect={() => onInspect(entry.key)} />
      )}
    </li>
  );
}

function Refused({ code }: { readonly code: string }) {
  const facts = { connection: "failed", cut: undefined, seq: 0, isOnline: true, failureCode: code } as const;
  return <p className="notice bad">{describeConnection(facts)?.text}</p>;
}

interface AnswerProps extends Pick<EntryProps, "entry" | "locale"> {
  onInspect(): void;
}

function AnswerView({ entry: { turn, answer, turnId }, locale, onInspect }: AnswerProps) {
  const { app } = useSurroundings();
  const state = useTurn(turn);
  const { toolEnds, count } = useFrames(turn);
  const isRunning = state !== undefined && state.outcome === undefined && state.failure === undefined;
  const times = useTurnTimes(app.server, turn && (state?.turnId ?? turnId), state?.outcome !== undefined);
  const direction = directionOf(locale);
  // A replay has nothing to show before its first frame; history has.
  const items = state !== undefined && count > 0 ? state.items : (answer?.content_items ?? state?.items ?? []);
  const parts = layOutItems({
    items,
    placeholders: state?.placeholders ?? [],
    toolEnds,
    failed: failedCalls(times?.message?.content_items ?? answer?.content_items ?? []),
    isRunning,
  });
  return (
    <section className="answer" aria-label="Answer" aria-busy={isRunning}>
      <div className="parts" dir={direction}>
        {parts.map((part) => (
          <PartView key={part.key} part={part} isGrowing={isRunning && part === parts.at(-1)} />
        ))}
      </div>
      {isRunning && <StatusLine progress={state?.progress} locale={locale} />}
      <TurnFoot turn={turn} state={state} answer={answer} times={times} onInspect={onInspect} />
    </section>
  );
}
