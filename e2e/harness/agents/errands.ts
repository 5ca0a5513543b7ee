// An agent of free-form code that talks and runs errands: `N errands every MS ms` says a word per errand, and every third
// one is a tool call with a pause inside, so that there is always a pair to be caught open.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent } from "framerail/agent";

export default defineAgent({
  id: "errands",
  async run({ message }, { writer, signal }) {
    const [, count = "10", ms = "20"] = /(\d+) errands every (\d+) ms/.exec(message) ?? [];
    const pause = () => sleep(Number(ms), undefined, { signal });
    for (let errand = 1; errand <= Number(count); errand += 1) {
      writer.text(`errand ${errand} é `);
      await writer.ready();
      await pause();
      if (errand % 3 !== 0) continue;
      const names = { tool_call_id: randomUUID(), tool_name: "errand", tool_type: "function" };
      writer.toolCall({ ...names, arguments: { errand }, timestamp: Date.now() });
      await writer.ready();
      await pause();
      writer.toolResult({ tool_call_id: names.tool_call_id, result: { errand }, is_error: false, duration_ms: 1 });
      writer.toolCallEnd(names);
    }
  },
});
