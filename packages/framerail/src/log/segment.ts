// Frames of one turn that stand one after the other, in bytes that every reader shares: written to the journal, sent to
// sockets.
// Owns: the layout. Does not own: when a tick is over, who reads.
//   S1. Encoded once. The bytes are HTTP/1.1 chunks with their size lines, so that a reader on a socket of its own sends
//       them as they are; who frames otherwise takes what stands between.
//   S2. A frame can be cut out: a reader that resumes in the middle gets exactly what it has not seen.
//   S3. The ticks of a turn stand behind each other in a block of the turn's own, so whoever keeps them keeps one object for
//       a block and not one for every tick: what lives as long as a turn costs the collector most.

import { BLOCK_BYTES_MAX, BLOCK_BYTES_MIN } from "./limits.js";

interface SegmentPlace {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Where the chunks stand. */
  readonly block: Buffer;
  readonly start: number;
  readonly end: number;
}

export class Segment {
  readonly firstSeq: number;
  readonly #block: Buffer;
  readonly #start: number;
  #lastSeq: number;
  #end: number;

  constructor({ firstSeq, lastSeq, block, start, end }: SegmentPlace) {
    this.firstSeq = firstSeq;
    this.#lastSeq = lastSeq;
    this.#block = block;
    this.#start = start;
    this.#end = end;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Size line, frames, line end; and so on. */
  get chunks(): Buffer {
    return this.#block.subarray(this.#start, this.#end);
  }

  /** Bytes of the chunks. */
  get size(): number {
    return this.#end - this.#start;
  }

  /** One of the holder's own, which it may let grow. */
  copy(): Segment {
    return this.#from(this.firstSeq, this.#start);
  }

  /** Takes in the one that follows; false where it stands somewhere else (S3). */
  join(next: Segment): boolean {
    if (next.#block !== this.#block || next.#start !== this.#end) return false;
    this.#end = next.#end;
    this.#lastSeq = next.#lastSeq;
    return true;
  }

  /** What is left of it from the chunk on that has the frame after `afterSeq`. */
  tail(afterSeq: number): Segment {
    let [seq, at] = [this.firstSeq, this.#start];
    while (at < this.#end) {
      const end = at + CHUNK_HEAD + readSize(this.#block, at);
      const next = seq + countFrames(this.#block.subarray(at + CHUNK_HEAD, end));
      if (next > afterSeq + 1) break;
      [seq, at] = [next, end + CHUNK_TAIL];
    }
    return this.#from(seq, at);
  }

  #from(firstSeq: number, start: number): Segment {
    return new Segment({ firstSeq, lastSeq: this.#lastSeq, block: this.#block, start, end: this.#end });
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

/** Writes the ticks of one turn, into blocks that grow with it (S3). */
export class SegmentWriter {
  #block = NO_BLOCK;
  #used = 0;

  /** Of the frames' texts, joined: one write, because a call into the engine for each frame costs more than joining them. */
  write(text: string, firstSeq: number, lastSeq: number): Segment {
    // A unit of a string is at most three bytes.
    this.#claim(CHUNK_HEAD + text.length * 3 + CHUNK_TAIL);
    const [block, start] = [this.#block, this.#used];
    const size = block.write(text, start + CHUNK_HEAD);
    const end = start + CHUNK_HEAD + size;
    writeSize(block, start, size);
    block[end] = CR;
    block[end + 1] = LF;
    this.#used = end + CHUNK_TAIL;
    return new Segment({ firstSeq, lastSeq, block, start, end: this.#used });
  }

  #claim(bytes: number): void {
    if (this.#used + bytes <= this.#block.length) return;
    const grown = Math.min(Math.max(BLOCK_BYTES_MIN, this.#block.length * 2), BLOCK_BYTES_MAX);
    this.#block = Buffer.allocUnsafeSlow(Math.max(grown, bytes));
    this.#used = 0;
  }
}

/** Adds the one that follows to a holder's own (S3). */
export function keepSegment(kept: Segment[], next: Segment): void {
  if (!kept.at(-1)?.join(next)) kept.push(next.copy());
}

/** The frames' bytes, without what HTTP puts around them. */
export function framesOf(segment: Segment): Buffer {
  const parts = framePartsOf(segment);
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** The same, as they stand, one after the other. */
export function framePartsOf({ chunks }: Segment): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < chunks.length; ) {
    const end = at + CHUNK_HEAD + readSize(chunks, at);
    parts.push(chunks.subarray(at + CHUNK_HEAD, end));
    at = end + CHUNK_TAIL;
  }
  return parts;
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
