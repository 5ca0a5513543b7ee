// The journal: frames of all turns, appended to files, so that what readers saw outlives the process [D-1].
// Owns: what is written when, and which files are still needed. Does not own: the files themselves (journal-folder.ts), what a
// record is (journal-record.ts).
//   F1. One call writes the records of all turns that are ready. It is made synchronously: the bytes go to the system's
//       memory, which takes microseconds, and handing them to another thread costs more than the write. They outlive the
//       process, not a loss of power.
//   F2. A write that fails leaves nothing behind: the file is cut back to where it was.
//   F3. A file is needed until all that it has of every turn is in the store; until then it can be read back. A turn that
//       runs for long does not keep what is stored of it.

import { closeSync, ftruncateSync, readFileSync, readSync, writeSync } from "node:fs";
import { FramerailError } from "@framerail/protocol";
import { JOURNAL_FILE_BYTES_MAX, JOURNAL_TICK_BYTES } from "../limits.js";
import type { NumberedFile } from "./journal-folder.js";
import { JournalFolder } from "./journal-folder.js";
import type { JournalRecord, PlacedRecord } from "./journal-record.js";
import { decodeRecords, encodeIds, encodeRecord, RECORD_HEAD_BYTES } from "./journal-record.js";

/** Where the bytes of a record are. */
export interface JournalPlace {
  readonly file: number;
  readonly offset: number;
  readonly length: number;
}

export interface JournalFile {
  /** Appends records in one write and gives where their bytes are. Throws LOG_UNAVAILABLE, and then nothing was written. */
  write(records: readonly JournalRecord[]): JournalPlace[];
  read(place: JournalPlace): Buffer;
  /** The turn is in the store, up to this frame. Gives the last file that is not kept for it any more; 0: each of its is. */
  stored(turnId: string, lastSeq: number): number;
  close(): void;
}

interface OpenFile extends NumberedFile {
  /** Where the next record begins. */
  size: number;
  /** What it has of turns and is not in the store yet. */
  readonly parts: Map<string, TurnPart>;
}

interface TurnPart {
  /** How records name the turn. */
  readonly ids: Buffer;
  lastSeq: number;
}

/** A record that an earlier process left. */
export interface ReplayedRecord extends PlacedRecord {
  readonly file: number;
}

/** Opens the journal of a folder. What earlier processes left is handed to `replay`, oldest first, before anything is written. */
export function openJournal(path: string, replay: (record: ReplayedRecord) => void): JournalFile {
  const folder = new JournalFolder(path);
  const files = new Map<number, OpenFile>();
  const add = (file: NumberedFile): OpenFile => {
    const opened = { ...file, size: 0, parts: new Map<string, TurnPart>() };
    files.set(file.number, opened);
    return opened;
  };
  for (const { number, path: filePath, parts } of folder.open().map(add)) {
    for (const record of decodeRecords(number, readFileSync(filePath))) {
      partIn(parts, record);
      replay({ ...record, file: number });
    }
  }
  // Never the last one again: its end may be torn, and nothing may stand behind a torn record.
  let current = add(folder.next());

  const release = (file: OpenFile) => {
    files.delete(file.number);
    folder.release(file);
  };
  for (const file of files.values()) if (file !== current && file.parts.size === 0) release(file);

  // Before a write, so that what was written is never reported as refused.
  const beginNext = () => {
    const full = current;
    try {
      current = add(folder.next());
    } catch (cause) {
      throw new FramerailError("LOG_UNAVAILABLE", "the journal cannot have another file", { cause });
    }
    if (full.parts.size === 0) release(full);
  };

  return {
    write(records) {
      if (current.size >= JOURNAL_FILE_BYTES_MAX) beginNext();
      return append(current, records);
    },
    read({ file, offset, length }) {
      const bytes = Buffer.allocUnsafe(length);
      const from = files.get(file);
      if (from === undefined || readSync(from.descriptor, bytes, 0, length, offset) !== length) {
        throw new FramerailError("LOG_UNAVAILABLE", "a part of the journal cannot be read back");
      }
      return bytes;
    },
    // F3
    stored(turnId, lastSeq) {
      let last = 0;
      for (const file of files.values()) {
        const part = file.parts.get(turnId);
        if (part === undefined || part.lastSeq > lastSeq) continue;
        last = file.number;
        file.parts.delete(turnId);
        if (file.parts.size === 0 && file !== current) release(file);
      }
      return last;
    },
    close() {
      for (const { descriptor } of files.values()) closeSync(descriptor);
      files.clear();
      folder.close();
    },
  };
}

/** What one tick brings is put together here: one piece for the system, and nothing to make anew for every tick. */
const tick = Buffer.allocUnsafeSlow(JOURNAL_TICK_BYTES);

function append(file: OpenFile, records: readonly JournalRecord[]): JournalPlace[] {
  let size = 0;
  for (const { bytes } of records) size += RECORD_HEAD_BYTES + bytes.length;
  const whole = size <= tick.length ? tick : Buffer.allocUnsafeSlow(size);
  let end = 0;
  const newParts = new Map<string, TurnPart>();
  const places = records.map((record) => {
    const known = file.parts.get(record.turnId);
    if (known !== undefined) known.lastSeq = lastSeqOf(record);
    const { ids } = known ?? partIn(newParts, record);
    end = encodeRecord(record, ids, { file: file.number, to: whole, start: end });
    const { length } = record.bytes;
    return { file: file.number, offset: file.size + end - length, length };
  });
  try {
    // A disk that is nearly full takes a part: that part is no use.
    if (writeSync(file.descriptor, whole, 0, size, file.size) !== size) throw new Error("the disk is full");
  } catch (cause) {
    cutBack(file);
    throw new FramerailError("LOG_UNAVAILABLE", "the journal cannot be written", { cause });
  }
  file.size += size;
  for (const [turnId, part] of newParts) file.parts.set(turnId, part);
  return places;
}

// F2. Where even that cannot be done, the next write begins at the same place, and a torn record is not believed.
function cutBack({ descriptor, size }: OpenFile): void {
  try {
    ftruncateSync(descriptor, size);
  } catch {
    // The write's own failure is what is told.
  }
}

const lastSeqOf = ({ firstSeq, count }: JournalRecord) => firstSeq + count - 1;

/** The part of the record's turn, which now goes as far as the record does. */
function partIn(parts: Map<string, TurnPart>, record: JournalRecord): TurnPart {
  const { turnId, orgId } = record;
  const part = parts.get(turnId) ?? { ids: encodeIds(turnId, orgId), lastSeq: 0 };
  part.lastSeq = lastSeqOf(record);
  parts.set(turnId, part);
  return part;
}
