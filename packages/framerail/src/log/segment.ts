// What one tick of one turn brought, in bytes that every reader shares: written to the journal, sent to sockets.
// Owns: the layout. Does not own: when a tick is over, who reads.
//   S1. Encoded once. The bytes are an HTTP/1.1 chunk with its size line, so that a reader on a socket of its own sends
//       them as they are; who frames otherwise takes what stands between.
//   S2. A frame can be cut out: a reader that resumes in the middle gets exactly what it has not seen.
//   S3. A turn keeps a segment for every tick, so one is a single small object: it says where its bytes are, and buffers
//       that show them are made when they are asked for. What lives as long as a turn costs the collector most.

import type { LoggedFrame } from "./frame-sink.js";
import { SLAB_BYTES } from "./limits.js";

interface SegmentPlace {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Where the chunk stands. */
  readonly block: Buffer;
  readonly start: number;
  readonly end: number;
}

export class Segment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly #block: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor({ firstSeq, lastSeq, block, start, end }: SegmentPlace) {
    this.firstSeq = firstSeq;
    this.lastSeq = lastSeq;
    this.#block = block;
    this.#start = start;
    this.#end = end;
  }

  /** Size line, frames, line end. */
  get chunk(): Buffer {
    return this.#block.subarray(this.#start, this.#end);
  }

  /** Bytes of the chunk. */
  get size(): number {
    return this.#end - this.#start;
  }
}

/** Six hexadecimal digits and a line end: leading zeros are legal, and a fixed width can be filled in afterwards. */
export const CHUNK_HEAD = 8;
export const CHUNK_TAIL = 2;
const HEX = Buffer.from("0123456789abcdef");
const [CR, LF] = [13, 10];
const FRAME_END = "\n\n";

let slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
let used = 0;

export function createSegment(frames: readonly LoggedFrame[]): Segment {
  let text = "";
  for (const { sse } of frames) text += sse;
  const firstSeq = frames[0]?.seq ?? 0;
  return segmentOf(text, firstSeq, firstSeq + frames.length - 1);
}

/** Of the frames' texts, joined: one write, because a call into the engine for each frame costs more than joining them. */
export function segmentOf(text: string, firstSeq: number, lastSeq: number): Segment {
  // A unit of a string is at most three bytes.
  const start = claim(CHUNK_HEAD + text.length * 3 + CHUNK_TAIL);
  const size = slab.write(text, start + CHUNK_HEAD);
  const end = start + CHUNK_HEAD + size;
  writeHead(start, size);
  slab[end] = CR;
  slab[end + 1] = LF;
  used = end + CHUNK_TAIL;
  return new Segment({ firstSeq, lastSeq, block: slab, start, end: used });
}

/** The frames' bytes, without what HTTP puts around them. */
export function framesOf({ chunk }: Segment): Buffer {
  return chunk.subarray(CHUNK_HEAD, chunk.length - CHUNK_TAIL);
}

/** The bytes of the frames after `afterSeq` (S2). An empty line ends a frame, and nothing inside of one can be an empty line. */
export function framesAfter(segment: Segment, afterSeq: number): Buffer {
  const { firstSeq, lastSeq } = segment;
  const frames = framesOf(segment);
  let start = 0;
  for (let seq = firstSeq; seq <= Math.min(afterSeq, lastSeq); seq += 1) {
    start = frames.indexOf(FRAME_END, start, "latin1") + FRAME_END.length;
  }
  return frames.subarray(start);
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
