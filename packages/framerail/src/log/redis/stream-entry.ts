// What one tick of one turn looks like in a stream of Redis, read back.
// Owns: entries as bytes. Does not own: which are asked for.

import type { LoggedFrame } from "../frame-sink.js";
import { countFrames, framesAfter, framesOf, Segment, SegmentWriter } from "../segment.js";
import { splitFrames } from "../split-frames.js";

export interface StreamEntry {
  readonly epoch: number;
  readonly seals: boolean;
  readonly segment: Segment;
}

/** As Redis answers: an id, and names and values in turn. */
export type RawEntry = readonly [id: Buffer, fields: readonly Buffer[]];

/** Undefined: that is no entry of ours, or not all of it. */
export function readEntry([id, fields]: RawEntry): StreamEntry | undefined {
  const found = new Map<string, Buffer>();
  for (let at = 0; at + 1 < fields.length; at += 2) found.set(String(fields[at]), fields[at + 1] as Buffer);
  const [lastSeq, firstSeq] = [Number.parseInt(String(id), 10), Number(String(found.get("first")))];
  // A copy: the answer that it is a part of may be large, and would live as long as the turn.
  const block = Buffer.from(found.get("bytes") ?? []);
  if (!(firstSeq >= 1) || countFrames(block) !== lastSeq - firstSeq + 1) return undefined;
  const segment = new Segment({ firstSeq, lastSeq, block, start: 0, end: block.length });
  return { epoch: Number(String(found.get("epoch"))), seals: String(found.get("seals")) === "1", segment };
}

/** Its frames after `afterSeq`, as a segment. */
export function cutSegment(segment: Segment, afterSeq: number): Segment {
  if (segment.firstSeq > afterSeq) return segment;
  const frames = framesAfter(segment, afterSeq);
  const writer = new SegmentWriter().claim(frames.length);
  writer.bytes.set(frames, writer.end);
  writer.advance(frames.length);
  return writer.cut(afterSeq + 1, segment.lastSeq);
}

export function listFrames(segment: Segment): LoggedFrame[] {
  return splitFrames(framesOf(segment), segment.firstSeq);
}
