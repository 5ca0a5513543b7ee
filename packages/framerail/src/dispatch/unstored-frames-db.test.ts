import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { FramerailError, systemClock, TEXT_CHUNK_BYTES_MAX } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import type { Writer } from "../agent/writer.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import { countFrameBytes } from "../log/segment.js";
import type { Database } from "../store/database.js";
import { createJournal } from "../store/journal.js";
import type { Statement } from "../store/sql.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { createSession } from "../store/testing/turn-fixtures.js";
import { readFrames } from "../store/turn-frames.js";
import { ANSWER_LENGTH_MAX, FIRST_PIECE_BYTES_MIN, PIECE_BYTES, UNSTORED_BYTES_HIGH } from "./limits.js";
import type { DispatchReport } from "./send-message.js";
import { openDispatcher } from "./testing/open-dispatcher.js";
import { UnstoredFrames } from "./unstored-frames.js";

const CHUNK = "x".repeat(8_000);
/** Nearly twice what may wait for the store. */
const CHUNKS = Math.ceil((1.75 * UNSTORED_BYTES_HIGH) / CHUNK.length);
/** Long enough for a writer that nobody holds back to write all of it many times. */
const HELD_MS = 1_500;
const PATIENCE = { timeout: 60_000 };

type StorePiece = () => Promise<unknown>;

describe.each(DRIVERS)("frames that wait for a store on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  /** The store, but pieces of frames are stored as `around` says. */
  const storeWith = (around: (storePiece: StorePiece) => Promise<unknown>): Database =>
    ({
      ...store.database,
      asSystem(work: Statement): Promise<unknown> {
        const ask = () => store.database.asSystem(work);
        return work.text?.includes("insert into turn_frames") ? around(ask) : ask();
      },
    }) as Database;

  async function begin(database: Database, write: (writer: Writer, signal: AbortSignal) => Promise<void>) {
    const { sessionId } = await createSession(store.database, org);
    const reports: DispatchReport[] = [];
    const agent = defineAgent({ id: "assistant", run: (_, { writer, signal }) => write(writer, signal) });
    const dispatcher = openDispatcher(agent, {
      database,
      log: createMemoryLog(),
      journal: createJournal({ database: store.database }),
      report: (report) => reports.push(report),
    });
    const sent = await dispatcher.send({
      orgId: org,
      sessionId,
      userId: undefined,
      message: "hello",
      locale: null,
      onDisconnect: { action: "continue", grace_ms: 0 },
    });
    return sent.kind === "started" ? { ...sent, reports } : expect.fail("it was attached");
  }

  async function seqsOf(turnId: string): Promise<number[]> {
    const seqs: number[] = [];
    for (let more = true; more; ) {
      const page = await readFrames(store.database, org, turnId, seqs.at(-1) ?? 0);
      seqs.push(...page.frames.map(({ seq }) => seq));
      more = page.more;
    }
    return seqs;
  }
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

  test("hold their writer back while it stalls, and all of them are stored when it goes on [G8] [D-6]", async () => {
    let goOn = () => {};
    const stalled = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let written = 0;
    const { turnId, ended } = await begin(
      storeWith((storePiece) => stalled.then(storePiece)),
      async (writer) => {
        for (; written < CHUNKS; written += 1) {
          writer.text(CHUNK);
          await writer.ready();
        }
      },
    );
    await expect.poll(() => written * CHUNK.length, PATIENCE).toBeGreaterThan(UNSTORED_BYTES_HIGH / 2);
    await sleep(HELD_MS);
    expect(written * CHUNK.length).toBeLessThanOrEqual(UNSTORED_BYTES_HIGH);
    goOn();
    expect(await ended).toEqual({ kind: "completed" });
    expect(await seqsOf(turnId)).toEqual(upTo(CHUNKS + 2));
  });

  test("end the turn of a writer that does not wait for it [G8] [D-6]", async () => {
    let goOn = () => {};
    const stalled = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let ending: AbortSignal | undefined;
    const { turnId, ended, reports } = await begin(
      storeWith((storePiece) => stalled.then(storePiece)),
      async (writer, signal) => {
        ending = signal;
        for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
          writer.text(CHUNK);
          // The log takes all of it; only the store does not.
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    );
    await expect.poll(() => ending?.aborted, PATIENCE).toBe(true);
    expect(ending?.reason).toMatchObject({ code: "PACE_EXCEEDED" });
    goOn();
    const failed = { kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "invariant_violation" };
    expect(await ended).toEqual(failed);
    // Operators hear why, once.
    const told = reports.filter((one) => one.kind === "published" && one.report.kind === "pace_exceeded");
    expect(told).toHaveLength(1);
    const seqs = await seqsOf(turnId);
    expect(seqs).toEqual(upTo(seqs.length));
    expect(seqs.length).toBeLessThan(CHUNKS);
  });

  test("are tried again while the turn runs, and the writer goes on meanwhile [G8] [D-4]", async () => {
    let tries = 0;
    let stored = 0;
    let storedWhileWriting = 0;
    const { turnId, ended, reports } = await begin(
      storeWith(async (storePiece) => {
        tries += 1;
        if (tries < 3) throw new FramerailError("STORE_UNAVAILABLE", "gone");
        const answer = await storePiece();
        stored += 1;
        return answer;
      }),
      async (writer) => {
        for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
          writer.text(CHUNK);
          await writer.ready();
        }
        // Past the mark by now: what made room was stored before the end asked for it.
        storedWhileWriting = stored;
      },
    );
    expect(await ended).toEqual({ kind: "completed" });
    expect(reports.filter(({ kind }) => kind === "piece_failed")).toHaveLength(2);
    expect(storedWhileWriting).toBeGreaterThan(0);
    expect(await seqsOf(turnId)).toEqual(upTo(CHUNKS + 2));
  });

  test("are stored at times of their own, where turns grow at one pace, and never more than a piece at once [G8]", () => {
    const cutsOf = (turnId: string) => {
      const turn = { orgId: org, turnId, epoch: 1 };
      const log = createMemoryLog({ nextTick: (flush) => flush() }).open(turn, { isStored: true });
      const cuts: number[] = [];
      // A piece is what the log is asked for while frames come.
      const held = log.held.bind(log);
      log.held = (afterSeq) => {
        const segments = held(afterSeq);
        cuts.push(segments.reduce((bytes, segment) => bytes + countFrameBytes(segment), 0));
        return segments;
      };
      const frames = new UnstoredFrames({ turn, log, database: store.database, clock: systemClock });
      for (let seq = 1; cuts.length < 2; seq += 1) frames.append({ seq, type: "text", sse: `data: ${CHUNK}\n\n` });
      frames.giveUp();
      return cuts;
    };
    const turns = ["0000", "8000", "ffff"].map((digits) => cutsOf(`${digits}${randomUUID().slice(4)}`));
    const middle = (FIRST_PIECE_BYTES_MIN + PIECE_BYTES) / 2;
    for (const [index, due] of [FIRST_PIECE_BYTES_MIN, middle, PIECE_BYTES].entries()) {
      const [first = 0, second = 0] = turns[index] ?? [];
      // Give or take the frame with which it is noticed.
      expect(Math.abs(first - due)).toBeLessThan(1.5 * CHUNK.length);
      expect(Math.abs(second - PIECE_BYTES)).toBeLessThan(1.5 * CHUNK.length);
    }
  });

  test("are not stored a second time by the end, where an answer was lost [G2] [G4] [D-4]", async () => {
    let pieces = 0;
    let isLost = () => {};
    const lost = new Promise<void>((resolve) => {
      isLost = resolve;
    });
    const { turnId, ended } = await begin(
      storeWith(async (storePiece) => {
        pieces += 1;
        const answer = await storePiece();
        if (pieces > 1) return answer;
        isLost();
        throw new FramerailError("COMMIT_UNKNOWN", "the line broke");
      }),
      async (writer) => {
        for (let length = 0; length < 2.5 * PIECE_BYTES; length += CHUNK.length) {
          writer.text(CHUNK);
          await writer.ready();
        }
        await lost;
      },
    );
    expect(await ended).toEqual({ kind: "completed" });
    const seqs = await seqsOf(turnId);
    expect(seqs).toEqual(upTo(seqs.length));
  });

  test("end with the turn whose answer has grown longer than one is kept, and all that was shown is stored [G1] [G8]", async () => {
    // One frame each.
    const chunk = "x".repeat(TEXT_CHUNK_BYTES_MAX);
    const { turnId, ended, reports } = await begin(store.database, async (writer, signal) => {
      while (!signal.aborted) {
        writer.text(chunk);
        await writer.ready();
      }
    });
    expect(await ended).toEqual({ kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "application" });
    expect(reports).toMatchObject([{ kind: "step_failed", error: { code: "INPUT_TOO_LARGE" } }]);
    const seqs = await seqsOf(turnId);
    expect(seqs).toEqual(upTo(seqs.length));
    expect(seqs.length * chunk.length).toBeGreaterThan(ANSWER_LENGTH_MAX);
    expect(seqs.length * chunk.length).toBeLessThan(ANSWER_LENGTH_MAX * 1.2);
  });
});
