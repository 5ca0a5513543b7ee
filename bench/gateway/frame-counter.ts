// Counts the frames of one connection: an empty line ends one, however its bytes are cut into reads. Nothing is kept and
// nothing is decoded, so that the reader is never what a bench measures.
//   C1. What HTTP puts around chunks has CR before LF and so is never an empty line of ours; where it stands between the two
//       line ends of a frame, which no server here writes, the frame is not counted.
//   C2. A comment, such as the sign of life that a silent stream gives, is no frame: streams that only give those are at rest.

import { machineUs, STAMP_DIGITS, STAMP_MARK } from "./chunk.js";

const LF = 10;
const COLON = 58;
const ZERO = 48;

export class FrameCounter {
  #wasLf = false;
  #isComment = false;
  #digits = -1;
  #stamp = 0;

  /** How many frames end in the first `size` bytes. */
  count(bytes: Uint8Array, size: number): number {
    let frames = 0;
    let [wasLf, isComment] = [this.#wasLf, this.#isComment];
    for (let at = 0; at < size; at += 1) {
      const isLf = bytes[at] === LF;
      if (isLf && wasLf) {
        if (!isComment) frames += 1;
        [wasLf, isComment] = [false, false];
      } else {
        if (wasLf && bytes[at] === COLON) isComment = true;
        wasLf = isLf;
      }
    }
    [this.#wasLf, this.#isComment] = [wasLf, isComment];
    return frames;
  }

  /** Adds to `latencies` how long ago, in microseconds, each stamp in these bytes was written. */
  readStamps(bytes: Uint8Array, size: number, latencies: number[]): void {
    const now = machineUs();
    for (let at = 0; at < size; at += 1) {
      const byte = bytes[at] as number;
      if (byte === STAMP_MARK) [this.#digits, this.#stamp] = [0, 0];
      else if (this.#digits >= 0) {
        this.#stamp = this.#stamp * 10 + byte - ZERO;
        this.#digits += 1;
        if (this.#digits < STAMP_DIGITS) continue;
        latencies.push(now - this.#stamp);
        this.#digits = -1;
      }
    }
  }
}
