// Frames that stand one after the other, each with its number again.

import { splitSseFrames } from "@framerail/protocol";
import type { LoggedFrame } from "./frame-sink.js";

export function splitFrames(bytes: Uint8Array, firstSeq: number): LoggedFrame[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  return splitSseFrames(text).map((sse, index) => ({ seq: firstSeq + index, sse }));
}
