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
  writevSync,
} from "node:fs";
import { join } from "node:path";
import { FramerailError } from "@framerail/protocol";
import { JOURNAL_FILE_BYTES_MAX } from "../limits.js";
import type { JournalRecord, PlacedRecord } from "./journal-record.js";
import { decodeRecords, encodeHead } from "./journal-record.js";

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
  /** Turns in it that are not in the store yet. */
  readonly turns: Set<string>;
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
      file.turns.add(record.turnId);
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

  return {
    write(records) {
      const places = append(current, records);
      for (const { turnId } of records) current.turns.add(turnId);
      if (current.size >= JOURNAL_FILE_BYTES_MAX) {
        current = openFile(folder, current.number + 1);
        files.set(current.number, current);
      }
      return places;
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

function append(file: OpenFile, records: readonly JournalRecord[]): JournalPlace[] {
  const parts: Uint8Array[] = [];
  const places: JournalPlace[] = [];
  let size = file.size;
  for (const record of records) {
    const head = encodeHead(record);
    parts.push(head, record.bytes);
    places.push({ file: file.number, offset: size + head.length, length: record.bytes.length });
    size += head.length + record.bytes.length;
  }
  try {
    // A disk that is nearly full takes a part: that part is no use.
    if (writevSync(file.descriptor, parts, file.size) !== size - file.size) throw new Error("the disk is full");
  } catch (cause) {
    ftruncateSync(file.descriptor, file.size);
    throw new FramerailError("LOG_UNAVAILABLE", "the journal cannot be written", { cause });
  }
  file.size = size;
  return places;
}

function openFile(folder: string, number: number): OpenFile {
  const path = join(folder, `journal-${String(number).padStart(8, "0")}.log`);
  const descriptor = openSync(path, existsSync(path) ? "r+" : "w+");
  return { number, path, descriptor, size: statSync(path).size, turns: new Set() };
}

function listFiles(folder: string): number[] {
  const numbers = readdirSync(folder).flatMap((name) => NAME.exec(name)?.[1] ?? []);
  return numbers.map(Number).sort((a, b) => a - b);
}
