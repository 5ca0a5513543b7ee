// Agents that are hard on a terminal: one says what would command it, cut where it hurts most, and one fails.

import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent } from "framerail/agent";

/** Between two of them a frame has gone out. */
const PIECE_MS = 20;
const PIECES = [
  "safe \u001b",
  "]0;new title\u0007",
  "\u001b[3",
  "1mred\u001b[0m ",
  "\u001b]52;c;Y29weQ==\u001b",
  "\\\u009b2J",
  "\u202e\u0007\rplain\u202c",
  " end",
];

export default [
  defineAgent({
    id: "hostile",
    async run(_, { writer, signal }) {
      for (const piece of PIECES) {
        writer.text(piece);
        await writer.ready();
        await sleep(PIECE_MS, undefined, { signal });
      }
    },
  }),
  defineAgent({
    id: "failing",
    async run(_, { writer }) {
      writer.text("So far");
      await writer.ready();
      throw new Error("the plan fell through");
    },
  }),
];
