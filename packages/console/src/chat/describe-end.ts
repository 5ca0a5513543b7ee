// How a turn ended, in a sentence.

import type { TurnEnd } from "@framerail/client";

export interface EndLine {
  readonly kind: TurnEnd["kind"] | "paused";
  readonly title: string;
  readonly says: string;
}

const FAILURES: Readonly<Record<string, string>> = {
  INTERNAL_ERROR: "Something inside the server broke, or the process that ran the turn died. What was written stays.",
  RATE_LIMIT_ERROR: "The model takes no more requests for now.",
  SUB_AGENT_FAILED: "A sub-agent failed as a whole.",
  CCS_ENVELOPE_ERROR: "A backend that the answer needs reported an error.",
  PARTIAL_FAN_OUT: "Some of the sub-agents failed.",
};

export function describeEnd(end: TurnEnd): EndLine {
  switch (end.kind) {
    case "completed":
      return end.paused
        ? { kind: "paused", title: "Paused", says: "The turn stopped at a limit; another message goes on." }
        : { kind: "completed", title: "Completed", says: "" };
    case "cancelled":
      return end.code === "IDLE_TIMEOUT"
        ? { kind: "cancelled", title: "Cancelled", says: "The agent was silent for too long (IDLE_TIMEOUT)." }
        : { kind: "cancelled", title: "Stopped", says: "The turn was cancelled; what was written stays." };
    case "failed": {
      const code = end.error?.code ?? "INTERNAL_ERROR";
      return { kind: "failed", title: `Failed: ${code}`, says: FAILURES[code] ?? "" };
    }
  }
}
