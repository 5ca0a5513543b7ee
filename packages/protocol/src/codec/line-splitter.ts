// Cuts bytes into lines, for both decoders. The lines are the same for every way of cutting the bytes into pushes.
// Owns: line ends, the leading BOM, the line in progress, the bound, the life of a decoder. Does not own: what a line
// means (sse-decode.ts, ndjson-decode.ts).
//   L1. A line is handed over within the push that carries its first ending byte. So a CR does not wait for the LF that
//       may follow; that LF is swallowed when it comes, in whatever push.
//   L2. Bytes held, the line in progress plus what the owner keeps for its unfinished event, are at most `bytesMax`.
//       Whether a line is too long does not depend on the pushes: a whole line is measured like one in progress.
//   L3. Each byte is searched at most once per kind of line end, and copied a constant number of times.
//   L4. Nothing of a pushed chunk is referred to after the push: its owner may reuse the memory.
//   L5. After any throw, our own or a callback's, the rest of that push is lost; so the splitter is dead and every further
//       push throws the same error.

import { refuse } from "../error.js";
import { refuseArgument } from "./check-argument.js";

const LF = 0x0a;
export const CR = 0x0d;
const BOM = [0xef, 0xbb, 0xbf];
const NONE = Number.POSITIVE_INFINITY;
const HELD_BYTES_MIN = 256;
/** A buffer that a long line grew beyond this is given back once the line is done. */
const HELD_BYTES_KEPT = 16_384;

export interface LineSplitterOptions {
  /** SSE ends lines at CR, LF and CRLF; NDJSON at LF alone. */
  readonly endsAtCr: boolean;
  readonly bytesMax: number;
  /**
   * Takes one line, without its end: `bytes` from `start` up to `end`, valid until it returns. Returns how many bytes the
   * owner keeps until its event is whole (L2).
   */
  onLine(bytes: Uint8Array, start: number, end: number): number;
}

export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** Ends the input. False when a line in progress was discarded, or the splitter had failed. */
  end(options: { readonly acceptLastLine: boolean }): boolean;
}

type State =
  | { readonly phase: "open" | "busy" }
  | { readonly phase: "ended"; readonly whole: boolean }
  | { readonly phase: "failed"; readonly error: unknown };

const OPEN: State = { phase: "open" };
const BUSY: State = { phase: "busy" };
const NO_BYTES = new Uint8Array(0);

export function createLineSplitter({ endsAtCr, bytesMax, onLine }: LineSplitterOptions): LineSplitter {
  let state: State = OPEN;
  let held = NO_BYTES;
  let heldLength = 0;
  let keptByOwner = 0;
  let atStreamStart = true;
  let swallowLf = false;

  function push(chunk: Uint8Array): void {
    if (state !== OPEN) throw refusePush(state);
    requireBytes(chunk);
    if (chunk.length === 0) return;
    state = BUSY;
    try {
      splitChunk(chunk);
      state = OPEN;
    } catch (error) {
      fail(error);
    }
  }

  function end({ acceptLastLine }: { readonly acceptLastLine: boolean }): boolean {
    if (state.phase === "busy") throw refusePush(state);
    if (state.phase !== "open") return state.phase === "ended" && state.whole;
    const start = atStreamStart ? bomLength(held, 0) : 0;
    let whole = heldLength === start;
    if (!whole && acceptLastLine) {
      state = BUSY;
      try {
        onLine(held, start, heldLength);
      } catch (error) {
        fail(error);
      }
      whole = true;
    }
    state = { phase: "ended", whole };
    held = NO_BYTES;
    return whole;
  }

  function fail(error: unknown): never {
    state = { phase: "failed", error };
    held = NO_BYTES;
    throw error;
  }

  function splitChunk(chunk: Uint8Array): void {
    let start = swallowLf && chunk[0] === LF ? 1 : 0;
    swallowLf = false;
    // Both positions are kept until passed: input full of one kind of line end is not searched for the other again (L3).
    let lf = find(chunk, LF, start);
    let cr = endsAtCr ? find(chunk, CR, start) : NONE;
    while (lf !== NONE || cr !== NONE) {
      const lineEnd = Math.min(lf, cr);
      takeLine(chunk, start, lineEnd);
      start = lineEnd + 1;
      if (lineEnd === cr) {
        if (start === chunk.length) swallowLf = true;
        else if (chunk[start] === LF) start += 1;
        cr = find(chunk, CR, start);
      }
      if (lf < start) lf = find(chunk, LF, start);
    }
    if (start < chunk.length) hold(chunk, start, chunk.length);
  }

  function takeLine(chunk: Uint8Array, start: number, lineEnd: number): void {
    if (heldLength === 0) {
      checkBound(lineEnd - start);
      handOver(chunk, start, lineEnd);
      return;
    }
    hold(chunk, start, lineEnd);
    const length = heldLength;
    heldLength = 0;
    handOver(held, 0, length);
    if (held.length > HELD_BYTES_KEPT) held = NO_BYTES;
  }

  function handOver(bytes: Uint8Array, start: number, lineEnd: number): void {
    const skipped = atStreamStart ? bomLength(bytes, start) : 0;
    atStreamStart = false;
    keptByOwner = onLine(bytes, start + skipped, lineEnd);
  }

  function hold(chunk: Uint8Array, start: number, partEnd: number): void {
    const length = heldLength + partEnd - start;
    checkBound(length);
    if (length > held.length) {
      // Doubling keeps the copying linear, however small the pushes (L3).
      const grown = new Uint8Array(Math.max(length, Math.min(bytesMax, Math.max(held.length * 2, HELD_BYTES_MIN))));
      grown.set(held.subarray(0, heldLength));
      held = grown;
    }
    held.set(chunk.subarray(start, partEnd), heldLength);
    heldLength = length;
  }

  function checkBound(lineBytes: number): void {
    if (keptByOwner + lineBytes <= bytesMax) return;
    throw refuse("INPUT_TOO_LARGE", "input refused", {
      path: "",
      rule: "bytes_max",
      message: `one event or line holds more than ${bytesMax} bytes`,
    });
  }

  return { push, end };
}

function find(chunk: Uint8Array, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at === -1 ? NONE : at;
}

// Behind the first line stands its end, or nothing yet: neither can complete a BOM, so its length need not be known.
function bomLength(bytes: Uint8Array, start: number): number {
  return BOM.every((byte, index) => bytes[start + index] === byte) ? BOM.length : 0;
}

// By tag, not by instanceof: bytes of another realm are bytes too.
function requireBytes(chunk: unknown): void {
  if (ArrayBuffer.isView(chunk) && (chunk as Uint8Array)[Symbol.toStringTag] === "Uint8Array") return;
  throw refuseArgument("chunk", "type", "must be a Uint8Array");
}

function refusePush(state: State): unknown {
  switch (state.phase) {
    case "failed":
      return state.error;
    case "ended":
      return refuseArgument("chunk", "ended", "must not come after the end");
    default:
      return refuseArgument("chunk", "reentrant", "must not be pushed from a callback of the same decoder");
  }
}
