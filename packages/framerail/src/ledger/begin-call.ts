// The one trip before a model call: its note, and its share of the budgets where there are any [G9, D-16].
// Owns: which of the two ways is taken. Does not own: the notes (store/open-calls.ts), what is granted (budgets.ts).
//   C1. A call without a budget costs one statement before it and none after it: the turn's final commit closes its note.
//   C2. Asked again, after an answer that was lost, a call is noted once and holds its share once.

import type { Database } from "../store/database.js";
import type { CallNote } from "../store/open-calls.js";
import { noteUnbudgetedCall } from "../store/open-calls.js";
import type { ReserveInput, ReserveResult } from "./budgets.js";
import { reserve } from "./budgets.js";

export interface BeginCallInput extends ReserveInput {
  readonly reservationId: string;
  readonly note: CallNote;
  /** A call before it had a budget: then so will this one, and the first way is spared. */
  readonly isBudgeted: boolean;
}

/** Throws STALE_EPOCH: the turn is another's, and the call must not be made. */
export async function beginCall(database: Database, orgId: string, input: BeginCallInput): Promise<ReserveResult> {
  const { reservationId, estimateTokens: granted } = input;
  const isNoted = !input.isBudgeted && (await noteUnbudgetedCall(database, orgId, input));
  return isNoted ? { kind: "granted", reservationId, granted, held: false } : reserve(database, orgId, input);
}
