// How the connection of a turn is, under its answer.

import type { Turn } from "@framerail/client";
import { useTurn } from "@framerail/client/react";
import { useSurroundings } from "../app/use-app.js";
import { useFrames } from "../inspector/use-frames.js";
import { describeConnection } from "./describe-connection.js";
import { useOnline } from "./use-online.js";

export function ConnectionNote({ turn }: { readonly turn: Turn }) {
  const { app } = useSurroundings();
  const { connection, turnId, failure, resets } = useTurn(turn);
  const { count } = useFrames(turn);
  const isOnline = useOnline();
  const cut = app.reports.cutOf(turnId);
  const line = describeConnection({ connection, cut, seq: count, isOnline, failureCode: failure?.code });
  const resumes = app.reports.resumesOf(turnId);
  if (line === undefined && resumes === 0) return null;
  return (
    <span className="connection" data-tone={line?.tone ?? "calm"}>
      {line !== undefined && <span className="state">{line.text}</span>}
      {resumes > 0 && (
        <span className="resumes">
          {resumes === 1 ? "Resumed once, nothing lost" : `Resumed ${resumes} times, nothing lost`}
          {resets > 0 && "; read again from the first frame"}
        </span>
      )}
    </span>
  );
}
