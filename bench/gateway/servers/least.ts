// The least that a server in Node can do for a frame: prepared chunks, one write for each stream and tick, below the socket's
// queue. No goal is measured against it; what others cost beyond it is what they do for a frame.

import type { Pacer } from "../pacer.js";
import { SSE_HEADERS, serveStreams } from "../server.js";
import { FRAME } from "./plain.js";

const SIZE = Buffer.byteLength(FRAME);
const CHUNK = Buffer.from(`${SIZE.toString(16)}\r\n${FRAME}\r\n`);
const FRAMES_MAX = 256;
const CHUNKS = Buffer.concat(Array<Buffer>(FRAMES_MAX).fill(CHUNK));
const AS_BYTES = "buffer" as BufferEncoding;

export function startLeast(pacer: Pacer): Promise<number> {
  let dirty: (() => void)[] = [];
  const flushAll = () => {
    const flushes = dirty;
    dirty = [];
    for (const flush of flushes) flush();
  };
  return serveStreams((response) => {
    response.writeHead(200, SSE_HEADERS).flushHeaders();
    const { socket } = response;
    let waiting = 0;
    const flush = () => {
      for (; waiting > 0; waiting -= Math.min(waiting, FRAMES_MAX)) {
        const bytes = CHUNKS.subarray(0, Math.min(waiting, FRAMES_MAX) * CHUNK.length);
        socket?._write(bytes, AS_BYTES, () => undefined);
      }
    };
    pacer.add(() => {
      waiting += 1;
      if (waiting > 1) return;
      dirty.push(flush);
      if (dirty.length === 1) setImmediate(flushAll);
    });
  });
}
