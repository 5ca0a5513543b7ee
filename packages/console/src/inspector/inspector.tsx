// The right side: what a turn is made of. Facts first, then when things ran, then every frame.

import type { AgentDocument } from "@framerail/client";
import { useTurn } from "@framerail/client/react";
import { useMemo, useState } from "react";
import { useSurroundings } from "../app/use-app.js";
import { useTurnTimes } from "../app/use-turn-times.js";
import type { Entry } from "../chat/conversation.js";
import { FrameDetail } from "./frame-detail.jsx";
import { FrameList } from "./frame-list.jsx";
import { Summary } from "./summary.jsx";
import { timelineOf } from "./timeline.js";
import { TimelineView } from "./timeline-view.jsx";
import { useFrames } from "./use-frames.js";

export function Inspector({
  entry,
  agentId,
}: {
  readonly entry: Entry | undefined;
  readonly agentId: string | undefined;
}) {
  const { app, agents } = useSurroundings();
  const turn = entry?.turn;
  const state = useTurn(turn);
  const view = useFrames(turn);
  const [selected, setSelected] = useState<{ readonly entry: string; readonly index: number }>();
  const turnId = state?.turnId ?? entry?.turnId;
  const times = useTurnTimes(app.server, turnId, state?.outcome !== undefined);
  const subAgents = useMemo(() => subAgentsOf(agents, agentId), [agents, agentId]);
  const timeline = useMemo(() => timelineOf(view.frames, view.count, subAgents), [view, subAgents]);
  const index = selected?.entry === entry?.key ? selected?.index : undefined;
  const frame = index === undefined ? undefined : view.frames[index];
  const select = (next: number | undefined) =>
    setSelected(next === undefined || entry === undefined ? undefined : { entry: entry.key, index: next });
  return (
    <section className="inspector" aria-label="Turn inspector">
      <h2>Turn</h2>
      {turn === undefined || view.count === 0 ? (
        <p className="hint">
          {turn === undefined ? "Send a message to see what its turn is made of." : "No frame yet."}
        </p>
      ) : (
        <>
          <Summary turnId={turnId} state={state} times={times} timeline={timeline} count={view.count} />
          <TimelineView timeline={timeline} selectedSeq={frame?.seq} onSelect={(seq) => select(seq - 1)} />
          <FrameList view={view} selected={index} onSelect={select} />
          {frame !== undefined && <FrameDetail frame={frame} onClose={() => select(undefined)} />}
        </>
      )}
    </section>
  );
}

/** Whoever writes status beside the agent itself: on the wire its calls look like a tool's. */
function subAgentsOf(agents: readonly AgentDocument[], agentId: string | undefined): ReadonlySet<string> {
  const agent = agents.find(({ agent_id }) => agent_id === agentId);
  return new Set(agent?.emitters.map(({ id }) => id).filter((id) => id !== agentId) ?? []);
}
