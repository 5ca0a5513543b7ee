// What a screen reader hears while an answer streams: the status and the end, never the single words.

import type { TurnState } from "@framerail/client";
import { describeEnd } from "./describe-end.js";

export function Announcer({ turn }: { readonly turn: TurnState | undefined }) {
  return (
    <output className="unseen" aria-live="polite">
      {turn === undefined ? "" : newsOf(turn)}
    </output>
  );
}

function newsOf({ outcome, failure, progress, connection }: TurnState): string {
  if (outcome !== undefined) return `The answer is over: ${describeEnd(outcome).title}.`;
  if (failure !== undefined) return "The connection to the turn was given up.";
  if (connection === "waiting") return "The connection is lost; trying again.";
  return progress?.kind === "status" ? progress.message : "";
}
