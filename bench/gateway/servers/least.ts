// The least that a server in Node can do for a frame, twice: no goal is measured against it; what others cost beyond it is what
// they do for a frame.
//   only writes    prepared chunks, one write for each stream and tick, below the socket's queue
//   only encodes   the same, but guard and encoder make each frame anew, in bytes of the stream's own: our path without policy,
//                  taps, metrics, log and store

import type { ServerResponse } from "node:http";
import { createFrameEncoder, createSseFraming, createTurnGuard, systemClock } from "@framerail/protocol";
import { giveBlock } from "../../../packages/framerail/dist/log/block-pool.js";
import { SegmentWriter } from "../../../packages/framerail/dist/log/segment.js";
import type { Pacer } from "../pacer.js";
import { SSE_HEADERS, serveStreams } from "../server.js";
import { FRAME, TURN } from "./plain.js";

const SIZE = Buffer.byteLength(FRAME);
const CHUNK = Buffer.from(`${SIZE.toString(16)}\r\n${FRAME}\r\n`);
const FRAMES_MAX = 256;
const CHUNKS = Buffer.concat(Array<Buffer>(FRAMES_MAX).fill(CHUNK));
const AS_BYTES = "buffer" as BufferEncoding;

/** What one stream does for a frame, and what it then writes for all that came in a tick. */
interface Stream {
  take(chunk: string): void;
  write(send: (bytes: Buffer) => void): void;
}

export const startWrites = (pacer: Pacer): Promise<number> => start(pacer, onlyWrites);
export const startEncodes = (pacer: Pacer): Promise<number> => start(pacer, onlyEncodes);

function onlyWrites(): Stream {
  let waiting = 0;
  return {
    take() {
      waiting += 1;
    },
    write(send) {
      for (; waiting > 0; waiting -= Math.min(waiting, FRAMES_MAX)) {
        send(CHUNKS.subarray(0, Math.min(waiting, FRAMES_MAX) * CHUNK.length));
      }
    },
  };
}

function onlyEncodes(): Stream {
  const guard = createTurnGuard();
  guard.admit("response_id", { conversation_id: TURN });
  const framing = createSseFraming({ idPrefix: `${TURN}.1.` });
  const encoder = createFrameEncoder({ responseId: TURN, clock: systemClock, framing });
  const frames = new SegmentWriter();
  let [taken, seq] = [1, 1];
  let last: Buffer | undefined;
  return {
    take(chunk) {
      if (guard.admit("text", { chunk }) !== "pass") throw new Error("the guard lets no text through");
      seq += 1;
      const room = frames.claim(encoder.textBytesMax(chunk) ?? 0);
      frames.advance(encoder.encodeText(chunk, seq, systemClock.now(), room));
    },
    write(send) {
      const { chunks, block } = frames.cut(taken + 1, seq);
      send(chunks);
      // The bench has far less under way than fits a socket, so what stood in the last one has been taken.
      if (last !== undefined && last !== block) giveBlock(last);
      last = block;
      taken = seq;
    },
  };
}

function start(pacer: Pacer, open: () => Stream): Promise<number> {
  let dirty: (() => void)[] = [];
  const flushAll = () => {
    const flushes = dirty;
    dirty = [];
    for (const flush of flushes) flush();
  };
  return serveStreams((response) => {
    const send = openBelowQueue(response);
    const stream = open();
    let isDirty = false;
    const flush = () => {
      isDirty = false;
      stream.write(send);
    };
    pacer.add((chunk) => {
      stream.take(chunk);
      if (isDirty) return;
      isDirty = true;
      dirty.push(flush);
      if (dirty.length === 1) setImmediate(flushAll);
    });
  });
}

function openBelowQueue(response: ServerResponse): (bytes: Buffer) => void {
  response.writeHead(200, SSE_HEADERS).flushHeaders();
  const { socket } = response;
  return (bytes) => socket?._write(bytes, AS_BYTES, () => undefined);
}
