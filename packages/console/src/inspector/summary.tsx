// The facts of a turn, as the server and its frames tell them.

import type { TurnState } from "@framerail/client";
import type { TurnTimes } from "../app/server.js";
import { describeEnd } from "../chat/describe-end.js";
import type { Timeline } from "./timeline.js";
import { formatMs } from "./timeline.js";

export interface SummaryProps {
  readonly turnId: string | undefined;
  readonly state: TurnState | undefined;
  readonly times: TurnTimes | undefined;
  readonly timeline: Timeline;
  readonly count: number;
}

export function Summary({ turnId, state, times, timeline, count }: SummaryProps) {
  // The code of a failure has its place under the answer and among the frames.
  const outcome = state?.outcome === undefined ? "running" : describeEnd(state.outcome).kind;
  const firstFrame = times?.first_frame_at == null ? undefined : times.first_frame_at - times.created_at;
  const usage = state?.usage ?? times?.usage ?? undefined;
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ["Outcome", outcome],
    ["Frames", String(count)],
    ["First frame", firstFrame === undefined ? undefined : formatMs(firstFrame)],
    ["First text", timeline.firstTextMs === undefined ? undefined : formatMs(timeline.firstTextMs)],
    ["Duration", formatMs(timeline.durationMs)],
    ["Tokens", usage === undefined ? undefined : `${usage.input_tokens} in · ${usage.output_tokens} out`],
  ];
  return (
    <section className="summary" aria-label="Facts">
      <p className="turn-id">
        <code>{turnId}</code>
      </p>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? "–"}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
