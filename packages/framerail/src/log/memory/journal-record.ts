// The journal's records: what they look like in a file, and how a file is read back, whatever became of its end.
// Owns: bytes. Does not own: files (journal-file.ts).
//   R1. A record is whole and right (its checksum tells), or the file ends before it: a process may die while it writes.
//   R2. Nothing behind a broken record is believed.
//   R3. A checksum is right in one file alone: files are used again, and what stood in one before stands behind what is new.
//
//   size u32 | checksum u32 | kind u8 | turn 16 bytes | tenant 16 bytes | epoch u32 | first seq u32 | frames u32 | bytes

import { crc32 } from "node:zlib";
import { JOURNAL_RECORD_BYTES_MAX } from "../limits.js";

export interface JournalRecord {
  readonly kind: "frames" | "seal";
  readonly turnId: string;
  readonly orgId: string;
  readonly epoch: number;
  readonly firstSeq: number;
  readonly count: number;
  /** SSE text, frame after frame. */
  readonly bytes: Uint8Array;
}

const KINDS = ["frames", "seal"] as const;
const PREFIX_BYTES = 8;
const FIELDS_BYTES = 45;
export const RECORD_HEAD_BYTES = PREFIX_BYTES + FIELDS_BYTES;

/** Whose a record is, as it stands in it. */
export function encodeIds(turnId: string, orgId: string): Buffer {
  return Buffer.from(`${turnId}${orgId}`.replaceAll("-", ""), "hex");
}

/** Where a record is to stand: the number of its file, and where in what is written to it next. */
interface RecordPlace {
  readonly file: number;
  readonly to: Buffer;
  readonly start: number;
}

/** Writes the record and gives where it ends. `ids` are its own, from encodeIds. */
export function encodeRecord(record: JournalRecord, ids: Buffer, { file, to, start }: RecordPlace): number {
  const { bytes } = record;
  const end = start + RECORD_HEAD_BYTES + bytes.length;
  to.writeUInt32BE(FIELDS_BYTES + bytes.length, start);
  to[start + 8] = KINDS.indexOf(record.kind);
  to.set(ids, start + 9);
  to.writeUInt32BE(record.epoch, start + 41);
  to.writeUInt32BE(record.firstSeq, start + 45);
  to.writeUInt32BE(record.count, start + 49);
  to.set(bytes, start + RECORD_HEAD_BYTES);
  // R3
  to.writeUInt32BE(crc32(to.subarray(start + PREFIX_BYTES, end), file), start + 4);
  return end;
}

export interface PlacedRecord extends JournalRecord {
  /** Where its bytes begin in the file. */
  readonly offset: number;
}

/** The records of file number `file`, up to its end or to the first that is not whole and its own (R1, R2, R3). */
export function* decodeRecords(file: number, content: Buffer): Generator<PlacedRecord> {
  for (let start = 0; start + RECORD_HEAD_BYTES <= content.length; ) {
    const size = content.readUInt32BE(start);
    const end = start + PREFIX_BYTES + size;
    if (size < FIELDS_BYTES || size > JOURNAL_RECORD_BYTES_MAX || end > content.length) return;
    const fields = content.subarray(start + PREFIX_BYTES, end);
    if (crc32(fields, file) !== content.readUInt32BE(start + 4)) return;
    const kind = KINDS[fields[0] as number];
    if (kind === undefined) return;
    yield {
      kind,
      turnId: uuidAt(fields, 1),
      orgId: uuidAt(fields, 17),
      epoch: fields.readUInt32BE(33),
      firstSeq: fields.readUInt32BE(37),
      count: fields.readUInt32BE(41),
      bytes: fields.subarray(FIELDS_BYTES),
      offset: start + RECORD_HEAD_BYTES,
    };
    start = end;
  }
}

function uuidAt(bytes: Buffer, start: number): string {
  const hex = bytes.toString("hex", start, start + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
