// The lifecycle of every stream, as a table: prelude → streaming → terminal, and no other order [L-5].
// Pure: a state and a message class in, a verdict and the next state out. Nothing here allocates.
//   P1. A message that the present phase allows never changes the phase; only a streaming-only one moves prelude on [I-7].
//   P2. The first message must be one that may stand first [L-27].
//   P3. A terminal is legal from every state, once; whatever follows it is late [L-29].
//   P4. Anything else is a violation, and a violation ends the stream [L-30].

export type Phase = "prelude" | "streaming" | "terminal";

/** Where a message may stand: bits, so that a message's whole class is one number looked up once. */
export const FIRST = 1;
export const IN_PRELUDE = 2;
export const IN_STREAMING = 4;
export const TERMINAL = 8;
export const CLASS_COUNT = 16;
export type MessageClass = number;

/** `unopened` is the prelude before its first message. */
export type State = "unopened" | Phase;

/** What becomes of a message: `pass` it on, `end` with it, refuse it as a `violation`, drop it as `late`. */
export type Verdict = "pass" | "end" | "violation" | "late";

export interface Step {
  readonly verdict: Verdict;
  readonly next: State;
}

const END: Step = { verdict: "end", next: "terminal" };
const VIOLATION: Step = { verdict: "violation", next: "terminal" };
const LATE: Step = { verdict: "late", next: "terminal" };
const TO_PRELUDE: Step = { verdict: "pass", next: "prelude" };
const TO_STREAMING: Step = { verdict: "pass", next: "streaming" };

const RULES: { readonly [S in State]: (message: MessageClass) => Step } = {
  unopened: (message) => (message & TERMINAL ? END : message & FIRST ? TO_PRELUDE : VIOLATION),
  prelude: (message) =>
    message & TERMINAL ? END : message & IN_PRELUDE ? TO_PRELUDE : message & IN_STREAMING ? TO_STREAMING : VIOLATION,
  streaming: (message) => (message & TERMINAL ? END : message & IN_STREAMING ? TO_STREAMING : VIOLATION),
  terminal: () => LATE,
};

const tabulate = (state: State): readonly Step[] =>
  Array.from({ length: CLASS_COUNT }, (_, message) => RULES[state](message));

/** Every state × every class, so that a step is two look-ups. */
export const TRANSITIONS: { readonly [S in State]: readonly Step[] } = {
  unopened: tabulate("unopened"),
  prelude: tabulate("prelude"),
  streaming: tabulate("streaming"),
  terminal: tabulate("terminal"),
};

export function phaseOf(state: State): Phase {
  return state === "unopened" ? "prelude" : state;
}
