// Bugs to plant in the frame of every token: the bytes of a text frame, which must be those of the string.

import type { Row } from "./plant-rows.js";
import type { Plant } from "./plants.js";

const COPIED: readonly Row[] = [
  ["the number in the id", "if (this.#idNumberEnd > 0) writeDigits(seq, bytes, start + this.#idNumberEnd);", ""],
  ["the number in the frame", "    writeDigits(seq, bytes, start + length - TEXT_FIELD.length);\n", ""],
  ["the time", "    writeStamp(ms, bytes, start + this.#stampStart);\n", ""],
  ["a number with more digits", " && seq < this.#numberEnd", ""],
  ["another block", "bytes === this.#bytes && ", ""],
  [
    "a frame that is none",
    "      this.#bytes = NO_BYTES;\n      return 0;",
    "      this.#copyStart = start;\n      return 0;",
  ],
  ["a clock that goes back", "if (at > this.#latestMs) this.#latestMs = at;", "this.#latestMs = at;"],
];
const WRITTEN: readonly Row[] = [
  ["half a pair", "if (!(low >= LOW_SURROGATES && low < SURROGATES_END)) return -1;", ""],
  ["separators", " || SEPARATORS.includes(unit)", ""],
  ["two bytes", "if (unit < TWO_BYTES_END) {", "if (unit < 0) {"],
];

const rowsIn =
  (file: string) =>
  ([guard, find, replace]: Row): Plant => ({ guard, file, find, replace, test: "frame/encode-text.test.ts" });

export const TEXT_PLANTS: readonly Plant[] = [
  ...COPIED.map(rowsIn("frame/encode-frame.ts")),
  ...WRITTEN.map(rowsIn("frame/write-text.ts")),
];
