// Which calls of a turn a graph has told. One call may be told many times: by its message, by copies of that under other ids,
// by a node that writes its own events. And one id may name several calls, where a provider counts from zero in every answer.
// Owns: what is another call. Does not own: the id under which clients see it (tool-pairing.ts).
//   K1. A call that waits for its answer is told already, whoever tells it again.
//   K2. An answered call is told again by its own message, and by one that a node put together: a copy has the same name and
//       arguments. A model's answer is no copy: under another message's id it makes another call.
//   K3. A call that a node has told itself is its model's, whichever of the two comes first.

import { createHash } from "node:crypto";
import type { AgentEvent, Clock } from "@framerail/protocol";
import type { GraphCall } from "./call-pieces.js";

/** Whoever tells a call. */
export interface Teller {
  readonly id: string;
  readonly isModelCall: boolean;
}

interface Told {
  readonly at: number;
  answered: boolean;
  /** The message that holds it; undefined while only a node, or its answer, has told it. */
  messageId: string | undefined;
  digest: string | undefined;
}

export class ToldCalls {
  readonly #clock: Clock;
  /** The latest call under each id. */
  readonly #told = new Map<string, Told>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls that messages have told. */
  get count(): number {
    return this.#count;
  }

  has(id: string): boolean {
    return this.#told.has(id);
  }

  isTold(call: GraphCall, by: Teller): boolean {
    const told = this.#told.get(call.id);
    if (told === undefined) return false;
    // K3
    if (told.messageId === undefined) Object.assign(told, { messageId: by.id, digest: digestOf(call) });
    if (!told.answered) return true;
    const isSameMessage = told.messageId === by.id && by.id !== "";
    return isSameMessage || (!by.isModelCall && told.digest === digestOf(call));
  }

  /** `by`: absent for a call of an earlier turn, of which only the answer is seen. */
  add(call: GraphCall, by?: Teller): void {
    this.#count += 1;
    this.#set(call.id, by?.id, by && digestOf(call));
  }

  /** What a node writes itself. */
  hear(event: AgentEvent): void {
    if (event.type === "tool_call") {
      const told = this.#told.get(event.tool_call_id);
      if (told === undefined || told.answered) this.#set(event.tool_call_id, undefined, undefined);
    } else if (event.type === "tool_result") this.answer(event.tool_call_id);
  }

  /** How long ago the call was told, for its first answer alone. */
  answer(id: string): number | undefined {
    const told = this.#told.get(id);
    if (told === undefined || told.answered) return undefined;
    told.answered = true;
    // The wall clock may have been set back in between.
    return Math.max(0, this.#clock.now() - told.at);
  }

  #set(id: string, messageId: string | undefined, digest: string | undefined): void {
    this.#told.set(id, { at: this.#clock.now(), answered: false, messageId, digest });
  }
}

// Of arguments, which may be long, only this is kept.
function digestOf({ name, arguments: args }: GraphCall): string {
  return createHash("sha256")
    .update(JSON.stringify([name, args]))
    .digest("base64");
}
