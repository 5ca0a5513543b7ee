// Where in the journal the frames of one turn are: a row of numbers for every tick, in one list, because an object for every
// tick of every turn would be most of what the process holds.
//   J1. At most JOURNAL_PLACES_MAX rows. The oldest go first: their frames are in the store.
//   J2. Rows stand in the order of their files, which is that of their frames.

import { JOURNAL_PLACES_MAX } from "../limits.js";
import type { JournalPlace } from "./journal-file.js";

export interface PlacedFrames {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly place: JournalPlace;
}

/** What stands in a row. */
const [FIRST_SEQ, LAST_SEQ, FILE, OFFSET, LENGTH, FIELDS] = [0, 1, 2, 3, 4, 5];

export class JournalPlaces {
  readonly #fields: number[] = [];

  get firstSeq(): number | undefined {
    return this.#fields[0];
  }

  /** Frames that follow those that were added last. */
  add({ firstSeq, lastSeq, place }: PlacedFrames): void {
    // J1: many at once, since what stays is moved.
    if (this.#fields.length === JOURNAL_PLACES_MAX * FIELDS) this.#fields.splice(0, this.#fields.length / 2);
    this.#fields.push(firstSeq, lastSeq, place.file, place.offset, place.length);
  }

  /** Nothing is read from this file any more, nor from those before it. */
  drop(file: number): void {
    this.#fields.splice(0, this.#firstAbove(FILE, file) * FIELDS);
  }

  clear(): void {
    this.#fields.length = 0;
  }

  /** The first place with a frame after `afterSeq`. */
  after(afterSeq: number): PlacedFrames | undefined {
    const row = this.#firstAbove(LAST_SEQ, afterSeq);
    if (row * FIELDS === this.#fields.length) return undefined;
    const place = { file: this.#at(row, FILE), offset: this.#at(row, OFFSET), length: this.#at(row, LENGTH) };
    return { firstSeq: this.#at(row, FIRST_SEQ), lastSeq: this.#at(row, LAST_SEQ), place };
  }

  /** The first row whose field is above `value` (J2), by halves: a long turn has many. */
  #firstAbove(field: number, value: number): number {
    let [low, high] = [0, this.#fields.length / FIELDS];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle, field) > value) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #at(row: number, field: number): number {
    return this.#fields[row * FIELDS + field] as number;
  }
}
