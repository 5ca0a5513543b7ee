// A segment of a test's own frames.

import type { LoggedFrame } from "../frame-sink.js";
import { type Segment, SegmentWriter } from "../segment.js";

/** Frames that follow each other without a gap. */
export function createSegment(frames: readonly LoggedFrame[]): Segment {
  return writeTick(new SegmentWriter(), frames);
}

/** The same, by a writer that has written others before. */
export function writeTick(writer: SegmentWriter, frames: readonly LoggedFrame[]): Segment {
  for (const { sse } of frames) writer.write(sse);
  return writer.cut(frames[0]?.seq ?? 0, frames.at(-1)?.seq ?? 0);
}
