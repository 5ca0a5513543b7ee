// The journal: frames of all turns, appended to a file, so that what readers saw outlives the process [D-1].
// Owns: the files and which of them are still needed. Does not own: what a record is (journal-record.ts), when to write.
//   F1. One call writes the records of all turns that are ready. It is made synchronously: the bytes go to the system's
//       memory, which takes microseconds, and handing them to another thread costs more than the write. They outlive the
//       process, not a loss of power.
//   F2. A write that fails leaves nothing behind: the file is cut back to where it was.
//   F3. A file goes when every turn in it is in the store; until then its turns can be read back.

import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { FramerailError } from "@framerail/protocol";
import { JOURNAL_FILE_BYTES_MAX, JOURNAL_TICK_BYTES } from "../limits.js";
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
  /** The turn is in the store. */
  forget(turnId: string): void;
  close(): void;
}

interface OpenFile {
  readonly number: number;
  readonly path: string;
  readonly descriptor: number;
  size: number;
  /** Turns in it that are not in the store yet, and how records name them. */
  readonly turns: Map<string, Buffer>;
}

const NAME = /^journal-(\d{8})\.log$/;

/** A record that an earlier process left. */
export interface ReplayedRecord extends PlacedRecord {
  readonly file: number;
}

/** Opens the journal of a folder. What earlier processes left is handed to `replay`, oldest first, before anything is written. */
export function openJournal(folder: string, replay: (record: ReplayedRecord) => void): JournalFile {
  mkdirSync(folder, { recursive: true });
  const files = new Map<number, OpenFile>();
  for (const number of listFiles(folder)) {
    const file = openFile(folder, number);
    files.set(number, file);
    for (const record of decodeRecords(readFileSync(file.path))) {
      idsIn(file.turns, record);
      replay({ ...record, file: number });
    }
  }
  // Never the last one again: its end may be torn, and nothing may stand behind a torn record.
  let current = openFile(folder, Math.max(0, ...files.keys()) + 1);
  files.set(current.number, current);

  const drop = (file: OpenFile) => {
    closeSync(file.descriptor);
    rmSync(file.path, { force: true });
    files.delete(file.number);
  };
  for (const file of files.values()) if (file !== current && file.turns.size === 0) drop(file);

  // Before a write, so that what was written is never reported as refused.
  const beginNext = () => {
    const full = current;
    try {
      current = openFile(folder, full.number + 1);
    } catch (cause) {
      throw new FramerailError("LOG_UNAVAILABLE", "the journal cannot have another file", { cause });
    }
    files.set(current.number, current);
    if (full.turns.size === 0) drop(full);
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
    forget(turnId) {
      for (const file of files.values()) {
        if (file.turns.delete(turnId) && file.turns.size === 0 && file !== current) drop(file);
      }
    },
    close() {
      for (const file of files.values()) closeSync(file.descriptor);
      files.clear();
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
  const newTurns = new Map<string, Buffer>();
  const places = records.map((record) => {
    const ids = file.turns.get(record.turnId) ?? idsIn(newTurns, record);
    end = encodeRecord(record, ids, whole, end);
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
  for (const [turnId, ids] of newTurns) file.turns.set(turnId, ids);
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

function idsIn(turns: Map<string, Buffer>, { turnId, orgId }: JournalRecord): Buffer {
  const known = turns.get(turnId);
  if (known !== undefined) return known;
  const ids = encodeIds(turnId, orgId);
  turns.set(turnId, ids);
  return ids;
}

function openFile(folder: string, number: number): OpenFile {
  const path = join(folder, `journal-${String(number).padStart(8, "0")}.log`);
  const descriptor = openSync(path, existsSync(path) ? "r+" : "w+");
  return { number, path, descriptor, size: statSync(path).size, turns: new Map() };
}

function listFiles(folder: string): number[] {
  const numbers = readdirSync(folder).flatMap((name) => NAME.exec(name)?.[1] ?? []);
  return numbers.map(Number).sort((a, b) => a - b);
}
