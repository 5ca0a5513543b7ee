import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { JOURNAL_FILE_BYTES_MAX } from "../limits.js";
import { frameOf } from "../testing/log-contract.js";
import { openJournal } from "./journal-file.js";
import { createMemoryLog } from "./memory-log.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "framerail-rotation-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const orgId = randomUUID();

/** A journal that is at the end of its first file, and cannot have a second one: no descriptors, no inodes. */
function openFull() {
  const journal = openJournal(folder, () => undefined);
  const [turnId, bytes] = [randomUUID(), Buffer.alloc(JOURNAL_FILE_BYTES_MAX / 8 - 100, "x")];
  for (let seq = 1; seq <= 8; seq += 1) {
    journal.write([{ kind: "frames", turnId, orgId, epoch: 1, firstSeq: seq, count: 1, bytes }]);
  }
  mkdirSync(join(folder, "journal-00000002.log"));
  return journal;
}

test("records that were written are placed, although there is no next file yet [D-1]", () => {
  const journal = openFull();
  const turnId = randomUUID();
  const bytes = Buffer.from(frameOf(turnId, 1, "x".repeat(1_000)).sse);
  const [place] = journal.write([{ kind: "frames", turnId, orgId, epoch: 1, firstSeq: 1, count: 1, bytes }]);
  expect(journal.read(place ?? expect.fail())).toEqual(bytes);
  journal.close();
});

test("a turn whose tick fills the last file there can be is released or fails; it does not hang [G1] [G8]", async () => {
  const uncaught: unknown[] = [];
  let flush = () => {};
  const log = createMemoryLog({ journal: openFull(), nextTick: (next) => (flush = next) });
  const turnId = randomUUID();
  const failures: string[] = [];
  const turn = log.open({ orgId, turnId, epoch: 1 }, { onFailure: ({ code }) => failures.push(code) });
  const sealed = turn.seal(frameOf(turnId, 1, "x".repeat(1_000))).then(
    () => "sealed",
    () => "failed",
  );
  try {
    flush();
  } catch (error) {
    uncaught.push(error);
  }
  expect(await Promise.race([sealed, sleep(500).then(() => "hangs")])).not.toBe("hangs");
  expect(uncaught).toEqual([]);
});

test("a file that takes neither a write nor a cut refuses the write as any other [D-1]", () => {
  const journal = openJournal(folder, () => undefined);
  // Stands for a file system that was made read-only because of an error: nothing can be done to its files.
  journal.close();
  const [turnId, bytes] = [randomUUID(), Buffer.from("id: 1\n\n")];
  const write = () => journal.write([{ kind: "frames", turnId, orgId, epoch: 1, firstSeq: 1, count: 1, bytes }]);
  expect(write).toThrow(expect.objectContaining({ code: "LOG_UNAVAILABLE" }) as Error);
});
