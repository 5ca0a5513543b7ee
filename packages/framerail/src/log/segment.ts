// What one tick of one turn brought, in bytes that every reader shares: written to the journal, sent to sockets.
// Owns: the layout. Does not own: when a tick is over, who reads.
//   S1. Encoded once. The bytes are an HTTP/1.1 chunk with its size line, so that a reader on a socket of its own sends
//       them as they are; who frames otherwise takes what stands between.
//   S2. A frame can be cut out: a reader that resumes in the middle gets exactly what it has not seen.

import type { LoggedFrame } from "./frame-sink.js";
import { SLAB_BYTES } from "./limits.js";

export interface Segment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Size line, frames, line end. */
  readonly chunk: Buffer;
  /** Where in `chunk` each frame ends; the first begins at CHUNK_HEAD. */
  readonly ends: readonly number[];
}

/** Six hexadecimal digits and a line end: leading zeros are legal, and a fixed width can be filled in afterwards. */
export const CHUNK_HEAD = 8;
const CHUNK_TAIL = 2;
const HEX = Buffer.from("0123456789abcdef");
const [CR, LF] = [13, 10];

let slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
let used = 0;

export function createSegment(frames: readonly LoggedFrame[]): Segment {
  let bytesMax = CHUNK_HEAD + CHUNK_TAIL;
  // A unit of a string is at most three bytes.
  for (const { sse } of frames) bytesMax += sse.length * 3;
  const start = claim(bytesMax);
  const ends: number[] = [];
  let end = start + CHUNK_HEAD;
  for (const { sse } of frames) {
    end += slab.write(sse, end);
    ends.push(end - start);
  }
  writeHead(start, end - start - CHUNK_HEAD);
  slab[end] = CR;
  slab[end + 1] = LF;
  used = end + CHUNK_TAIL;
  const firstSeq = frames[0]?.seq ?? 0;
  return { firstSeq, lastSeq: firstSeq + frames.length - 1, chunk: slab.subarray(start, used), ends };
}

/** The frames' bytes, without what HTTP puts around them. */
export function framesOf({ chunk }: Segment): Buffer {
  return chunk.subarray(CHUNK_HEAD, chunk.length - CHUNK_TAIL);
}

/** The bytes of the frames after `afterSeq` (S2). */
export function framesAfter(segment: Segment, afterSeq: number): Buffer {
  const { firstSeq, chunk, ends } = segment;
  const start = afterSeq < firstSeq ? CHUNK_HEAD : (ends[afterSeq - firstSeq] ?? chunk.length - CHUNK_TAIL);
  return chunk.subarray(start, chunk.length - CHUNK_TAIL);
}

function claim(bytes: number): number {
  if (used + bytes > slab.length) {
    slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes));
    used = 0;
  }
  return used;
}

function writeHead(start: number, size: number): void {
  for (let digit = 0; digit < CHUNK_HEAD - 2; digit += 1) {
    slab[start + digit] = HEX[(size >>> ((CHUNK_HEAD - 3 - digit) * 4)) & 15] as number;
  }
  slab[start + CHUNK_HEAD - 2] = CR;
  slab[start + CHUNK_HEAD - 1] = LF;
}
