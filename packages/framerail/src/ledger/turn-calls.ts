// The model calls of one turn: which were begun, which have told their figures, and the usage row of each [G9].
// Owns: which figures belong to which call. Does not own: the notes (store/open-calls.ts), the rows (store/usage.ts).
//   A1. A call that was begun has one row: with its own figures, or, where it never told them, with what it was about to
//       send, marked as estimated.
//   A2. Figures name no call: they are those of the oldest open one of their model. Where none is open, they are of a call
//       that was made without asking, which counts all the same.
//   A3. A call that was begun and then not made has no row.

import type { EventOf, Usage } from "@framerail/protocol";
import { addUsage, NO_USAGE } from "@framerail/protocol";
import type { OpenCall } from "../store/open-calls.js";
import type { UsageRow } from "../store/usage.js";
import { costUsdOf, usageRowOf } from "./usage-row.js";

/** What is known of a call before it is made. */
export interface CallPlan {
  readonly model: string;
  readonly inputTokens: number;
  /** Of the input, in USD; absent for a model without a price. */
  readonly cost?: number | undefined;
}

export interface TurnCalls {
  begin(plan: CallPlan, at: number): OpenCall;
  /** Takes a call that an owner before this one has begun. */
  adopt(call: OpenCall): void;
  /** The call was not made (A3). */
  withdraw(call: OpenCall): void;
  tell(event: EventOf<"metrics">, at: number): void;
  /** All calls, in their order. */
  rows(): UsageRow[];
  usage(): Usage;
}

export function createTurnCalls(turnId: string): TurnCalls {
  return new Calls(turnId);
}

class Calls implements TurnCalls {
  readonly #turnId: string;
  /** In the order in which they began. */
  readonly #open: OpenCall[] = [];
  readonly #rows: UsageRow[] = [];
  #usage: Usage = NO_USAGE;
  #last = 0;

  constructor(turnId: string) {
    this.#turnId = turnId;
  }

  begin({ model, inputTokens, cost = 0 }: CallPlan, at: number): OpenCall {
    const { costUsd } = costUsdOf(cost);
    const told = this.#rows.length;
    const call: OpenCall = { call: this.#last + 1, model, inputTokens, costUsd, told, begunAt: at };
    this.adopt(call);
    return call;
  }

  adopt(call: OpenCall): void {
    this.#open.push(call);
    this.#last = Math.max(this.#last, call.call);
  }

  withdraw(call: OpenCall): void {
    this.#take((other) => other === call);
  }

  tell(event: EventOf<"metrics">, at: number): void {
    // A2
    const begun = this.#take(({ model }) => model === event.model);
    if (begun === undefined) this.#last += 1;
    this.#rows.push(usageRowOf(event, { turnId: this.#turnId, call: begun?.call ?? this.#last, occurredAt: at }));
    this.#usage = addUsage(this.#usage, event.tokens);
  }

  rows(): UsageRow[] {
    const untold = this.#open.map((call) => untoldRow(this.#turnId, call));
    return [...this.#rows, ...untold].sort((a, b) => a.call - b.call);
  }

  usage(): Usage {
    return this.#open.reduce((sum, { inputTokens }) => addUsage(sum, inputUsage(inputTokens)), this.#usage);
  }

  #take(isIt: (call: OpenCall) => boolean): OpenCall | undefined {
    const index = this.#open.findIndex(isIt);
    return index === -1 ? undefined : this.#open.splice(index, 1)[0];
  }
}

/** The calls of a turn whose process is gone, from its notes and the figures that its journal has, each in their order. */
export function replayTurnCalls(
  turnId: string,
  { notes, told, at }: { notes: readonly OpenCall[]; told: readonly EventOf<"metrics">[]; at: number },
): TurnCalls {
  const calls = createTurnCalls(turnId);
  let next = 0;
  const adoptUpTo = (toldMax: number) => {
    for (let note = notes[next]; note !== undefined && note.told <= toldMax; note = notes[next]) {
      calls.adopt(note);
      next += 1;
    }
  };
  for (const [index, event] of told.entries()) {
    adoptUpTo(index);
    calls.tell(event, at);
  }
  adoptUpTo(Number.POSITIVE_INFINITY);
  return calls;
}

// A1
function untoldRow(turnId: string, { call, model, inputTokens, costUsd, begunAt }: OpenCall): UsageRow {
  const untold = { outputTokens: 0, reasoningTokens: 0, cachedTokens: 0, ttftMs: 0, totalMs: 0 };
  return { turnId, call, model, inputTokens, ...untold, costUsd, estimated: true, occurredAt: begunAt };
}

function inputUsage(tokens: number): Usage {
  return { ...NO_USAGE, input_tokens: tokens, total_tokens: tokens };
}
