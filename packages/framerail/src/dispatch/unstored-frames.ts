// The frames of a running turn that the store does not have yet: a sink in front of the log's, which counts them.
// Owns: pieces, their repeats, the bound on what waits for the store. Does not own: the log's own pace (the sink behind it),
// the commit that takes the rest (store/turn-end.ts).
//   F1. Frames pass through to the log, which keeps them in memory until they are stored: in pieces while the turn is long,
//       the rest with its end. Nothing is held here but pieces that are packed and wait. A piece is cut when a frame comes
//       and the log has enough before it.
//       The first piece of a turn is a smaller one, how much its id says: turns that grow at one pace would otherwise all
//       hold the most that they ever do, and then be stored, at the same time.
//   F2. Pieces are stored one at a time, in their order. One that was not is tried again, unchanged, for as long as the turn
//       runs.
//   F3. While UNSTORED_BYTES_HIGH wait for the store the writer is held back. What goes past it all the same counts as
//       backlog, so that a writer that does not ask ends its turn [D-6, G8].
//   F4. A piece of which nobody knows whether it is stored is settled before the end commits: the end must not bring it again.
//   F5. A tool's intent is in the journal before the tool runs: `ready` waits for it [D-5, G12].
//   F6. Once the turn has ended all of it can be read again: what is stored from the store, the rest from the log.

import type { Clock, FrameRoom } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { EncodedFrame, FrameSink } from "../log/frame-sink.js";
import type { FrameRow, Segment } from "../log/segment.js";
import { copyFrames, countFrameBytes, rowOf } from "../log/segment.js";
import type { TurnAppender } from "../log/turn-log.js";
import type { Database } from "../store/database.js";
import type { FrameRun, FrameSegment } from "../store/frame-segment.js";
import { packRuns } from "../store/frame-segment.js";
import { storeSegment } from "../store/store-pieces.js";
import { readPiece } from "../store/turn-frames.js";
import { FIRST_PIECE_BYTES_MIN, PIECE_BYTES, PIECE_RETRY_MS, UNSTORED_BYTES_HIGH } from "./limits.js";
import { whileAway } from "./while-away.js";

export interface UnstoredFramesOptions {
  readonly turn: { readonly orgId: string; readonly turnId: string; readonly epoch: number };
  /** Opened for frames that are stored. */
  readonly log: TurnAppender;
  readonly database: Database;
  readonly clock: Clock;
  /** A piece could not be stored, and is tried again. */
  report?(error: unknown): void;
}

/** Of a turn's id, which is random: enough to tell many turns apart. */
const HEX_DIGITS = 4;

interface Piece {
  readonly packed: Promise<FrameSegment>;
  /** What is no longer unstored when this is stored, and up to which frame. */
  bytes: number;
  lastSeq: number;
  /** It may be stored: an answer was lost (F4). */
  isInDoubt: boolean;
}

export class UnstoredFrames implements FrameSink {
  readonly #options: UnstoredFramesOptions;
  readonly #log: TurnAppender;
  /** Not yet in a piece. */
  #freshBytes = 0;
  #unstoredBytes = 0;
  /** When the next piece is cut. */
  #pieceBytes: number;
  lastSeq = 0;
  /** The last frame that is in a piece, or was. */
  #cutSeq = 0;
  /** The last frame that the log was told to be stored. */
  #storedSeq = 0;
  readonly #pieces: Piece[] = [];
  #storing: Promise<void> | undefined;
  #isEnding = false;
  #cutPauseShort: (() => void) | undefined;
  #waiting: (() => void)[] = [];
  #held: Promise<void> | undefined;

  constructor(options: UnstoredFramesOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#pieceBytes = firstPieceBytes(options.turn.turnId);
  }

  // F3
  get backlogBytes(): number {
    return this.#log.backlogBytes + Math.max(0, this.#unstoredBytes - UNSTORED_BYTES_HIGH);
  }

  append(frame: EncodedFrame): void {
    this.#log.append(frame);
    this.#count(frame.seq, frame.sse.length);
  }

  claim(bytesMax: number): FrameRoom {
    return this.#log.claim(bytesMax);
  }

  commit(seq: number, size: number): void {
    this.#log.commit(seq, size);
    this.#count(seq, size);
  }

  #count(seq: number, size: number): void {
    this.lastSeq = seq;
    this.#freshBytes += size;
    this.#unstoredBytes += size;
    const pieceBytes = this.#pieceBytes;
    if (this.#freshBytes >= pieceBytes && this.#releasedBytes() >= pieceBytes && !this.#isEnding) this.#cutPiece();
  }

  /** Of what is not yet in a piece, what the log has. */
  #releasedBytes(): number {
    return Math.max(0, this.#freshBytes - this.#log.backlogBytes);
  }

  seal(terminal: EncodedFrame): Promise<void> {
    return this.#log.seal(terminal);
  }

  ready(): Promise<void> {
    if (!this.#isFull()) return this.#held ?? this.#log.ready();
    return new Promise<void>((resolve) => void this.#waiting.push(resolve)).then(() => this.ready());
  }

  // F5
  holdFor(settled: Promise<void>): void {
    const held: Promise<void> = settled.then(() => {
      if (this.#held === held) this.#held = undefined;
      return this.#log.ready();
    });
    // Heard where it is waited for, if anybody does.
    held.catch(() => undefined);
    this.#held = held;
  }

  /** What the end has to store. Nothing is appended any more. */
  async rest(): Promise<FrameSegment[]> {
    this.giveUp();
    await this.#storing;
    const [first] = this.#pieces;
    if (first?.isInDoubt) {
      await whileAway(() => this.#store(first), this.#options.clock);
      this.#pieces.shift();
    }
    const rest = [...this.#log.held(this.#cutSeq), ...this.#log.unreleased()];
    const isWhole = rest.every(({ firstSeq }, index) => firstSeq === (rest[index - 1]?.lastSeq ?? this.#cutSeq) + 1);
    if (!isWhole || (rest.at(-1)?.lastSeq ?? this.#cutSeq) !== this.lastSeq) {
      throw new FramerailError("LOG_UNAVAILABLE", "the log gave the turn up while it ended");
    }
    return Promise.all([...this.#pieces.map(({ packed }) => packed), ...packRuns(rest.map(runOf))]);
  }

  /** Every frame but the terminal, in order, once nothing is appended any more: first what is stored, then what is not (F6). */
  async *all(): AsyncGenerator<FrameRow> {
    const { database, turn, clock } = this.#options;
    const storedSeq = this.#storedSeq;
    for (let seq = 0; seq < storedSeq; ) {
      const piece = await whileAway(() => readPiece(database, turn.orgId, turn.turnId, seq), clock);
      if (piece === undefined) throw new FramerailError("STORE_REFUSED", `stored frames after ${seq} are not there`);
      yield { firstSeq: piece.firstSeq, parts: [{ bytes: piece.bytes, start: 0, end: piece.bytes.length }] };
      seq = piece.lastSeq;
    }
    yield* [...this.#log.held(storedSeq), ...this.#log.unreleased()].map(rowOf);
  }

  /** The turn has ended, with its end stored or without: no piece is tried again. */
  giveUp(): void {
    this.#isEnding = true;
    this.#cutPauseShort?.();
    this.#wake();
  }

  #isFull(): boolean {
    return this.#unstoredBytes >= UNSTORED_BYTES_HIGH && !this.#isEnding;
  }

  /** What the log has of it; what it does not have yet is in a later piece. */
  #cutPiece(): void {
    const segments = this.#log.held(this.#cutSeq);
    const cut = segments.at(-1);
    if (cut === undefined) return;
    for (const packed of packRuns(segments.map(runOf))) {
      // Heard where it is stored.
      packed.catch(() => undefined);
      this.#pieces.push({ packed, bytes: 0, lastSeq: this.#cutSeq, isInDoubt: false });
    }
    // They are stored in their order: with the last of them all is stored.
    const last = this.#pieces.at(-1) as Piece;
    last.lastSeq = cut.lastSeq;
    last.bytes = this.#releasedBytes();
    this.#freshBytes -= last.bytes;
    this.#cutSeq = cut.lastSeq;
    this.#pieceBytes = PIECE_BYTES;
    this.#storing ??= this.#storePieces();
  }

  // F2
  async #storePieces(): Promise<void> {
    for (let piece = this.#pieces[0]; piece !== undefined && !this.#isEnding; piece = this.#pieces[0]) {
      try {
        await this.#store(piece);
        this.#pieces.shift();
        this.#unstoredBytes -= piece.bytes;
        this.#storedSeq = piece.lastSeq;
        this.#log.stored(piece.lastSeq);
        this.#wake();
      } catch (error) {
        this.#options.report?.(error);
        await this.#pause();
      }
    }
    this.#storing = undefined;
  }

  async #store(piece: Piece): Promise<void> {
    const { database, turn } = this.#options;
    try {
      await storeSegment(database, turn, await piece.packed);
    } catch (error) {
      if (isFramerailError(error) && error.code === "COMMIT_UNKNOWN") piece.isInDoubt = true;
      throw error;
    }
  }

  async #pause(): Promise<void> {
    if (this.#isEnding) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.schedule(PIECE_RETRY_MS, resolve);
      this.#cutPauseShort = () => {
        cancel();
        resolve();
      };
    });
    this.#cutPauseShort = undefined;
  }

  #wake(): void {
    if (this.#isFull()) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function runOf(segment: Segment): FrameRun {
  const { firstSeq, lastSeq } = segment;
  const copyTo = (table: Buffer, start: number) => copyFrames(segment, table, start);
  return { firstSeq, lastSeq, size: countFrameBytes(segment), copyTo };
}

// F1
function firstPieceBytes(turnId: string): number {
  const share = (Number.parseInt(turnId.slice(0, HEX_DIGITS), 16) || 0) / 16 ** HEX_DIGITS;
  return FIRST_PIECE_BYTES_MIN + share * (PIECE_BYTES - FIRST_PIECE_BYTES_MIN);
}
