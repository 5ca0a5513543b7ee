// What the stages of a turn call to be counted: the port between the stream and its metrics.
// Owns: the calls, and which cells each of them adds to. Does not own: when they are made (publish/, dispatch/, gateway/).
//   U1. A call is an addition or two, without a promise and without an object: it stands on the path of every frame.
//   U2. No call throws, and none comes too often: what can happen once in a turn is counted once.
//   U3. Writes are timed by sample, because reading the time costs more than counting. The samples go by a count that
//       all turns share, so that short turns are timed as often as long ones.

import type { CancelCode, EventType, FailureCode, FrameType } from "@framerail/protocol";
import type { Dimensions } from "./dimensions.js";
import { WRITES_PER_SAMPLE } from "./limits.js";
import type { Decision, OutcomeKind, Terminal } from "./metric-catalogue.js";
import { FRAME_SIZES, SIZE_BYTES_FIRST } from "./metric-catalogue.js";
import type { Layout, Row, StreamRows } from "./stream-rows.js";

/** Counts what one emitter of a turn writes. */
export interface StreamMeter {
  /** A frame went to the log. `size` in bytes; characters will do, for most text they are the same. */
  frame(type: FrameType, size: number): void;
  /** The event that was written is a status that is shown, alone or joined with others. */
  status(eventId: string): void;
  /** One event was written, and policy decided. */
  policy(type: EventType, decision: Decision): void;
  /** The frame that went was an error, final or not. */
  errorFrame(code: FailureCode): void;
  /** A frame was too large, and did not go. */
  oversized(): void;
  /** A frame was lost on its way to a reader that stayed. */
  dropped(): void;
  /** An agent was refused when built, for a status id that is not registered. */
  rejected(): void;
  /** Before a write; what it returns is for `endWrite`. */
  startWrite(): number;
  endWrite(started: number): void;
}

/** Counts what happens once in a turn. */
export interface TurnMeter {
  /** The first frame went, so long after dispatch began. */
  ttfe(ms: number): void;
  /** The terminal frame went. */
  terminal(type: Terminal): void;
  cancelled(trigger: CancelCode): void;
  /** The turn is over, here. */
  end(outcome: OutcomeKind): void;
}

/** How writes are timed. */
export interface WriteTiming {
  readonly sampler: WriteSampler;
  /** In milliseconds, steady, with fractions. */
  nowMs(): number;
  observeWrite(row: Row, ms: number): void;
}

/** What a turn's meter needs beside its row. */
export interface TurnMeterOptions {
  readonly rows: StreamRows;
  observeTtfe(row: Row, ms: number): void;
  onEnd(outcome: OutcomeKind): void;
}

/** How many more writes go untimed, in all turns (U3). */
export interface WriteSampler {
  left: number;
}

const NOT_TIMED = -1;
const SIZE_LAST = FRAME_SIZES.length - 1;
const SIZE_SHIFT = Math.log2(SIZE_BYTES_FIRST);

export function createStreamMeter(rows: StreamRows, dimensions: Dimensions, timing: WriteTiming): StreamMeter {
  return new RowMeter(rows.layout, rows.find(dimensions), timing);
}

export function createTurnMeter(options: TurnMeterOptions, dimensions: Dimensions): TurnMeter {
  return new OpenTurn(options, dimensions);
}

class RowMeter implements StreamMeter {
  readonly #layout: Layout;
  readonly #row: Row;
  readonly #cells: Float64Array;
  readonly #sizes: number;
  readonly #timing: WriteTiming;
  // What was counted last: in a stream of tokens the next is the same, and a comparison costs half a look-up.
  #frameType = "";
  #frameCell = 0;
  #eventType = "";
  #decision = "";
  #policyCell = 0;

  constructor(layout: Layout, row: Row, timing: WriteTiming) {
    this.#timing = timing;
    this.#layout = layout;
    this.#row = row;
    this.#cells = row.cells;
    this.#sizes = layout.frameSizes.cell(FRAME_SIZES[0] ?? "");
  }

  frame(type: FrameType, size: number): void {
    if (type !== this.#frameType) {
      this.#frameType = type;
      this.#frameCell = this.#layout.frames.cell(type);
    }
    this.#cells[this.#frameCell]! += 1;
    // The classes double, so the class is a number of bits: up to 1,024 bytes is class 0, up to 2,048 class 1.
    const sizeClass = size <= SIZE_BYTES_FIRST ? 0 : 32 - Math.clz32((size - 1) >> SIZE_SHIFT);
    this.#cells[this.#sizes + Math.min(sizeClass, SIZE_LAST)]! += 1;
  }

  status(eventId: string): void {
    this.#cells[this.#layout.statuses.cell(eventId)]! += 1;
  }

  policy(type: EventType, decision: Decision): void {
    if (type !== this.#eventType || decision !== this.#decision) {
      this.#eventType = type;
      this.#decision = decision;
      this.#policyCell = this.#layout.policies.cellOfPair(type, decision);
    }
    this.#cells[this.#policyCell]! += 1;
  }

  errorFrame(code: FailureCode): void {
    this.#cells[this.#layout.errorFrames.cell(code)]! += 1;
  }

  oversized(): void {
    this.#cells[this.#sizes + SIZE_LAST]! += 1;
  }

  dropped(): void {
    this.#cells[this.#layout.dropped.cell("")]! += 1;
  }

  rejected(): void {
    this.#cells[this.#layout.rejected.cell("")]! += 1;
  }

  startWrite(): number {
    const { sampler } = this.#timing;
    sampler.left -= 1;
    if (sampler.left > 0) return NOT_TIMED;
    sampler.left = WRITES_PER_SAMPLE;
    return this.#timing.nowMs();
  }

  endWrite(started: number): void {
    if (started !== NOT_TIMED) this.#timing.observeWrite(this.#row, this.#timing.nowMs() - started);
  }
}

class OpenTurn implements TurnMeter {
  readonly #options: TurnMeterOptions;
  readonly #row: Row;
  #started = false;
  #terminal = false;
  #cancelled = false;
  #ended = false;

  constructor(options: TurnMeterOptions, dimensions: Dimensions) {
    this.#options = options;
    this.#row = options.rows.find(dimensions);
  }

  ttfe(ms: number): void {
    if (this.#started) return;
    this.#started = true;
    this.#options.observeTtfe(this.#row, ms);
  }

  terminal(type: Terminal): void {
    if (this.#terminal) return;
    this.#terminal = true;
    this.#row.cells[this.#options.rows.layout.terminals.cell(type)]! += 1;
  }

  cancelled(trigger: CancelCode): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#row.cells[this.#options.rows.layout.cancelled.cell(trigger)]! += 1;
  }

  end(outcome: OutcomeKind): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onEnd(outcome);
  }
}
