// Statements of a transaction end with it.
// Owns: that rule alone. Does not own: transactions (the drivers).
//   S1. Work that goes on after its transaction, such as the slower half of a failed `Promise.all`, is refused: its
//       statement would run in whatever transaction the connection has next, which may be another tenant's.

import { FramerailError } from "@framerail/protocol";
import type { Sql } from "./sql.js";

/** Runs `work` with statements that are refused as soon as it has settled. */
export async function runScoped<T>(sql: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
  let over = false;
  const unlessOver = <R>(ask: () => Promise<R>): Promise<R> =>
    over
      ? Promise.reject(new FramerailError("INVARIANT_VIOLATION", "the transaction of this statement is over"))
      : ask();
  try {
    return await work({
      query: (text, values) => unlessOver(() => sql.query(text, values)),
      script: (text) => unlessOver(() => sql.script(text)),
    });
  } finally {
    over = true;
  }
}

/** Ends a transaction whose author did not hear that a statement of it had failed: the database keeps nothing of it. */
export function unheardFailure(): FramerailError {
  return new FramerailError(
    "INVARIANT_VIOLATION",
    "a statement of the transaction had failed, so nothing was committed",
  );
}
