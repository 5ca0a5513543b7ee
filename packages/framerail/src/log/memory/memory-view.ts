// A turn as its readers see it in the log in memory.
// Owns: where older frames are, in the journal. Does not own: the frames in memory, waking (turn-buffer.ts).

import type { LoggedFrame } from "../frame-sink.js";
import type { Segment } from "../segment.js";
import { splitFrames } from "../split-frames.js";
import { TurnBuffer } from "../turn-buffer.js";
import type { TurnView } from "../turn-log.js";
import type { JournalFile, JournalPlace } from "./journal-file.js";
import type { PlacedFrames } from "./journal-places.js";
import { JournalPlaces } from "./journal-places.js";

export class MemoryView extends TurnBuffer implements TurnView {
  readonly #journal: JournalFile | undefined;
  readonly #places = new JournalPlaces();
  #lost = false;

  constructor(epoch: number, lastSeq: number, journal: JournalFile | undefined) {
    super(epoch, lastSeq);
    this.#journal = journal;
  }

  get lost(): boolean {
    return this.#lost;
  }

  get lagMsMax(): number {
    return 0;
  }

  /** The first frame that can be read here: those before it are stored. */
  get firstSeq(): number {
    return Math.min(this.#places.firstSeq ?? this.lastSeq + 1, this.keptSeq ?? this.lastSeq + 1);
  }

  /** A new owner goes on where the last one stopped. */
  reopen(epoch: number): void {
    this.raiseEpoch(epoch);
    this.#lost = false;
  }

  lose(): void {
    this.#lost = true;
    this.wake();
  }

  /** The journal need not keep what is stored; where it does not, nothing is read from it. */
  leaveJournal(turnId: string, storedSeq: number): void {
    const file = this.#journal?.stored(turnId, storedSeq) ?? 0;
    if (file > 0) this.#places.drop(file);
  }

  /** Frames of an earlier process: where they are is all that is kept of them. */
  recall(frames: PlacedFrames, epoch: number, seals: boolean): void {
    // Those in between were stored, and so were those before them.
    if (frames.firstSeq > this.lastSeq + 1) this.#places.clear();
    this.#places.add(frames);
    this.raiseEpoch(epoch);
    this.skipTo(frames.lastSeq, seals);
  }

  keep(segment: Segment, seals: boolean, place: JournalPlace | undefined): void {
    this.release(segment, seals);
    if (place === undefined) return;
    const { firstSeq, lastSeq } = segment;
    this.#places.add({ firstSeq, lastSeq, place });
  }

  async readBack(afterSeq: number): Promise<readonly LoggedFrame[]> {
    const found = this.#places.after(afterSeq);
    if (found === undefined || found.firstSeq > afterSeq + 1 || this.#journal === undefined) return [];
    const frames = splitFrames(this.#journal.read(found.place), found.firstSeq);
    return frames.filter(({ seq }) => seq > afterSeq);
  }
}
