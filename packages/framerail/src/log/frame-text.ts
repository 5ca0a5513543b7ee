// The text of an answer, read back from the frames that it went out in. While a turn runs nothing else keeps it: a piece that
// is kept beside its frame costs more than the frame does, because with many turns nothing of a turn is in a cache.
// Owns: which bytes of a frame are its text. Does not own: how a frame is written (encode-frame.ts of the protocol), where
// frames are kept.
//   X1. Frames are read once, in their order: those that were read before are stepped over.
//   X2. Text frames of one turn whose numbers have as many digits are equally long up to their text, as they are for the
//       encoder, which copies that part. So it is looked for once, and then known.
//   X3. Texts are joined as they stand in JSON, and become a string some at a time, between two frames: so neither a character
//       nor an escape is ever cut in half.

import { FramerailError } from "@framerail/protocol";
import { TEXT_BYTES_JOINED } from "./limits.js";
import type { FramePart, FrameRow } from "./segment.js";

const FRAME_END = Buffer.from("\n\n");
const EVENT_FIELD = Buffer.from("\nevent: ");
const TIME_FIELD = Buffer.from('"timestamp":"');
const TEXT_FIELD = Buffer.from(',"chunk":"');
/** What stands behind a text: its quote, the end of the JSON, the end of the frame. */
const CLOSE_LENGTH = '"}\n\n'.length;
const STAMP_LENGTH = "2026-01-01T00:00:00.000Z".length;
const [QUOTE, BACKSLASH] = [34, 92];
const TEXT_EVENT = Buffer.from("text\n");
/** Enough for a short answer. */
const JOINED_BYTES_MIN = 1_024;

export interface ReadText {
  readonly text: string;
  /** The time of its first frame. */
  readonly at: number;
}

/** Reads the text of one turn. */
export class FrameText {
  #readSeq = 0;
  // What is to be read: the parts, the one that is read, where in it the next frame begins, and which frame that is.
  #parts: readonly FramePart[] = [];
  #part = 0;
  #next = 0;
  #nextSeq = 1;
  // X2: where the name of the event and the text begin, for numbers below `#numberEnd`; 0: not known yet.
  #nameAt = 0;
  #textAt = 0;
  #numberEnd = 0;
  // X3: what is a string already, and what is joined.
  #text = "";
  #joined: Buffer = Buffer.allocUnsafe(JOINED_BYTES_MIN);
  #end = 0;
  #hasEscapes = false;
  #at: number | undefined;

  /** The last frame that was read. */
  get readSeq(): number {
    return this.#readSeq;
  }

  /** Is given what is to be read next. */
  open({ firstSeq, parts }: FrameRow): void {
    [this.#parts, this.#nextSeq] = [parts, firstSeq];
    this.#begin(0);
  }

  /** Reads the frames up to `lastSeq`, or all that there are. */
  readTo(lastSeq: number): void {
    for (let part = this.#parts[this.#part]; part !== undefined; part = this.#parts[this.#part]) {
      this.#readPart(part, lastSeq);
      if (this.#next < part.end) return;
      this.#begin(this.#part + 1);
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

  #begin(part: number): void {
    this.#part = part;
    this.#next = this.#parts[part]?.start ?? 0;
  }

  // X1
  #readPart({ bytes, end }: FramePart, lastSeq: number): void {
    let [next, seq] = [this.#next, this.#nextSeq];
    for (; next < end && seq <= lastSeq; seq += 1) {
      next = seq > this.#readSeq ? this.#readFrame(bytes, next, seq) : endOfFrame(bytes, next);
    }
    [this.#next, this.#nextSeq] = [next, seq];
    this.#readSeq = Math.max(this.#readSeq, seq - 1);
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
    if (this.#end >= TEXT_BYTES_JOINED) this.#decode();
    return this.#joinText(bytes, start + this.#textAt, seq) + CLOSE_LENGTH;
  }

  /** Copies up to the quote that ends the text, before which no backslash stands; gives where that is. */
  #joinText(bytes: Buffer, start: number, seq: number): number {
    let joined = this.#joined;
    let [at, end] = [start, this.#end];
    for (let unit = bytes[at]; unit !== QUOTE; unit = bytes[at]) {
      if (unit === undefined) throw broken(seq);
      if (end + 2 > joined.length) joined = this.#grow(end);
      if (unit === BACKSLASH) {
        this.#hasEscapes = true;
        joined[end] = BACKSLASH;
        at += 1;
        end += 1;
        unit = bytes[at] as number;
      }
      joined[end] = unit;
      at += 1;
      end += 1;
    }
    this.#end = end;
    return at;
  }

  #grow(used: number): Buffer {
    const grown = Buffer.allocUnsafe(2 * this.#joined.length);
    this.#joined.copy(grown, 0, 0, used);
    this.#joined = grown;
    return grown;
  }

  // X3
  #decode(): void {
    const json = this.#joined.toString("utf8", 0, this.#end);
    this.#text += this.#hasEscapes ? (JSON.parse(`"${json}"`) as string) : json;
    [this.#end, this.#hasEscapes] = [0, false];
  }

  // X2
  #measure(bytes: Buffer, start: number, seq: number): void {
    this.#nameAt = bytes.indexOf(EVENT_FIELD, start) + EVENT_FIELD.length - start;
    this.#textAt = 0;
    this.#numberEnd = 10 ** String(seq).length;
  }
}

function endOfFrame(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(FRAME_END, start);
  if (end < 0) throw new FramerailError("INVARIANT_VIOLATION", "a kept frame has no end");
  return end + FRAME_END.length;
}

function timeOf(bytes: Buffer, start: number): number {
  const at = bytes.indexOf(TIME_FIELD, start) + TIME_FIELD.length;
  return Date.parse(bytes.toString("latin1", at, at + STAMP_LENGTH));
}

function broken(seq: number): FramerailError {
  return new FramerailError("INVARIANT_VIOLATION", `frame ${seq} has a text without an end`);
}
