// Follows one stream message by message. This is the form for the hot path: `admit` is a class look-up and a table
// look-up, it allocates nothing and it never throws.
// Owns: the state of one stream. Does not own: what happens to a message (the caller acts on the verdict).
//   G1. After `end` or `violation` every further message is `late`: a second end cannot happen [L-29, C-1].
//   G2. The details of a violation are those of the first one; a late message leaves them alone.

import type { MessageClass, Phase, State, Step, Verdict } from "./phase.js";
import { FIRST, IN_PRELUDE, IN_STREAMING, phaseOf, TERMINAL, TRANSITIONS } from "./phase.js";
import type { StreamProtocolSpec, ViolationDetails } from "./spec.js";

/** The guard of a stream whose messages are told apart by their class alone. */
export interface ClassGuard {
  readonly phase: Phase;
  /** Messages admitted so far, the terminal included. */
  readonly count: number;
  admit(type: string, message: MessageClass): Verdict;
  /** What the refused message broke; undefined while nothing was refused. */
  violation(): ViolationDetails | undefined;
}

export function createClassGuard(route: string): ClassGuard {
  return new Guard(route);
}

// A class, because a turn opens one and `phase` is read like a field: an object literal with a getter costs more than a
// microsecond to make. A guard that knows more than classes is one of these, and not a second object beside it.
export class StreamGuard {
  readonly #route: string;
  #state: State = "unopened";
  /** What each class of message does in this state: one that does not change it costs one look-up. */
  #steps = TRANSITIONS.unopened;
  #count = 0;
  #refusedType: string | undefined;
  #refusedIn: Phase = "prelude";

  constructor(route: string) {
    this.#route = route;
  }

  get phase(): Phase {
    return phaseOf(this.#state);
  }

  get count(): number {
    return this.#count;
  }

  /** Whether a message of this class would pass now. For who has more to judge, and must not begin with it for nothing. */
  protected passes(message: MessageClass): boolean {
    return this.#steps[message]?.verdict === "pass";
  }

  protected step(type: string, message: MessageClass): Verdict {
    const { verdict, next } = this.#steps[message] as Step;
    if (verdict === "violation") {
      this.#refusedType = type;
      this.#refusedIn = phaseOf(this.#state);
    } else if (verdict !== "late") this.#count += 1;
    if (next !== this.#state) {
      this.#state = next;
      this.#steps = TRANSITIONS[next];
    }
    return verdict;
  }

  violation(): ViolationDetails | undefined {
    if (this.#refusedType === undefined) return undefined;
    const details = { phase: this.#refusedIn, message_type: this.#refusedType, index: this.#count };
    return describeViolation({ route: this.#route, ...details });
  }
}

class Guard extends StreamGuard implements ClassGuard {
  admit(type: string, message: MessageClass): Verdict {
    return this.step(type, message);
  }
}

export function describeViolation(details: Omit<ViolationDetails, "message">): ViolationDetails {
  return { ...details, message: `${details.message_type} not allowed in ${details.phase}` };
}

/** Where a message of this route may stand. */
export function classify<T extends { readonly type: string }>(spec: StreamProtocolSpec<T>, message: T): MessageClass {
  if (spec.is_terminal(message)) return TERMINAL;
  const inPrelude = spec.allow_in_prelude(message);
  const inStreaming = spec.allow_in_streaming(message) ? IN_STREAMING : 0;
  if (spec.opens === undefined) return (inPrelude ? FIRST | IN_PRELUDE : 0) | inStreaming;
  return spec.opens(message) ? FIRST : (inPrelude ? IN_PRELUDE : 0) | inStreaming;
}
