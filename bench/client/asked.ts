// What a reader is asked to read, and where it finds it.

import type { Wire } from "./answers.js";

/** `at_once`: as fast as it is read. `one_by_one`: every event by itself, a moment after the one before. */
export type Pace = "at_once" | "one_by_one";

export interface Asked {
  readonly origin: string;
  /** Pieces of text in the answer. */
  readonly pieces: number;
  readonly pace: Pace;
}

/** Reads one answer to its end and gives how many pieces of its text it was shown: fewer than there are fails the bench. */
export type Read = (asked: Asked) => Promise<number>;

export function addressOf({ origin, pieces, pace }: Asked, wire: Wire): string {
  return `${origin}/${wire}/${pieces}/${pace}`;
}
