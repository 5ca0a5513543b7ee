// The connection of a turn in a sentence: what is, not what would be nice.
//   C1. A turn that is cut says so, with the attempt and the frame from which it will go on.
//   C2. The browser's own word for being offline is told only where the connection has trouble [G5]: a server on this
//       machine needs no network.

import type { ConnectionState } from "@framerail/client";
import { unreachable } from "@framerail/protocol";
import type { Cut } from "./connection-reports.js";

export interface ConnectionFacts {
  readonly connection: ConnectionState;
  readonly cut: Cut | undefined;
  /** The last frame that was read. */
  readonly seq: number;
  readonly isOnline: boolean;
  /** Why the client gave up. */
  readonly failureCode: string | undefined;
}

export interface ConnectionLine {
  readonly tone: "calm" | "busy" | "bad";
  readonly text: string;
}

const MS_PER_S = 1_000;

/** Undefined where there is nothing to say. */
export function describeConnection(facts: ConnectionFacts): ConnectionLine | undefined {
  const { connection, cut, seq } = facts;
  switch (connection) {
    case "idle":
    case "ended":
      return undefined;
    case "opening":
      if (cut === undefined) return { tone: "busy", text: "Sending…" };
      return { tone: "bad", text: `Sending again under the same key… attempt ${cut.attempt + 1}` };
    case "streaming":
      return { tone: "calm", text: "Live" };
    case "waiting":
      return { tone: "bad", text: describeWait(facts) };
    case "resuming":
      if (cut === undefined) return { tone: "busy", text: seq === 0 ? "Reading the turn…" : goingOn(seq) };
      return { tone: "bad", text: `Reconnecting… attempt ${cut.attempt + 1}. ${goingOn(seq)}` };
    case "checking":
      return { tone: "busy", text: "Asking how the turn ended…" };
    case "detached":
      return { tone: "calm", text: "Not reading. The turn runs on." };
    case "failed":
      return { tone: "bad", text: describeFailure(facts.failureCode) };
    default:
      return unreachable(connection);
  }
}

// C1, C2
function describeWait({ cut, seq, isOnline }: ConnectionFacts): string {
  const again = cut === undefined ? "" : ` Attempt ${cut.attempt + 1} in ${secondsOf(cut.retryInMs)} s.`;
  const why = isOnline ? "The server went away." : "Offline: this browser has no network.";
  return `${why} ${goingOn(seq)}${again}`;
}

function goingOn(seq: number): string {
  return seq === 0 ? "Nothing was read yet." : `Going on after frame ${seq}.`;
}

function secondsOf(ms: number): string {
  return (ms / MS_PER_S).toFixed(1);
}

const FAILURES: Readonly<Record<string, string>> = {
  NOT_FOUND: "The server does not know this conversation or turn.",
  TURN_RUNNING: "Another turn of this session is still running; wait for its end or stop it.",
  SESSION_CLOSED: "The session takes no more messages. Begin a new conversation.",
  DRAINING: "The server is stopping.",
  UNAUTHENTICATED: "The server does not let this page in.",
  FORBIDDEN: "The server does not let this page do that.",
  INVALID_ARGUMENT: "The server does not take this message; it may be too long.",
  INPUT_TOO_LARGE: "This is too large to be sent or read.",
  BUDGET_EXHAUSTED: "The budget has nothing left; no turn was begun.",
  RATE_LIMITED: "The server takes no more requests for now; try again in a while.",
};

function describeFailure(code: string | undefined): string {
  if (code === undefined) return "Stopped reading. What became of the turn is not known.";
  return `${FAILURES[code] ?? "Gave up reading; the turn may still be running."} (${code})`;
}
