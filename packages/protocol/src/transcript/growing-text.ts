// Text that grows piece by piece for as long as a turn runs.
//   G1. A piece costs the same however long the text already is.
//   G2. Pieces are joined into pages, and pages into chapters, PARTS_MAX at a time. What lives as long as a turn is looked at
//       by every collection, and a link for each piece, as += leaves them, would be most of what a process with many turns
//       holds.

const PARTS_MAX = 16;

export class GrowingText {
  #chapters: string;
  #pages: string[] = [];
  #pieces: string[] = [];

  constructor(first: string) {
    this.#chapters = first;
  }

  add(piece: string): void {
    if (this.#pieces.push(piece) === PARTS_MAX) this.#endPage();
  }

  toString(): string {
    this.#chapters += this.#pages.join("") + this.#pieces.join("");
    this.#pages = [];
    this.#pieces = [];
    return this.#chapters;
  }

  #endPage(): void {
    this.#pages.push(this.#pieces.join(""));
    this.#pieces = [];
    if (this.#pages.length < PARTS_MAX) return;
    this.#chapters += this.#pages.join("");
    this.#pages = [];
  }
}
