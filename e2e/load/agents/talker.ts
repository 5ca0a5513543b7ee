// Two agents without a model: one says a word and falls silent, one talks on and on. Both for as long as they are told.

import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent } from "framerail/agent";

/** Often enough that nobody takes the agent for dead; what it writes then is shown to nobody. */
const SIGN_MS = 10_000;

const idler = defineAgent({
  id: "idler",
  async run({ message }, { writer, signal }) {
    writer.text("Waiting. ");
    for (let leftMs = Number(message); leftMs > 0; leftMs -= SIGN_MS) {
      await sleep(Math.min(SIGN_MS, leftMs), undefined, { signal });
      writer.write({ type: "node_exit", node_id: "wait", duration_ms: SIGN_MS });
    }
  },
});

/** `60 of 100, 200 of 32000 every 100`: so many pieces of so many characters, then others, with so many ms between them. */
const talker = defineAgent({
  id: "talker",
  async run({ message }, { writer, signal }) {
    const ms = Number(/every (\d+)/.exec(message)?.[1]);
    for (const [, count, length] of message.matchAll(/(\d+) of (\d+)/g)) {
      for (let piece = 1; piece <= Number(count); piece += 1) {
        writer.text(String(piece).padEnd(Number(length), " and so on"));
        await writer.ready();
        await sleep(ms, undefined, { signal });
      }
    }
  },
});

export default [idler, talker];
