// Input that looks almost like an event stream: whole lines often enough that events come out, and every near miss that
// a reader might take for one.

import fc from "fast-check";
import { joinBytes, toBytes } from "./cuts.js";

const LINES = [
  "data: one",
  "data:two",
  "data",
  "data:",
  "event: name",
  "event:",
  "event",
  "id: 7",
  "id:",
  "id",
  ": note",
];
const FIELDS = [
  "data",
  "event",
  "id",
  "retry",
  "Data",
  "dat",
  "dataa",
  " data",
  "da-ta",
  "data\0",
  "even",
  "ids",
  "",
  "x",
];
const SEPARATORS = [":", ": ", ":  ", ":\t", "::", " :", ":\u00a0", "\u2028", "\u0085", "\v", "\f", "\0"];
const VALUES = [
  "a",
  " ",
  "0",
  "3000",
  "03000",
  "1000x",
  "-1",
  "1e3",
  "٣",
  "9".repeat(400),
  "{}",
  "[DONE]",
  "é",
  "你好",
  "🚂",
];
const LINE_ENDS = ["\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n", "\n\r", "\n\r\n"];
const BYTES = [
  [0xef, 0xbb, 0xbf],
  [0xef, 0xbb],
  [0xbf],
  [0xff],
  [0xc0, 0xaf],
  [0xe2, 0x82],
  [0xf0, 0x9f, 0x9a],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xc3],
  [0x80],
];

// Whole lines are about half of the table, so that events come out.
const WHOLE_LINES = LINES.flatMap((line) => LINE_ENDS.map((end) => line + end));

const PIECES: readonly Uint8Array[] = [
  ...[...WHOLE_LINES, ...LINE_ENDS, ...LINE_ENDS, ...LINES, ...FIELDS, ...SEPARATORS, ...VALUES].map(toBytes),
  ...BYTES.map((bytes) => Uint8Array.from(bytes)),
];

export const nastyBytes: fc.Arbitrary<Uint8Array> = fc
  .array(fc.integer({ min: 0, max: PIECES.length - 1 }), { maxLength: 24, size: "max" })
  .map((indexes) => joinBytes(indexes.map((index) => PIECES[index] as Uint8Array)));

export const cutPositions: fc.Arbitrary<number[]> = fc.array(fc.nat(300), { maxLength: 4, size: "max" });

/** Any string at all: every code unit, lone surrogates included. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc
    .array(
      fc.constantFrom(
        "\r",
        "\n",
        "\r\n",
        "\0",
        "\u2028",
        "\u2029",
        "\u0085",
        "\ud800",
        "\udc00",
        " ",
        ":",
        "data: x",
        "a",
      ),
      {
        maxLength: 8,
      },
    )
    .map((parts) => parts.join("")),
);
