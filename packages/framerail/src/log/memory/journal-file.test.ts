import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { JOURNAL_FILE_BYTES_MAX } from "../limits.js";
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
const files = () => readdirSync(folder).sort();
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
  next.forget(turnId);
  expect(files()).toHaveLength(2);
  next.forget(other);
  expect(files()).toHaveLength(1);
  next.close();
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
