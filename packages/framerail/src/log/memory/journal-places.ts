// Where in the journal the frames of one turn are: a row of numbers for every tick, in one list, because an object for every
// tick of every turn would be most of what the process holds.
//   J1. At most JOURNAL_PLACES_MAX rows. The oldest go first: their frames are in the store.

import { JOURNAL_PLACES_MAX } from "../limits.js";
import type { JournalPlace } from "./journal-file.js";

export interface PlacedFrames {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly place: JournalPlace;
}

/** First and last frame, file, offset, length. */
const FIELDS = 5;

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

  /** The first place with a frame after `afterSeq`, by halves: a long turn has many. */
  after(afterSeq: number): PlacedFrames | undefined {
    let [low, high] = [0, this.#fields.length / FIELDS];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle, 1) > afterSeq) high = middle;
      else low = middle + 1;
    }
    if (low * FIELDS === this.#fields.length) return undefined;
    const place = { file: this.#at(low, 2), offset: this.#at(low, 3), length: this.#at(low, 4) };
    return { firstSeq: this.#at(low, 0), lastSeq: this.#at(low, 1), place };
  }

  #at(row: number, field: number): number {
    return this.#fields[row * FIELDS + field] as number;
  }
}
