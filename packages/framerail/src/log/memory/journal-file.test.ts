import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { JOURNAL_FILE_BYTES_MAX, JOURNAL_SPARES_MAX } from "../limits.js";
import { frameOf } from "../testing/log-contract.js";
import type { JournalFile } from "./journal-file.js";
import { openJournal } from "./journal-file.js";
import type { JournalRecord } from "./journal-record.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "framerail-journal-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const [turnId, orgId] = [randomUUID(), randomUUID()];
const record = (firstSeq: number, fields: Partial<JournalRecord> = {}): JournalRecord => ({
  kind: "frames",
  turnId,
  orgId,
  epoch: 1,
  firstSeq,
  count: 1,
  bytes: Buffer.from(frameOf(turnId, firstSeq).sse),
  ...fields,
});

function reopen(): { journal: JournalFile; replayed: JournalRecord[] } {
  const replayed: JournalRecord[] = [];
  const journal = openJournal(folder, ({ file: _, offset: __, bytes, ...rest }) =>
    replayed.push({ ...rest, bytes: Buffer.from(bytes) }),
  );
  return { journal, replayed };
}
const files = () =>
  readdirSync(folder)
    .filter((name) => name.startsWith("journal-"))
    .sort();
const pathOf = (name: string | undefined) => join(folder, name ?? "");

test("what was written is replayed in order, with every field, and can be read back [D-1]", () => {
  const { journal } = reopen();
  const records = [record(1), record(2, { count: 3, epoch: 7 }), record(5, { kind: "seal", turnId: randomUUID() })];
  const places = [...journal.write(records.slice(0, 2)), ...journal.write(records.slice(2))];
  for (const [index, place] of places.entries()) expect(journal.read(place)).toEqual(records[index]?.bytes);
  journal.close();
  const again = reopen();
  expect(again.replayed).toEqual(records);
  again.journal.close();
});

test("a file cut at any byte gives the records before the cut, and nothing is written behind it [D-1]", () => {
  const { journal } = reopen();
  const records = [record(1), record(2), record(3)];
  const ends = journal.write(records).map(({ offset, length }) => offset + length);
  journal.close();
  const [name] = files();
  const whole = readFileSync(pathOf(name));
  for (let size = whole.length; size >= 0; size -= 7) {
    truncateSync(pathOf(name), size);
    const { journal: next, replayed } = reopen();
    expect(replayed).toEqual(records.slice(0, ends.filter((end) => end <= size).length));
    next.write([record(9)]);
    next.close();
    const { journal: last, replayed: after } = reopen();
    expect(after.at(-1)).toEqual(record(9));
    last.close();
    for (const other of files()) if (other !== name) rmSync(pathOf(other));
    writeFileSync(pathOf(name), whole.subarray(0, size));
  }
});

test("a byte that was changed ends the belief in its file at that record [D-1]", () => {
  const { journal } = reopen();
  const records = [record(1), record(2), record(3)];
  const [, second] = journal.write(records);
  journal.close();
  const [name] = files();
  const bytes = readFileSync(pathOf(name));
  const at = (second?.offset ?? 0) + 4;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(pathOf(name), bytes);
  const { journal: next, replayed } = reopen();
  expect(replayed).toEqual(records.slice(0, 1));
  next.close();
});

test("a file goes when all of its turns are in the store, and not before [D-1]", () => {
  const { journal } = reopen();
  const other = randomUUID();
  journal.write([record(1), record(1, { turnId: other })]);
  journal.close();
  const { journal: next } = reopen();
  expect(files()).toHaveLength(2);
  next.stored(turnId, 1);
  expect(files()).toHaveLength(2);
  next.stored(other, 1);
  expect(files()).toHaveLength(1);
  next.close();
});

/** Bytes of a record that fills a file: the next one goes to another. */
const filling = () => Buffer.alloc(JOURNAL_FILE_BYTES_MAX - 50, "x");

test("a turn that runs on keeps no file of which all is stored [D-1] [G8]", () => {
  const { journal } = reopen();
  const [first, second] = ["journal-00000001.log", "journal-00000002.log"];
  for (const one of [record(1), record(2, { bytes: filling() }), record(3)]) journal.write([one]);
  expect(journal.stored(turnId, 1)).toBe(0);
  expect(files()).toEqual([first, second]);
  expect(journal.stored(turnId, 2)).toBe(1);
  expect(files()).toEqual([second]);
  // The one that is written to stays, whatever is stored.
  expect(journal.stored(turnId, 3)).toBe(2);
  journal.write([record(4)]);
  journal.close();
  const { journal: next, replayed } = reopen();
  expect(replayed.map(({ firstSeq }) => firstSeq)).toEqual([3, 4]);
  next.close();
});

test("a file that is used again has nothing of the turns it had before [D-1] [G7]", () => {
  const { journal } = reopen();
  const inodeOf = (name: string) => statSync(pathOf(name)).ino;
  const earlier = { turnId: randomUUID() };
  // Records of one size, so that an old one stands where the next new one would.
  for (let seq = 1; seq <= 3; seq += 1) journal.write([record(seq, earlier)]);
  journal.write([record(4, { ...earlier, bytes: filling() })]);
  const inode = inodeOf("journal-00000001.log");
  journal.write([record(1, { bytes: filling() })]);
  journal.stored(earlier.turnId, 4);
  journal.write([record(2)]);
  expect(inodeOf("journal-00000003.log")).toBe(inode);
  // Killed here: nothing is closed.
  const { journal: next, replayed } = reopen();
  expect(replayed.map((one) => [one.turnId, one.firstSeq])).toEqual([
    [turnId, 1],
    [turnId, 2],
  ]);
  for (const one of [journal, next]) one.close();
});

/** How many files of the folder this process has open. */
function openCount(): number {
  const isInFolder = (descriptor: string) => {
    try {
      return readlinkSync(join("/proc/self/fd", descriptor)).startsWith(folder);
    } catch {
      // That of the listing itself.
      return false;
    }
  };
  return readdirSync("/proc/self/fd").filter(isInFolder).length;
}

test("few files wait to be used again, closed, and none of them for another process [G8]", () => {
  const spares = () => readdirSync(folder).filter((name) => !files().includes(name));
  const { journal } = reopen();
  for (let seq = 1; seq <= 9; seq += 1) journal.write([record(seq, { bytes: filling() })]);
  expect(openCount()).toBe(9);
  journal.stored(turnId, 8);
  expect(spares()).toHaveLength(JOURNAL_SPARES_MAX);
  expect(openCount()).toBe(1);
  // The ninth is full: one more is begun with every write, three of them on files that waited.
  for (let seq = 10; seq <= 12; seq += 1) journal.write([record(seq, { bytes: filling() })]);
  expect(spares()).toHaveLength(JOURNAL_SPARES_MAX - 3);
  expect(files()).toHaveLength(4);
  // Killed here.
  const { journal: next } = reopen();
  expect(spares()).toEqual([]);
  next.write([record(1, { bytes: filling() })]);
  next.write([record(2)]);
  next.stored(turnId, 1);
  expect(spares()).toHaveLength(1);
  next.close();
  expect(spares()).toEqual([]);
  journal.close();
});

test("a file that cannot be put aside stays, and nobody fails by it [D-1]", () => {
  const { journal } = reopen();
  journal.write([record(1, { bytes: filling() })]);
  journal.write([record(2)]);
  mkdirSync(pathOf("spare-00000001.log"));
  expect(journal.stored(turnId, 1)).toBe(1);
  expect(files()).toHaveLength(2);
  journal.write([record(3)]);
  journal.close();
});

test("a full file is followed by another, and turns of both are read back [G8]", () => {
  const { journal } = reopen();
  const bytes = Buffer.alloc(JOURNAL_FILE_BYTES_MAX / 8, "x");
  const places = Array.from({ length: 9 }, (_, index) => journal.write([record(index + 1, { bytes })])[0]);
  expect(files()).toHaveLength(2);
  expect(new Set(places.map((place) => place?.file)).size).toBe(2);
  for (const place of places) expect(journal.read(place ?? expect.fail()).length).toBe(bytes.length);
  journal.close();
});

test("a disk without room refuses the write, leaves nothing of it, and takes writes again later [D-1]", () => {
  const script = fileURLToPath(new URL("./testing/write-until-full.mjs", import.meta.url));
  // The limit on a file's size stands for a full disk: the system takes a part of a write, and then nothing.
  const shell = `trap '' XFSZ; ulimit -f 64; exec "${process.execPath}" "${script}" "${folder}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", shell], { encoding: "utf8" });
  expect(stderr).toBe("");
  const { written, code, size } = JSON.parse(stdout) as { written: number; code: string; size: number };
  expect(code).toBe("LOG_UNAVAILABLE");
  expect(written).toBeGreaterThan(3);
  const [name] = files();
  expect(statSync(pathOf(name)).size).toBe(size);
  const { journal, replayed } = reopen();
  expect(replayed).toHaveLength(written);
  journal.write([record(1)]);
  journal.close();
});
