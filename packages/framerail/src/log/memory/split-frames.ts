// Frames that stand one after the other, each with its number again.

import type { LoggedFrame } from "../frame-sink.js";

/** An empty line ends a frame, and nothing inside of one can be an empty line. */
export function splitFrames(bytes: Uint8Array, firstSeq: number): LoggedFrame[] {
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8").split("\n\n");
  texts.pop();
  return texts.map((text, index) => ({ seq: firstSeq + index, sse: `${text}\n\n` }));
}
