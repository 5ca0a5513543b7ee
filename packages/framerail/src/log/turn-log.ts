// The turn log: the ordered frames of every turn that runs, from the moment a frame may be seen until it is in the store.
// Write path and read path touch here and nowhere else. Drivers: memory/ (with a journal file) and redis/; one contract
// suite for both (testing/log-contract.ts).
//   L1. A frame is released to readers only when the log has it: what a reader saw is there for the next one [G3].
//   L2. The log itself refuses a stale epoch, a gap, and whatever comes after the terminal [D-1, D-3].
//   L3. The terminal seals the turn in the same step.
//   L4. Frames of all turns that are ready in one tick go to the log in one write.
//   L5. What the store does not have yet is in the owner's memory, where it asks for it: nowhere else is a turn held twice.

import type { FrameRoom, FramerailError } from "@framerail/protocol";
import type { FrameSink, LoggedFrame } from "./frame-sink.js";
import type { Segment } from "./segment.js";

export interface TurnRef {
  readonly orgId: string;
  readonly turnId: string;
  readonly epoch: number;
}

/** Where the owner of a turn writes. Calls return at once; a refusal is told once, by `onFailure`, and ends the writing. */
export interface TurnAppender extends FrameSink {
  append(frame: LoggedFrame): void;
  claim(bytesMax: number): FrameRoom;
  commit(seq: number, size: number): void;
  seal(terminal: LoggedFrame): Promise<void>;
  readonly failure: FramerailError | undefined;
  /** What the log has, and what it was given and does not have yet, from the frame after `afterSeq` on; L5. */
  held(afterSeq: number): readonly Segment[];
  unreleased(): readonly Segment[];
  /** The store has the frames up to `seq`. */
  stored(seq: number): void;
  /** Gives the turn up without an end: its readers are cut, and find it again where it is sealed. */
  abandon(): void;
}

export interface OpenOptions {
  /** The last frame that the turn already has, of an earlier epoch; the next one continues from it. */
  readonly lastSeq?: number;
  /** The owner stores the frames, and says so with `stored`; until then they stay in memory (L5). */
  readonly isStored?: boolean;
  /** The log takes nothing more of this turn: STALE_EPOCH, INVARIANT_VIOLATION or LOG_UNAVAILABLE. */
  onFailure?(error: FramerailError): void;
}

/** Who is woken when there is something new. */
export interface Watcher {
  wake(): void;
}

/** A turn as a reader sees it. What it reads is released. */
export interface TurnView {
  readonly epoch: number;
  readonly lastSeq: number;
  readonly sealed: boolean;
  /** How long after others, at most, this process may hear of a frame; 0 where nobody can have seen it before. */
  readonly lagMsMax: number;
  /** Nobody writes the turn on here: readers are cut, and find it elsewhere or in the store. */
  readonly lost: boolean;
  /**
   * Frames from the one after `afterSeq` on, as many as stand together; the first may be before it. Undefined: there is
   * none yet, or that part is no longer in memory, and `readBack` has it.
   */
  after(afterSeq: number): Segment | undefined;
  watch(watcher: Watcher): () => void;
  /** Released frames after `afterSeq` from behind the memory, in order, some at a time; none when the log has none. */
  readBack(afterSeq: number): Promise<readonly LoggedFrame[]>;
}

export interface TurnLog {
  open(turn: TurnRef, options?: OpenOptions): TurnAppender;
  /**
   * Takes the turn from its owner and gives all that the log has of it, in order: the whole turn, or what comes after a part
   * that is stored. From then on no earlier epoch appends, so that this is all there will be. Throws STALE_EPOCH when it is
   * another's, LOG_UNAVAILABLE when it cannot be told.
   */
  takeOver(turn: TurnRef): Promise<readonly LoggedFrame[]>;
  /** Undefined: the log knows nothing of this turn; the store may. Detach when done. */
  attach(turnId: string): Promise<TurnView | undefined>;
  detach(turnId: string, view: TurnView): void;
  /** The turn and all its frames are in the store: what the log holds may go. */
  forget(turnId: string): void;
  close(): Promise<void>;
}
