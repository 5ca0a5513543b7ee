// The text of an answer, read back from the frames that it went out in. While a turn runs nothing else keeps it: a piece that
// is kept beside its frame costs more than the frame does, because with many turns nothing of a turn is in a cache.
// Owns: which bytes of a frame are its text. Does not own: how a frame is written (encode-frame.ts of the protocol), where
// segments are kept.
//   X1. Frames are read once, in their order: those that were read before are stepped over.
//   X2. Text frames of one turn whose numbers have as many digits are equally long up to their text, as they are for the
//       encoder, which copies that part. So it is looked for once, and then known.
//   X3. Texts are kept as they stand in JSON, in blocks that other turns use before and after. Of a long answer they become a
//       string some blocks at a time, one so large that the collector does not move it, and the rest when it is asked for.

import { FramerailError } from "@framerail/protocol";
import { giveBlock, takeBlock } from "./block-pool.js";
import { BLOCK_BYTES_MAX } from "./limits.js";
import type { Segment } from "./segment.js";
import { visitFrames } from "./segment.js";

const FRAME_END = Buffer.from("\n\n");
const EVENT_FIELD = Buffer.from("\nevent: ");
const TIME_FIELD = Buffer.from('"timestamp":"');
const TEXT_FIELD = Buffer.from(',"chunk":"');
/** What stands behind a text: its quote, the end of the JSON, the end of the frame. */
const CLOSE_LENGTH = '"}\n\n'.length;
const STAMP_LENGTH = "2026-01-01T00:00:00.000Z".length;
const [QUOTE, BACKSLASH] = [34, 92];
/** A backslash and what it stands before are not torn apart. */
const PAIR_LENGTH = 2;
const BLOCKS_FULL_MAX = 4;
const TEXT_EVENT = Buffer.from("text\n");

export interface ReadText {
  readonly text: string;
  /** The time of its first frame. */
  readonly at: number;
}

/** Reads the text of one turn. */
export class FrameText {
  #readSeq = 0;
  // X2: where the name of the event and the text begin, for numbers below `#numberEnd`; 0: not known yet.
  #nameAt = 0;
  #textAt = 0;
  #numberEnd = 0;
  // X3: what is a string already, what stands in blocks that are full, the block that is filled, and how far.
  #text = "";
  readonly #full: Buffer[] = [];
  #block: Buffer | undefined;
  #end = 0;
  #hasEscapes = false;
  #at: number | undefined;

  /** The last frame that was read. */
  get readSeq(): number {
    return this.#readSeq;
  }

  /** Reads the frames that were not read yet (X1). */
  read(segments: readonly Segment[]): void {
    for (const segment of segments) {
      let seq = segment.firstSeq;
      visitFrames(segment, (bytes, start, end) => {
        for (let at = start; at < end; seq += 1) {
          at = seq > this.#readSeq ? this.#readFrame(bytes, at, seq) : endOfFrame(bytes, at);
        }
      });
      this.#readSeq = Math.max(this.#readSeq, segment.lastSeq);
    }
  }

  /** What was read since the last time; undefined where no frame had text. */
  take(): ReadText | undefined {
    const at = this.#at;
    if (at === undefined) return undefined;
    this.#decode();
    const text = this.#text;
    [this.#text, this.#at] = ["", undefined];
    return { text, at };
  }

  /** Gives where the next frame begins. */
  #readFrame(bytes: Buffer, start: number, seq: number): number {
    if (seq >= this.#numberEnd) this.#measure(bytes, start, seq);
    const name = start + this.#nameAt;
    for (let unit = 0; unit < TEXT_EVENT.length; unit += 1) {
      if (bytes[name + unit] !== TEXT_EVENT[unit]) return endOfFrame(bytes, start);
    }
    if (this.#textAt === 0) this.#textAt = bytes.indexOf(TEXT_FIELD, start) + TEXT_FIELD.length - start;
    this.#at ??= timeOf(bytes, start);
    let at = start + this.#textAt;
    while (bytes[at] !== QUOTE) {
      if (at >= bytes.length) throw new FramerailError("INVARIANT_VIOLATION", `frame ${seq} has a text without an end`);
      at = this.#copyText(bytes, at);
    }
    if (this.#full.length >= BLOCKS_FULL_MAX) this.#decode();
    return at + CLOSE_LENGTH;
  }

  /** Copies up to the quote that ends the text, before which no backslash stands, or until the block is full; gives up to where. */
  #copyText(bytes: Buffer, start: number): number {
    const block = this.#roomyBlock();
    const endMax = block.length - PAIR_LENGTH;
    let [at, end] = [start, this.#end];
    for (let unit = bytes[at] as number; unit !== QUOTE && end <= endMax; unit = bytes[at] as number) {
      if (unit === BACKSLASH) {
        this.#hasEscapes = true;
        block[end] = unit;
        at += 1;
        end += 1;
        unit = bytes[at] as number;
      }
      block[end] = unit;
      at += 1;
      end += 1;
    }
    this.#end = end;
    return at;
  }

  // X3. Between two frames, and so between two characters.
  #decode(): void {
    const block = this.#block;
    if (block === undefined) return;
    const last = block.subarray(0, this.#end);
    const bytes = this.#full.length === 0 ? last : Buffer.concat([...this.#full, last]);
    const json = bytes.toString("utf8");
    this.#text += this.#hasEscapes ? (JSON.parse(`"${json}"`) as string) : json;
    for (const { buffer } of [...this.#full.splice(0), block]) giveBlock(Buffer.from(buffer));
    [this.#block, this.#end, this.#hasEscapes] = [undefined, 0, false];
  }

  #roomyBlock(): Buffer {
    let block = this.#block;
    if (block !== undefined && this.#end <= block.length - PAIR_LENGTH) return block;
    if (block !== undefined) this.#full.push(block.subarray(0, this.#end));
    block = takeBlock(BLOCK_BYTES_MAX);
    [this.#block, this.#end] = [block, 0];
    return block;
  }

  // X2
  #measure(bytes: Buffer, start: number, seq: number): void {
    this.#nameAt = bytes.indexOf(EVENT_FIELD, start) + EVENT_FIELD.length - start;
    this.#textAt = 0;
    this.#numberEnd = 10 ** String(seq).length;
  }
}

function endOfFrame(bytes: Buffer, start: number): number {
  return bytes.indexOf(FRAME_END, start) + FRAME_END.length;
}

function timeOf(bytes: Buffer, start: number): number {
  const at = bytes.indexOf(TIME_FIELD, start) + TIME_FIELD.length;
  return Date.parse(bytes.toString("latin1", at, at + STAMP_LENGTH));
}
