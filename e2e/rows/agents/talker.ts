// An agent whose answer is long enough to be stored in several pieces while it runs.

import { setImmediate } from "node:timers/promises";
import { defineAgent } from "framerail/agent";

const [PIECES, LENGTH] = [150, 10_000];

export default defineAgent({
  id: "talker",
  async run(_, { writer }) {
    for (let piece = 1; piece <= PIECES; piece += 1) {
      writer.text(String(piece).padEnd(LENGTH, " and so on"));
      await writer.ready();
      await setImmediate();
    }
  },
});
