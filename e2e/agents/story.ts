// An agent of free-form code that tells numbers: `count N every MS` says the words 1 to N with a pause between them.

import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent } from "framerail/agent";

export default defineAgent({
  id: "story",
  async run({ message }, { writer, signal }) {
    const [, count = "10", ms = "5"] = /count (\d+) every (\d+)/.exec(message) ?? [];
    for (let word = 1; word <= Number(count); word += 1) {
      writer.text(`${word} `);
      await writer.ready();
      if (Number(ms) > 0) await sleep(Number(ms), undefined, { signal });
    }
  },
});
