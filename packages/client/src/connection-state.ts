// Where a turn's connection is, and what each event makes of it. Pure: a table of moves and one look-up; its test holds
// every cell, also those where nothing moves.
// Owns: the states and the steps between them. Does not own: requests, timers and frames (turn-connection.ts).
//   S1. `ended` and `failed` are left by nothing.
//   S2. An event that means nothing in a state is late news of something that is over, and changes nothing.
//   S3. Only a terminal, or the server's word that there was one, leads to `ended` [G1].

export const CONNECTION_STATES = [
  /** Nothing was asked for yet. */
  "idle",
  /** The message is on its way; whether the server has it is not known. */
  "opening",
  "streaming",
  /** Cut; the next attempt is due after a while. */
  "waiting",
  /** Asking for the frames after the last one. */
  "resuming",
  /** The server has no frames for us: asking how the turn is. */
  "checking",
  /** Left on purpose. The turn runs on, and can be taken up again. */
  "detached",
  "ended",
  "failed",
] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

export const CONNECTION_EVENTS = [
  "open",
  "resume",
  /** A stream has begun to answer. */
  "accepted",
  /** No answer, an answer for later, silence, a gap, or an end without a terminal. */
  "cut",
  /** 204: nothing comes after our cursor. */
  "at_end",
  /** 410: the server cannot go on from our cursor. */
  "expired",
  /** Asked, the server says that the turn runs. */
  "running",
  "terminal",
  /** An answer that will not change, or too many attempts. */
  "refused",
  "detach",
] as const;
export type ConnectionEvent = (typeof CONNECTION_EVENTS)[number];

/** What every state that is not over, and was not left, has in common. */
const RUNS = { terminal: "ended", refused: "failed", detach: "detached" } as const;

/** Where each event leads. What a state does not name leaves it as it is (S2). */
const TABLE: Readonly<Record<ConnectionState, Readonly<Partial<Record<ConnectionEvent, ConnectionState>>>>> = {
  idle: { ...RUNS, open: "opening", resume: "resuming" },
  opening: { ...RUNS, accepted: "streaming", cut: "waiting" },
  streaming: { ...RUNS, cut: "waiting" },
  waiting: { ...RUNS, open: "opening", resume: "resuming" },
  resuming: { ...RUNS, accepted: "streaming", cut: "waiting", at_end: "checking", expired: "checking" },
  checking: { ...RUNS, cut: "waiting", running: "resuming" },
  detached: { open: "opening", resume: "resuming", terminal: "ended" },
  ended: {},
  failed: {},
};

export function stepConnection(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  return TABLE[state][event] ?? state;
}
