// The end of an answer: how the turn ended, how long it took, what it used, and the way into the inspector.

import type { Turn, TurnState } from "@framerail/client";
import type { AssistantMessage } from "@framerail/protocol";
import type { TurnTimes } from "../app/server.js";
import { ConnectionNote } from "../connection/connection-note.jsx";
import { formatMs } from "../inspector/timeline.js";
import { Cost } from "./cost.jsx";
import { describeEnd } from "./describe-end.js";

export interface TurnFootProps {
  readonly turn: Turn | undefined;
  readonly state: TurnState | undefined;
  readonly answer: AssistantMessage | undefined;
  readonly times: TurnTimes | undefined;
  onInspect(): void;
}

export function TurnFoot({ turn, state, answer, times, onInspect }: TurnFootProps) {
  const end = state?.outcome === undefined ? undefined : describeEnd(state.outcome);
  const usage = state?.usage ?? times?.usage ?? undefined;
  const tookMs = times?.ended_at == null ? answer?.duration_ms : times.ended_at - times.created_at;
  const isOver = end !== undefined || (state === undefined && answer !== undefined);
  return (
    <footer className="foot">
      {end !== undefined && (
        <span className="end" data-kind={end.kind}>
          {end.title}
        </span>
      )}
      {end === undefined && answer?.incomplete === true && <span className="end">Incomplete</span>}
      {isOver && tookMs !== undefined && <span>{formatMs(tookMs)}</span>}
      {isOver && usage !== undefined && usage !== null && (
        <span title={`${usage.input_tokens} in, ${usage.output_tokens} out`}>{usage.total_tokens} tokens</span>
      )}
      {isOver && times !== undefined && <Cost times={times} />}
      {turn !== undefined && <ConnectionNote turn={turn} />}
      <button type="button" className="link" onClick={onInspect}>
        Inspect
      </button>
      {end !== undefined && end.says !== "" && <p className="says">{end.says}</p>}
    </footer>
  );
}
