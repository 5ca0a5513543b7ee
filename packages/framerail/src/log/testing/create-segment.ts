// A segment of a test's own frames.

import type { LoggedFrame } from "../frame-sink.js";
import { type Segment, SegmentWriter } from "../segment.js";

/** Frames that follow each other without a gap. */
export function createSegment(frames: readonly LoggedFrame[]): Segment {
  const text = frames.map(({ sse }) => sse).join("");
  return new SegmentWriter().write(text, frames[0]?.seq ?? 0, frames.at(-1)?.seq ?? 0);
}
