// `eventsource-parser`, an independent reader, as a second judge. Where it differs from the standard on purpose, the
// difference is made even here and nowhere else; our side of each is proved by the vectors of sse-decode.test.ts:
//   - it works on text, so the bytes are decoded first, which drops one BOM; and it would drop a second one, or the text
//     "ï»¿", so a blank line, which means nothing, goes first;
//   - it gives an event only the id of its own block: the id in force is remembered from `onId`;
//   - it leaves an unnamed event without a name: the standard calls it `message`;
//   - it gives a retry time as the digits say: ours stop at the last safe integer.

import { createParser } from "eventsource-parser";
import type { SseLog } from "./reference-sse.js";
import { clampRetry } from "./reference-sse.js";

export function readWithEventsourceParser(bytes: Uint8Array): { readonly log: SseLog; readonly lastEventId: string } {
  const log: SseLog = [];
  let lastEventId = "";
  const parser = createParser({
    onId: (id) => {
      lastEventId = id;
    },
    onEvent: ({ event, data }) => log.push({ kind: "event", id: lastEventId, event: event ?? "message", data }),
    onComment: (text) => log.push({ kind: "comment", text }),
    onRetry: (ms) => log.push({ kind: "retry", ms: clampRetry(String(ms)) }),
  });
  parser.feed(`\n${new TextDecoder("utf-8").decode(bytes)}`);
  return { log, lastEventId };
}
