// Text that grows piece by piece for as long as a turn runs.
//   G1. A piece costs the same however long the text already is.
//   G2. Four pieces are joined into a line, and lines into a page: what lives as long as a turn is looked at by every
//       collection, and a link for each piece, as += leaves them, would be most of what a process with many turns holds.
//   G3. At most three pieces wait, in fields and not in a list: what lives across two collections is promoted and dear to
//       free, and a list is one object more to fetch for each piece of a turn that is in no cache.

import { weld } from "../schema/text.js";

const LINES_OF_PAGE = 16;

export class GrowingText {
  #text: string;
  /** Lines that are linked, and how many. */
  #page = "";
  #lines = 0;
  /** Pieces that wait for the fourth, and how many; a field may have an older piece too. */
  #first = "";
  #second = "";
  #third = "";
  #waiting = 0;

  constructor(first: string) {
    this.#text = first;
  }

  add(piece: string): void {
    const waiting = this.#waiting;
    if (waiting === 3) {
      this.#waiting = 0;
      this.#addLine(weld(this.#first, this.#second, this.#third, piece));
      return;
    }
    this.#waiting = waiting + 1;
    if (waiting === 0) this.#first = piece;
    else if (waiting === 1) this.#second = piece;
    else this.#third = piece;
  }

  toString(): string {
    const pieces = [this.#first, this.#second, this.#third].slice(0, this.#waiting);
    this.#waiting = 0;
    this.#text += weld(this.#page, ...pieces);
    this.#turnPage();
    return this.#text;
  }

  #addLine(line: string): void {
    this.#lines += 1;
    if (this.#lines < LINES_OF_PAGE) this.#page += line;
    else {
      this.#text += weld(this.#page, line);
      this.#turnPage();
    }
  }

  #turnPage(): void {
    this.#page = "";
    this.#lines = 0;
  }
}
