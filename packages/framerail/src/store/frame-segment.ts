// Frames of a turn as they are stored: the SSE text that went over the wire, one frame after the other, compressed.
// Owns: the bytes of a segment. Does not own: where segments are kept (turn-frames.ts).
//   G1. What is unpacked is, frame for frame and byte for byte, what was packed.
//   G2. A segment that is damaged (its checksum tells), or holds another number of frames than it says, is refused, never
//       shortened.
//   G3. At most PACKED_AT_ONCE_MAX are put together at a time: turns that grow at the same pace would otherwise all have a
//       copy of their frames at the same time.
//   G4. Brotli at its lowest level makes frames as small as deflate at its own, in half the time. It tells of no damage, so
//       a checksum of what it made stands before it:
//
//         format u8 | checksum u32 | Brotli
//
//       What an earlier version has stored begins with deflate's own first byte, and is read as such.

import { promisify } from "node:util";
import type { BrotliOptions, ZlibOptions } from "node:zlib";
import { brotliCompress, brotliDecompress, constants, crc32, inflate } from "node:zlib";
import { FramerailError, splitSseFrames } from "@framerail/protocol";
import { PACKED_AT_ONCE_MAX, SEGMENT_BYTES_MAX } from "./limits.js";

export interface StoredFrame {
  readonly seq: number;
  readonly sse: string;
}

/** Whole frames without a gap, in the bytes that went over the wire. */
export interface FrameRun {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** In bytes. */
  readonly size: number;
  /** Copies them to where there is room, and gives where they end: called when they are packed, and not before. */
  copyTo(table: Buffer, start: number): number;
}

/** The same, in one piece and compressed. */
export interface FrameSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: Uint8Array;
}

const compress = promisify<Uint8Array, BrotliOptions, Buffer>(brotliCompress);
const decompress = promisify<Uint8Array, ZlibOptions, Buffer>(brotliDecompress);
const decompressEarlier = promisify<Uint8Array, ZlibOptions, Buffer>(inflate);

const [BROTLI, DEFLATE] = [0x01, 0x78];
const [CHECKSUM_AT, HEAD_BYTES] = [1, 5];
/** A window of 64 KiB: frames repeat the one before them, and a larger one is only more to clear for every segment. */
const FASTEST = {
  params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MIN_QUALITY, [constants.BROTLI_PARAM_LGWIN]: 16 },
};

/** Frames that follow each other without a gap; at least one. */
export async function packFrames(frames: readonly StoredFrame[]): Promise<FrameSegment> {
  const [first, last] = [frames[0], frames.at(-1)];
  if (first === undefined || last === undefined || last.seq - first.seq !== frames.length - 1) {
    throw new FramerailError("INVARIANT_VIOLATION", "a segment must hold frames without a gap");
  }
  return packSegment([runOf(frames)]);
}

/** Runs that follow each other without a gap, as few segments as their maximum allows. */
export function packRuns(runs: readonly FrameRun[]): Promise<FrameSegment>[] {
  const segments: FrameRun[][] = [];
  let room = 0;
  for (const run of runs.flatMap(cutRun)) {
    if (run.size > room) {
      segments.push([]);
      room = SEGMENT_BYTES_MAX;
    }
    segments.at(-1)?.push(run);
    room -= run.size;
  }
  return segments.map(packSegment);
}

async function packSegment(runs: readonly FrameRun[]): Promise<FrameSegment> {
  const size = runs.reduce((sum, run) => sum + run.size, 0);
  if (size > SEGMENT_BYTES_MAX) throw new FramerailError("INVARIANT_VIOLATION", "a segment is over its maximum");
  const table = await takeTable();
  try {
    // Frames repeat their envelopes, so the fastest level already takes most of it away.
    const compressed = await compress(joinRuns(runs, table), FASTEST);
    return { firstSeq: runs[0]?.firstSeq ?? 0, lastSeq: runs.at(-1)?.lastSeq ?? 0, bytes: withChecksum(compressed) };
  } finally {
    giveBack(table);
  }
}

// G3: whoever has no table waits for one. They are made when they are first needed, and used again and again, because what
// is allocated anew for every segment is what the collector would mostly be busy with.
const tables: Buffer[] = [];
let tablesMade = 0;
const waiting: ((table: Buffer) => void)[] = [];

async function takeTable(): Promise<Buffer> {
  const free = tables.pop();
  if (free !== undefined) return free;
  if (tablesMade === PACKED_AT_ONCE_MAX) return new Promise((resolve) => void waiting.push(resolve));
  tablesMade += 1;
  return Buffer.allocUnsafeSlow(SEGMENT_BYTES_MAX);
}

function giveBack(table: Buffer): void {
  const next = waiting.shift();
  if (next === undefined) tables.push(table);
  else next(table);
}

function joinRuns(runs: readonly FrameRun[], table: Buffer): Buffer {
  let end = 0;
  for (const run of runs) end = run.copyTo(table, end);
  return table.subarray(0, end);
}

/** Most runs are what a tick has brought; only one that is over a segment's maximum is looked into. */
function cutRun(run: FrameRun): FrameRun[] {
  if (run.size <= SEGMENT_BYTES_MAX) return [run];
  const bytes = Buffer.allocUnsafe(run.size);
  run.copyTo(bytes, 0);
  const frames = splitSseFrames(bytes.toString("utf8"));
  return cutSegments(frames.map((sse, index) => ({ seq: run.firstSeq + index, sse }))).map(runOf);
}

function runOf(frames: readonly StoredFrame[]): FrameRun {
  const bytes = Buffer.from(frames.map(({ sse }) => sse).join(""));
  return {
    firstSeq: frames[0]?.seq ?? 0,
    lastSeq: frames.at(-1)?.seq ?? 0,
    size: bytes.length,
    copyTo: (table, start) => start + bytes.copy(table, start),
  };
}

export async function unpackFrames({ firstSeq, lastSeq, bytes }: FrameSegment): Promise<StoredFrame[]> {
  const text = (await unpackBytes(bytes)).toString("utf8");
  const frames = splitSseFrames(text);
  if (!text.endsWith("\n\n") || frames.length !== lastSeq - firstSeq + 1) throw damaged();
  return frames.map((sse, index) => ({ seq: firstSeq + index, sse }));
}

/** The frames as they were packed, one after the other; how many there are is not looked at. */
export async function unpackBytes(bytes: Uint8Array): Promise<Buffer> {
  const options = { maxOutputLength: SEGMENT_BYTES_MAX };
  try {
    return await (bytes[0] === DEFLATE ? decompressEarlier(bytes, options) : decompress(checked(bytes), options));
  } catch (cause) {
    throw damaged(cause);
  }
}

// G4
function withChecksum(compressed: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + compressed.length);
  bytes[0] = BROTLI;
  bytes.writeUInt32BE(crc32(compressed), CHECKSUM_AT);
  compressed.copy(bytes, HEAD_BYTES);
  return bytes;
}

/** What the checksum stands for, if it does. */
function checked(bytes: Uint8Array): Buffer {
  const { buffer, byteOffset, length } = bytes;
  const stored = Buffer.from(buffer, byteOffset, length);
  const compressed = stored.subarray(HEAD_BYTES);
  const isWhole = length > HEAD_BYTES && stored[0] === BROTLI && stored.readUInt32BE(CHECKSUM_AT) === crc32(compressed);
  if (!isWhole) throw damaged();
  return compressed;
}

function damaged(cause?: unknown): FramerailError {
  return new FramerailError("STORE_REFUSED", "stored frames are damaged", { cause });
}

/** Cuts a row of frames where a segment would be over its maximum. A single frame is always under it. */
export function cutSegments(frames: readonly StoredFrame[]): StoredFrame[][] {
  const segments: StoredFrame[][] = [];
  let room = 0;
  for (const frame of frames) {
    const size = Buffer.byteLength(frame.sse);
    if (size > room) {
      segments.push([]);
      room = SEGMENT_BYTES_MAX;
    }
    segments.at(-1)?.push(frame);
    room -= size;
  }
  return segments;
}
