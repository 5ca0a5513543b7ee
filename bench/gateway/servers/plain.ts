// The floor: Node's own server and `res.write`, for frames that are there already, and for frames made by JSON.stringify.
// The frame is one of ours, byte for byte, so that both send the same.

import type { ServerResponse } from "node:http";
import { createFrameEncoder, createSseFraming, systemClock } from "@framerail/protocol";
import { CHUNK } from "../chunk.js";
import type { Pacer } from "../pacer.js";
import { SSE_HEADERS, serveStreams } from "../server.js";

export const TURN = "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11";
const SEQ = 1_234;

const encoder = createFrameEncoder({
  responseId: TURN,
  clock: systemClock,
  framing: createSseFraming({ idPrefix: `${TURN}.1.` }),
});

/** A text frame as our gateway sends it. */
export const FRAME = encoder.encode("text", SEQ, { chunk: CHUNK });
const [HEAD = "", TAIL = ""] = FRAME.split(CHUNK);
const PREPARED = Buffer.from(FRAME);

/** One stream for each response; on `/shared` one stream for all of them. */
export function startFloor(pacer: Pacer): Promise<number> {
  const readers: ServerResponse[] = [];
  return serveStreams((response, { url }) => {
    response.writeHead(200, SSE_HEADERS).flushHeaders();
    if (url === "/first") response.write(PREPARED);
    if (url === "/shared") {
      readers.push(response);
      if (readers.length === 1) {
        pacer.add(() => {
          for (const reader of readers) reader.write(PREPARED);
        });
      }
    } else pacer.add((chunk) => void response.write(chunk === CHUNK ? PREPARED : `${HEAD}${chunk}${TAIL}`));
  });
}

export function startStringify(pacer: Pacer): Promise<number> {
  return serveStreams((response) => {
    response.writeHead(200, SSE_HEADERS).flushHeaders();
    let seq = SEQ;
    pacer.add((chunk) => {
      seq += 1;
      const frame = {
        event_type: "text",
        version: "0.5",
        seq,
        timestamp: new Date().toISOString(),
        response_id: TURN,
        chunk,
      };
      response.write(`id: ${TURN}.1.${seq}\nevent: text\ndata: ${JSON.stringify(frame)}\n\n`);
    });
  });
}
