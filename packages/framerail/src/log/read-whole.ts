// Everything a log has of a turn, for whoever ends it in its owner's place.

import type { LoggedFrame } from "./frame-sink.js";
import { framesAfter } from "./segment.js";
import { splitFrames } from "./split-frames.js";
import type { TurnView } from "./turn-log.js";

/** The released frames after `afterSeq`, in order and without a gap; where the log has lost some, those before. */
export async function readWhole(view: TurnView, afterSeq = 0): Promise<readonly LoggedFrame[]> {
  const frames: LoggedFrame[] = [];
  for (let seq = afterSeq; seq < view.lastSeq; seq = frames.at(-1)?.seq ?? seq) {
    const segment = view.after(seq);
    const found = segment ? splitFrames(framesAfter(segment, seq), seq + 1) : await view.readBack(seq);
    const next = found.filter((frame) => frame.seq > seq);
    if (next.length === 0) break;
    frames.push(...next);
  }
  return frames;
}
