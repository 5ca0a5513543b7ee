// Where a turn's connection is, and what each event makes of it. Pure: a table without gaps and one look-up.
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

const TABLE: Readonly<Record<ConnectionState, Readonly<Record<ConnectionEvent, ConnectionState>>>> = {
  idle: {
    open: "opening",
    resume: "resuming",
    accepted: "idle",
    cut: "idle",
    at_end: "idle",
    expired: "idle",
    running: "idle",
    terminal: "ended",
    refused: "failed",
    detach: "detached",
  },
  opening: {
    open: "opening",
    resume: "opening",
    accepted: "streaming",
    cut: "waiting",
    at_end: "opening",
    expired: "opening",
    running: "opening",
    terminal: "ended",
    refused: "failed",
    detach: "detached",
  },
  streaming: {
    open: "streaming",
    resume: "streaming",
    accepted: "streaming",
    cut: "waiting",
    at_end: "streaming",
    expired: "streaming",
    running: "streaming",
    terminal: "ended",
    refused: "failed",
    detach: "detached",
  },
  waiting: {
    open: "opening",
    resume: "resuming",
    accepted: "waiting",
    cut: "waiting",
    at_end: "waiting",
    expired: "waiting",
    running: "waiting",
    terminal: "ended",
    refused: "failed",
    detach: "detached",
  },
  resuming: {
    open: "resuming",
    resume: "resuming",
    accepted: "streaming",
    cut: "waiting",
    at_end: "checking",
    expired: "checking",
    running: "resuming",
    terminal: "ended",
    refused: "failed",
    detach: "detached",
  },
  checking: {
    open: "checking",
    resume: "checking",
    accepted: "checking",
    cut: "waiting",
    at_end: "checking",
    expired: "checking",
    running: "resuming",
    terminal: "ended",
    refused: "failed",
    detach: "detached",
  },
  detached: {
    open: "opening",
    resume: "resuming",
    accepted: "detached",
    cut: "detached",
    at_end: "detached",
    expired: "detached",
    running: "detached",
    terminal: "ended",
    refused: "detached",
    detach: "detached",
  },
  ended: {
    open: "ended",
    resume: "ended",
    accepted: "ended",
    cut: "ended",
    at_end: "ended",
    expired: "ended",
    running: "ended",
    terminal: "ended",
    refused: "ended",
    detach: "ended",
  },
  failed: {
    open: "failed",
    resume: "failed",
    accepted: "failed",
    cut: "failed",
    at_end: "failed",
    expired: "failed",
    running: "failed",
    terminal: "failed",
    refused: "failed",
    detach: "failed",
  },
};

export function stepConnection(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  return TABLE[state][event];
}
