// Frames of one turn that stand one after the other, in bytes that every reader shares: written to the journal, sent to
// sockets.
// Owns: the layout. Does not own: when a tick is over, who reads.
//   S1. Encoded once. The bytes are HTTP/1.1 chunks with their size lines, so that a reader on a socket of its own sends
//       them as they are; who frames otherwise takes what stands between.
//   S2. A frame can be cut out: a reader that resumes in the middle gets exactly what it has not seen.
//   S3. The ticks of a turn stand behind each other in a block of the turn's own, so whoever keeps them keeps one object for
//       a block and not one for every tick: what lives as long as a turn costs the collector most.

import type { FrameRoom } from "@framerail/protocol";
import { takeBlock } from "./block-pool.js";
import { BLOCK_BYTES_MAX, BLOCK_BYTES_MIN } from "./limits.js";

/** Frames without a gap, and where they stand: those of a part behind each other. */
export interface FrameRow {
  readonly firstSeq: number;
  readonly parts: readonly FramePart[];
}

export interface FramePart {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

interface SegmentPlace {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Where the chunks stand. */
  readonly block: Buffer;
  readonly start: number;
  readonly end: number;
}

export class Segment implements SegmentPlace {
  readonly firstSeq: number;
  readonly block: Buffer;
  readonly start: number;
  #lastSeq: number;
  #end: number;
  /** Made for the first who asks: a turn may have a thousand readers. */
  #chunks: Buffer | undefined;

  constructor({ firstSeq, lastSeq, block, start, end }: SegmentPlace) {
    this.firstSeq = firstSeq;
    this.#lastSeq = lastSeq;
    this.block = block;
    this.start = start;
    this.#end = end;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get end(): number {
    return this.#end;
  }

  /** Size line, frames, line end; and so on. */
  get chunks(): Buffer {
    this.#chunks ??= this.block.subarray(this.start, this.#end);
    return this.#chunks;
  }

  /** Bytes of the chunks. */
  get size(): number {
    return this.#end - this.start;
  }

  /** One of the holder's own, which it may let grow. */
  copy(): Segment {
    return this.#from(this.firstSeq, this.start);
  }

  /** Takes in the one that follows; false where it stands somewhere else (S3). */
  join(next: Segment): boolean {
    if (next.block !== this.block || next.start !== this.#end) return false;
    this.#end = next.#end;
    this.#lastSeq = next.#lastSeq;
    this.#chunks = undefined;
    return true;
  }

  /** What is left of it from the chunk on that has the frame after `afterSeq`. */
  tail(afterSeq: number): Segment {
    let [seq, at] = [this.firstSeq, this.start];
    while (at < this.#end) {
      const end = at + CHUNK_HEAD + readSize(this.block, at);
      const next = seq + countFrames(this.block.subarray(at + CHUNK_HEAD, end));
      if (next > afterSeq + 1) break;
      [seq, at] = [next, end + CHUNK_TAIL];
    }
    return this.#from(seq, at);
  }

  #from(firstSeq: number, start: number): Segment {
    return new Segment({ firstSeq, lastSeq: this.#lastSeq, block: this.block, start, end: this.#end });
  }
}

/** Six hexadecimal digits and a line end: leading zeros are legal, and a fixed width can be filled in afterwards. */
const SIZE_DIGITS = 6;
const CHUNK_HEAD = SIZE_DIGITS + 2;
const CHUNK_TAIL = 2;
const HEX = Buffer.from("0123456789abcdef");
const [CR, LF, NINE] = [13, 10, 57];
const FRAME_END = Buffer.from("\n\n");
const NO_BLOCK = Buffer.alloc(0);

/**
 * Writes the ticks of one turn, into blocks that grow with it (S3). Frames are written behind each other, as bytes by
 * whoever claims room for one, or as text; `cut` makes a tick of them. What was cut is never written to again.
 */
export class SegmentWriter implements FrameRoom {
  bytes: Buffer = NO_BLOCK;
  /** Where the next frame begins. */
  end = 0;
  /** Where the frames of this tick begin; before them stands what HTTP puts there. */
  #start = 0;

  /** Bytes of the frames that are not cut yet. */
  get size(): number {
    return this.end - this.#start;
  }

  /** Makes room for a frame of at most so many bytes. */
  claim(bytesMax: number): this {
    if (this.end + bytesMax + CHUNK_TAIL > this.bytes.length) this.#grow(bytesMax);
    return this;
  }

  /** The next frame has so many bytes. */
  advance(size: number): void {
    this.end += size;
  }

  write(frame: string): void {
    // A unit of a string is at most three bytes.
    this.claim(frame.length * 3);
    this.end += this.bytes.write(frame, this.end);
  }

  /** The frames so far, which then are no longer this writer's. */
  cut(firstSeq: number, lastSeq: number): Segment {
    const [block, start, frames] = [this.bytes, this.#start - CHUNK_HEAD, this.end];
    writeSize(block, start, this.size);
    block[frames] = CR;
    block[frames + 1] = LF;
    const end = frames + CHUNK_TAIL;
    // The next tick begins right behind, or in the next block: room for one is made when its first frame is claimed.
    this.#start = end + CHUNK_HEAD;
    this.end = this.#start;
    return new Segment({ firstSeq, lastSeq, block, start, end });
  }

  /** A copy of the frames so far, which stay. */
  peek(firstSeq: number, lastSeq: number): Segment {
    const copy = new SegmentWriter();
    copy.claim(this.size);
    this.bytes.copy(copy.bytes, copy.end, this.#start, this.end);
    copy.advance(this.size);
    return copy.cut(firstSeq, lastSeq);
  }

  /** Forgets the frames that are not cut. */
  drop(): void {
    this.end = this.#start;
  }

  /** Lets go of the block: what was cut is all there will be. */
  leave(): void {
    [this.bytes, this.end, this.#start] = [NO_BLOCK, 0, 0];
  }

  /** The frames of this tick go on in a block with room for so many bytes more. */
  #grow(bytesMax: number): void {
    const { size } = this;
    const [from, start] = [this.bytes, this.#start];
    const grown = Math.min(Math.max(BLOCK_BYTES_MIN, from.length * 2), BLOCK_BYTES_MAX);
    // Twice what is moved, so that a tick which has no end is not moved for each of its frames.
    this.bytes = takeBlock(Math.max(grown, CHUNK_HEAD + 2 * size + bytesMax + CHUNK_TAIL));
    if (size > 0) from.copy(this.bytes, CHUNK_HEAD, start, start + size);
    this.#start = CHUNK_HEAD;
    this.end = CHUNK_HEAD + size;
  }
}

/** Adds the one that follows to a holder's own (S3). */
export function keepSegment(kept: Segment[], next: Segment): void {
  if (!kept.at(-1)?.join(next)) kept.push(next.copy());
}

/** The frames' bytes, without what HTTP puts around them: as they stand where they are of one tick, or else a copy. */
export function framesOf(segment: Segment): Buffer {
  const { chunks } = segment;
  const end = framesEnd(chunks, 0);
  if (end + CHUNK_TAIL === chunks.length) return chunks.subarray(CHUNK_HEAD, end);
  const frames = Buffer.allocUnsafe(countFrameBytes(segment));
  copyFrames(segment, frames, 0);
  return frames;
}

export function countFrameBytes({ chunks }: Segment): number {
  let size = 0;
  for (let at = 0; at < chunks.length; ) {
    const end = framesEnd(chunks, at);
    size += Math.max(0, end - at - CHUNK_HEAD);
    at = end + CHUNK_TAIL;
  }
  return size;
}

/** Copies the frames' bytes, without what HTTP puts around them, and gives where they end. */
export function copyFrames({ chunks }: Segment, to: Buffer, start: number): number {
  let end = start;
  for (let at = 0; at < chunks.length; ) {
    const from = at + CHUNK_HEAD;
    const until = framesEnd(chunks, at);
    if (until > from) end += chunks.copy(to, end, from, until);
    at = until + CHUNK_TAIL;
  }
  return end;
}

/** Where its frames stand, those of a tick at a time, without what HTTP puts around them. */
export function rowOf({ firstSeq, block, start, end }: Segment): FrameRow {
  const parts: FramePart[] = [];
  for (let at = start; at < end; ) {
    const from = at + CHUNK_HEAD;
    const until = Math.min(from + readSize(block, at), end);
    parts.push({ bytes: block, start: from, end: until });
    at = until + CHUNK_TAIL;
  }
  return { firstSeq, parts };
}

/** Where the frames of the chunk end that begins at `at`. */
function framesEnd(chunks: Buffer, at: number): number {
  return Math.min(at + CHUNK_HEAD + readSize(chunks, at), chunks.length);
}

/** The bytes of the frames after `afterSeq` (S2). */
export function framesAfter(segment: Segment, afterSeq: number): Buffer {
  const tail = segment.tail(afterSeq);
  const frames = framesOf(tail);
  let start = 0;
  for (let seq = tail.firstSeq; seq <= afterSeq; seq += 1) start = frames.indexOf(FRAME_END, start) + FRAME_END.length;
  return frames.subarray(start);
}

/** An empty line ends a frame, and nothing inside of one, or of what HTTP puts around it, can be an empty line. */
export function countFrames(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(FRAME_END); at >= 0; at = bytes.indexOf(FRAME_END, at + FRAME_END.length)) count += 1;
  return count;
}

function writeSize(block: Buffer, start: number, size: number): void {
  for (let digit = 0; digit < SIZE_DIGITS; digit += 1) {
    block[start + digit] = HEX[(size >>> ((SIZE_DIGITS - 1 - digit) * 4)) & 15] as number;
  }
  block[start + SIZE_DIGITS] = CR;
  block[start + SIZE_DIGITS + 1] = LF;
}

/** Never negative, whatever stands there: who walks from chunk to chunk gets to an end. */
function readSize(block: Buffer, start: number): number {
  let size = 0;
  for (let digit = 0; digit < SIZE_DIGITS; digit += 1) {
    const unit = block[start + digit] as number;
    size = (size << 4) | (unit <= NINE ? unit & 15 : (unit & 15) + 9);
  }
  return size;
}
