// Where every variant, ours and the others, puts its text: it becomes UTF-8 bytes in a buffer, and they are counted.
// Owns: how much is gathered before it is written. Does not own: whose text it is.
//   C1. Gathered text is written when GATHERED_LENGTH_MAX are together and at the end of a turn, as our log writes what a
//       tick has brought. Making the text is what is compared; how it is written is nobody's own work.
//   C2. Piece by piece is what a server does that writes each piece as it comes. It costs a call and a copy more.

const GATHERED_LENGTH_MAX = 1 << 14;
/** A unit of a string is at most three bytes; one piece may come on top of what is gathered. */
const BUFFER = Buffer.allocUnsafe(2 * GATHERED_LENGTH_MAX * 3);

export type Writing = "gathered" | "piece by piece";

export class CountedText {
  readonly #lengthMax: number;
  #gathered = "";
  #bytes = 0;

  constructor(writing: Writing) {
    this.#lengthMax = writing === "gathered" ? GATHERED_LENGTH_MAX : 1;
  }

  add(text: string): void {
    if (text.length > GATHERED_LENGTH_MAX) throw new Error(`a piece of ${text.length} units does not fit the buffer`);
    this.#gathered += text;
    if (this.#gathered.length >= this.#lengthMax) this.#write();
  }

  /** All bytes, when nothing more comes. */
  end(): number {
    this.#write();
    return this.#bytes;
  }

  #write(): void {
    this.#bytes += BUFFER.write(this.#gathered);
    this.#gathered = "";
  }
}
