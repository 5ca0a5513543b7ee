// Text that grows piece by piece for as long as a turn runs.
//   G1. A piece costs the same however long the text already is.
//   G2. Pieces are joined PIECES_MAX at a time. What lives as long as a turn is looked at by every collection, and a link
//       for each piece, as += leaves them, would be most of what a process with many turns holds.

const PIECES_MAX = 16;

export class GrowingText {
  #joined: string;
  #pieces: string[] = [];

  constructor(first: string) {
    this.#joined = first;
  }

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length === PIECES_MAX) this.#join();
  }

  toString(): string {
    if (this.#pieces.length > 0) this.#join();
    return this.#joined;
  }

  #join(): void {
    this.#joined += this.#pieces.join("");
    this.#pieces = [];
  }
}
