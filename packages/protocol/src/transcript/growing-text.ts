// Text that grows piece by piece for as long as a turn runs.
//   G1. A piece costs the same however long the text already is.
//   G2. A few pieces are joined into a line, a few lines into a page, and so on: what lives as long as a turn is looked at by
//       every collection, and a link for each piece, as += leaves them, would be most of what a process with many turns holds.
//   G3. A few and not many: a piece that waits for long outlives two collections, and is then thrown away where that costs most.

const FEW = 4;
const LEVELS = 3;

export class GrowingText {
  #text: string;
  /** What waits to be joined, the shortest first; a place without any is empty. */
  readonly #levels = Array.from({ length: LEVELS }, () => Array<string>(FEW).fill(""));
  /** Its digits to the base of FEW are the places, on each level, of what comes next. */
  #added = 0;

  constructor(first: string) {
    this.#text = first;
  }

  add(piece: string): void {
    let joined = piece;
    let added = this.#added;
    this.#added += 1;
    for (const level of this.#levels) {
      const place = added % FEW;
      level[place] = joined;
      if (place < FEW - 1) return;
      joined = level.join("");
      level.fill("");
      added = (added - place) / FEW;
    }
    this.#text += joined;
  }

  toString(): string {
    for (let level = LEVELS - 1; level >= 0; level -= 1) {
      const waiting = this.#levels[level] as string[];
      this.#text += waiting.join("");
      waiting.fill("");
    }
    return this.#text;
  }
}
