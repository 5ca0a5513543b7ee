import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@framerail/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LoggedFrame } from "../../log/frame-sink.js";
import { TURN_BYTES_IN_MEMORY_MAX } from "../../log/limits.js";
import { openJournal } from "../../log/memory/journal-file.js";
import { createMemoryLog } from "../../log/memory/memory-log.js";
import { closeLogs, openLog } from "../../log/redis/testing/log-pair.js";
import { framesAfter } from "../../log/segment.js";
import { splitFrames } from "../../log/split-frames.js";
import type { TurnLog } from "../../log/turn-log.js";
import type { OpenReader, ReaderRequest } from "./open-reader.js";
import { openReader } from "./open-reader.js";

const FRAME_LENGTH = 50_000;
/** Twice what memory keeps: the first half is behind it. */
const LAST_SEQ = Math.ceil((2 * TURN_BYTES_IN_MEMORY_MAX) / FRAME_LENGTH);
const TURN = randomUUID();

const frame = (seq: number) => ({
  seq,
  type: "text" as const,
  sse: `id: ${TURN}.1.${seq}\nevent: text\ndata: ${"x".repeat(FRAME_LENGTH)}\n\n`,
});
const WHOLE: readonly LoggedFrame[] = Array.from({ length: LAST_SEQ }, (_, index) => frame(index + 1));

let folder: string;
let log: TurnLog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "framerail-reader-"));
  log = createMemoryLog({ journal: openJournal(folder, () => undefined) });
});
afterEach(async () => {
  await log.close();
  await closeLogs();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the turn, a frame a tick; its first half is in the journal alone. */
async function write(how: "sealed" | "open"): Promise<void> {
  const turn = log.open({ orgId: randomUUID(), turnId: TURN, epoch: 1 });
  for (let seq = 1; seq < LAST_SEQ; seq += 1) {
    turn.append(frame(seq));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (how === "sealed") await turn.seal(frame(LAST_SEQ));
  await expect.poll(async () => (await log.attach(TURN))?.lastSeq).toBe(how === "sealed" ? LAST_SEQ : LAST_SEQ - 1);
}

const journalFiles = () => readdirSync(folder).map((name) => join(folder, name));

const DAMAGES = [
  ["is cut off", (path: string) => truncateSync(path, 100)],
  [
    "holds the frames of another turn",
    (path: string) =>
      writeFileSync(path, readFileSync(path, "latin1").replaceAll(TURN, randomUUID()), {
        flag: "r+",
        encoding: "latin1",
      }),
  ],
  ["is overwritten", (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size, "y"), { flag: "r+" })],
] as const;

const ask = (stored: readonly LoggedFrame[], fields: Partial<ReaderRequest> = {}, from: TurnLog = log) =>
  openReader(
    { log: from, clock: systemClock },
    {
      turnId: TURN,
      cursor: { epoch: undefined, seq: 0 },
      find: async () => ({ status: "ended", epoch: 1, last_seq: LAST_SEQ }),
      frames: async (afterSeq) => stored.filter(({ seq }) => seq > afterSeq).slice(0, 7),
      ...fields,
    },
  );

/** All that a reader is given, from memory and from behind it. */
async function readAll(reader: OpenReader | undefined): Promise<LoggedFrame[]> {
  const { view, afterSeq, readBack } = reader ?? expect.fail("there was nothing to read");
  const frames: LoggedFrame[] = [];
  for (let seq = afterSeq; seq < view.lastSeq; seq = frames.at(-1)?.seq ?? seq) {
    const segment = view.after(seq);
    const next = segment ? splitFrames(framesAfter(segment, seq), seq + 1) : await readBack(seq);
    if (next.length === 0) expect.fail(`nothing came after frame ${seq}`);
    frames.push(...next);
  }
  return frames;
}

const expectSame = (frames: readonly LoggedFrame[], whole: readonly LoggedFrame[]) => {
  expect(frames.map(({ seq }) => seq)).toEqual(whole.map(({ seq }) => seq));
  expect(frames.every(({ sse }, index) => sse === whole[index]?.sse)).toBe(true);
};

test("a turn whose journal is whole is read from it, and the store is not asked [D-1]", async () => {
  await write("sealed");
  const reader = await ask([], { frames: () => expect.fail("the store was asked") });
  expectSame(await readAll(reader), WHOLE);
});

test.each(DAMAGES)(
  "a turn that has ended is read from the store where its journal %s [D-1] [D-2] [G3]",
  async (_, damage) => {
    await write("sealed");
    for (const path of journalFiles()) damage(path);
    expectSame(await readAll(await ask(WHOLE)), WHOLE);
    const resumed = await ask(WHOLE, { cursor: { epoch: 1, seq: 3 } });
    expectSame(await readAll(resumed), WHOLE.slice(3));
  },
);

test.each(DAMAGES)(
  "where its journal %s and the store has nothing of it either, its cursor has expired [D-2] [G3]",
  async (_, damage) => {
    await write("sealed");
    for (const path of journalFiles()) damage(path);
    await expect(ask([])).rejects.toMatchObject({ code: "CURSOR_EXPIRED" });
    await expect(ask(WHOLE.slice(9), { cursor: { epoch: 1, seq: 4 } })).rejects.toMatchObject({
      code: "CURSOR_EXPIRED",
    });
  },
);

test("of a turn that still runs, a journal that cannot be read is a log that is away: nothing has expired [D-2] [G3]", async () => {
  await write("open");
  for (const path of journalFiles()) truncateSync(path, 100);
  const find = async () => ({ status: "running", epoch: 1, last_seq: 0 });
  await expect(ask([], { find })).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
  expectSame(await readAll(await ask(WHOLE.slice(0, -1), { find })), WHOLE.slice(0, -1));
});

test("a log that is away keeps nobody from a turn that has ended, and does from one that runs [D-1] [G3]", async () => {
  // A port that nobody listens on.
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const away = openLog(`redis://127.0.0.1:${port}`);
  expectSame(await readAll(await ask(WHOLE, {}, away)), WHOLE);
  const find = async () => ({ status: "running", epoch: 1, last_seq: 0 });
  await expect(ask(WHOLE, { find }, away)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
}, 60_000);
