// What every turn log must do, whatever it is made of. A driver's test calls `describeTurnLog` with a way to open one.
// Owns: the sentences that every driver is held to. Does not own: what one driver alone does (its own tests).
// One long file, because it is one list, over the same few words (start, append, viewOf, textOf).

import { randomUUID } from "node:crypto";
import { setImmediate as tick } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EncodedFrame } from "../frame-sink.js";
import type { Segment } from "../segment.js";
import { framesAfter, framesOf } from "../segment.js";
import type { TurnAppender, TurnLog, TurnView } from "../turn-log.js";

export interface OpenLog {
  readonly log: TurnLog;
  /** Takes away whatever the log was made of. */
  dispose(): Promise<void>;
}

const WAIT_TICKS_MAX = 100_000;
const WAIT_MS_MAX = 20_000;

export const frameOf = (turnId: string, seq: number, chunk = `piece ${seq} é😀`): EncodedFrame => ({
  seq,
  type: "text",
  sse: `id: ${turnId}.1.${seq}\nevent: text\ndata: ${JSON.stringify({ seq, chunk })}\n\n`,
});

/** Reads on from a cursor as a connection does: what is in memory from there, what is behind it from there. */
export async function readOn(view: TurnView, afterSeq: number): Promise<{ text: string; lastSeq: number }> {
  let [text, lastSeq] = ["", afterSeq];
  while (lastSeq < view.lastSeq) {
    const segment = view.after(lastSeq);
    if (segment === undefined) {
      const frames = await view.readBack(lastSeq);
      if (frames.length === 0) throw new Error(`nothing after ${lastSeq}`);
      text += frames.map(({ sse }) => sse).join("");
      lastSeq = frames.at(-1)?.seq ?? lastSeq;
    } else {
      text += framesAfter(segment, lastSeq).toString("utf8");
      lastSeq = segment.lastSeq;
    }
  }
  return { text, lastSeq };
}

export async function untilReleased(view: TurnView, seq: number): Promise<void> {
  // By time: how many ticks a server takes to come back says nothing.
  for (const start = performance.now(); view.lastSeq < seq; await tick()) {
    if (performance.now() - start > WAIT_MS_MAX) throw new Error(`frame ${seq} was not released`);
  }
}

export function describeTurnLog(name: string, open: () => Promise<OpenLog>): void {
  describe(`the turn log: ${name}`, () => {
    let opened: OpenLog;
    let log: TurnLog;
    beforeEach(async () => {
      opened = await open();
      log = opened.log;
    });
    afterEach(async () => {
      await log.close();
      await opened.dispose();
    });

    const orgId = randomUUID();
    const start = async (turnId = randomUUID(), epoch = 1, lastSeq = 0, isStored = false) => {
      const failures: string[] = [];
      const appender = log.open(
        { orgId, turnId, epoch },
        {
          lastSeq,
          onFailure: ({ code }) => failures.push(code),
          isStored,
        },
      );
      return { turnId, appender, failures, append: appendTo(appender, turnId) };
    };
    const appendTo = (appender: TurnAppender, turnId: string) => (first: number, last: number) => {
      for (let seq = first; seq <= last; seq += 1) appender.append(frameOf(turnId, seq));
    };
    const viewOf = async (turnId: string) =>
      (await log.attach(turnId)) ?? expect.fail("the log does not know the turn");
    const textOf = (turnId: string, first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, index) => frameOf(turnId, first + index).sse).join("");

    test("the owner finds what the log has and the store does not, once and in order, and what the log does not have yet behind it [G3] [D-1]", async () => {
      const { turnId, appender, append } = await start(randomUUID(), 1, 0, true);
      const textsOf = (segments: readonly Segment[]) =>
        segments.map((segment) => framesOf(segment).toString("utf8")).join("");
      append(1, 3);
      expect(appender.held(0)).toEqual([]);
      const view = await viewOf(turnId);
      await untilReleased(view, 3);
      append(4, 9);
      expect(textsOf(appender.held(0))).toBe(textOf(turnId, 1, 3));
      expect(textsOf(appender.unreleased())).toBe(textOf(turnId, 4, 9));
      expect(appender.unreleased().at(-1)?.lastSeq).toBe(9);
      await untilReleased(view, 9);
      expect(textsOf(appender.held(3))).toBe(textOf(turnId, 4, 9));
      expect(appender.unreleased()).toEqual([]);
      await appender.seal(frameOf(turnId, 10));
      expect(textsOf(appender.held(0))).toBe(textOf(turnId, 1, 10));
    });

    test("what is not stored stays in memory, however long it is, and what is stored may go [G3] [G8]", async () => {
      const { turnId, appender } = await start(randomUUID(), 1, 0, true);
      const chunk = "x".repeat(20_000);
      const view = await viewOf(turnId);
      for (let seq = 1; seq <= 100; seq += 1) {
        appender.append(frameOf(turnId, seq, chunk));
        if (seq % 5 === 0) await untilReleased(view, seq);
      }
      expect(view.after(0)?.firstSeq).toBe(1);
      expect(appender.held(0)[0]?.firstSeq).toBe(1);
      appender.stored(50);
      expect(view.after(0)).toBeUndefined();
      expect(appender.held(50)[0]?.firstSeq).toBe(51);
      appender.stored(100);
      expect(view.after(50)).toBeUndefined();
      expect(view.after(99)?.lastSeq).toBe(100);
    });

    test("a frame written as bytes where the log keeps it comes out like one that came as text [G2] [D-1]", async () => {
      const { turnId, appender } = await start();
      const view = await viewOf(turnId);
      const write = (seq: number) => {
        const bytes = Buffer.from(frameOf(turnId, seq).sse);
        // More is claimed than is used, as whoever does not know its size does.
        const room = appender.claim(bytes.length * 3);
        room.bytes.set(bytes, room.end);
        appender.commit(seq, bytes.length);
      };
      for (let seq = 1; seq <= 300; seq += 1) {
        if (seq % 3 === 0) appender.append(frameOf(turnId, seq));
        else write(seq);
        if (seq % 7 === 0) await untilReleased(view, seq);
      }
      await untilReleased(view, 300);
      expect((await readOn(view, 0)).text).toBe(textOf(turnId, 1, 300));
      expect(appender.backlogBytes).toBe(0);
      write(302);
      expect(appender.failure?.code).toBe("INVARIANT_VIOLATION");
      await tick();
      expect(view.lastSeq).toBe(300);
    });

    test("frames come out as they went in, from every cursor, once they are released [G2] [G3] [D-1]", async () => {
      const { turnId, append } = await start();
      append(1, 5);
      const view = await viewOf(turnId);
      await untilReleased(view, 5);
      append(6, 6);
      await untilReleased(view, 6);
      append(7, 20);
      await untilReleased(view, 20);
      for (let after = 0; after <= 20; after += 1) {
        expect(await readOn(view, after)).toEqual({ text: textOf(turnId, after + 1, 20), lastSeq: 20 });
      }
    });

    test("no frame is released in the tick it was written in [G3] [C-27]", async () => {
      const { turnId, append } = await start();
      append(1, 1);
      const view = await viewOf(turnId);
      await untilReleased(view, 1);
      append(2, 3);
      expect(view.lastSeq).toBe(1);
      expect(view.after(1)).toBeUndefined();
      await untilReleased(view, 3);
    });

    test("the terminal seals the turn in one step, and nothing comes after it [D-1]", async () => {
      const { turnId, appender, append, failures } = await start();
      append(1, 2);
      const view = await viewOf(turnId);
      await untilReleased(view, 2);
      expect(view.sealed).toBe(false);
      await appender.seal(frameOf(turnId, 3));
      await untilReleased(view, 3);
      expect(view.sealed).toBe(true);
      append(4, 4);
      await tick();
      expect(failures).toEqual(["INVARIANT_VIOLATION"]);
      expect((await readOn(view, 0)).text).toBe(textOf(turnId, 1, 3));
    });

    test("a gap and a repetition are refused, and nothing behind them is released [D-1]", async () => {
      for (const wrong of [2, 4]) {
        const { turnId, appender, append, failures } = await start();
        append(1, 2);
        const view = await viewOf(turnId);
        await untilReleased(view, 2);
        append(wrong, wrong);
        append(3, 3);
        for (let ticks = 0; failures.length === 0 && ticks < WAIT_TICKS_MAX; ticks += 1) await tick();
        expect(failures).toEqual(["INVARIANT_VIOLATION"]);
        expect(appender.failure?.code).toBe("INVARIANT_VIOLATION");
        expect((await readOn(view, 0)).text).toBe(textOf(turnId, 1, 2));
        await expect(appender.seal(frameOf(turnId, 3))).rejects.toMatchObject({ code: "INVARIANT_VIOLATION" });
      }
    });

    test("a new owner goes on where the old one was, and the old one's frames are refused [D-3]", async () => {
      const old = await start();
      old.append(1, 3);
      await untilReleased(await viewOf(old.turnId), 3);
      const fresh = await start(old.turnId, 2, 3);
      fresh.append(4, 4);
      old.append(4, 5);
      const view = await viewOf(old.turnId);
      await untilReleased(view, 4);
      for (let ticks = 0; old.failures.length === 0 && ticks < WAIT_TICKS_MAX; ticks += 1) await tick();
      expect(old.failures).toEqual(["STALE_EPOCH"]);
      expect(fresh.failures).toEqual([]);
      await fresh.appender.seal(frameOf(old.turnId, 5));
      await untilReleased(view, 5);
      expect((await readOn(view, 3)).text).toBe(textOf(old.turnId, 4, 5));
    });

    test("whoever takes a turn over has all that readers will ever see of it, however busy its owner still is [D-3] [G2]", async () => {
      const old = await start();
      let [written, isTaken] = [0, false];
      const writing = (async () => {
        for (; !isTaken || written < 5; await tick()) {
          written += 1;
          old.append(written, written);
        }
      })();
      const view = await viewOf(old.turnId);
      await untilReleased(view, 5);
      const taken = await log.takeOver({ orgId, turnId: old.turnId, epoch: 2 });
      isTaken = true;
      await writing;
      for (let ticks = 0; old.failures.length === 0 && ticks < WAIT_TICKS_MAX; ticks += 1) await tick();
      expect(old.failures).toEqual(["STALE_EPOCH"]);
      expect(taken.map(({ sse }) => sse).join("")).toBe(textOf(old.turnId, 1, taken.length));
      expect(view.lastSeq).toBeLessThanOrEqual(taken.length);
      const fresh = await start(old.turnId, 2, taken.length);
      await fresh.appender.seal(frameOf(old.turnId, taken.length + 1));
      expect(fresh.failures).toEqual([]);
      await expect(log.takeOver({ orgId, turnId: old.turnId, epoch: 1 })).rejects.toMatchObject({
        code: "STALE_EPOCH",
      });
      expect(await log.takeOver({ orgId, turnId: randomUUID(), epoch: 2 })).toEqual([]);
    });

    test("an epoch that is not newer takes nothing over [D-3]", async () => {
      const owner = await start();
      owner.append(1, 1);
      await untilReleased(await viewOf(owner.turnId), 1);
      const thief = await start(owner.turnId, 1, 1);
      thief.append(2, 2);
      for (let ticks = 0; thief.failures.length === 0 && ticks < WAIT_TICKS_MAX; ticks += 1) await tick();
      expect(thief.failures).toEqual(["STALE_EPOCH"]);
      owner.append(2, 2);
      await untilReleased(await viewOf(owner.turnId), 2);
      expect(owner.failures).toEqual([]);
    });

    test("what is too long for memory is read back, whole and in order [G3]", async () => {
      const { turnId, appender } = await start();
      const chunk = "x".repeat(20_000);
      const view = await viewOf(turnId);
      for (let seq = 1; seq <= 150; seq += 1) {
        appender.append(frameOf(turnId, seq, chunk));
        if (seq % 5 === 0) await untilReleased(view, seq);
      }
      expect(view.after(0)).toBeUndefined();
      const expected = (after: number) =>
        Array.from({ length: 150 - after }, (_, index) => frameOf(turnId, after + index + 1, chunk).sse).join("");
      for (const after of [0, 3, 77, 149]) expect((await readOn(view, after)).text === expected(after)).toBe(true);
    });

    test("a watcher is woken when there is something new, and not after it left", async () => {
      const { turnId, append } = await start();
      append(1, 1);
      const view = await viewOf(turnId);
      await untilReleased(view, 1);
      const seen: [string, number][] = [];
      const leave = view.watch({ wake: () => void seen.push(["first", view.lastSeq]) });
      view.watch({ wake: () => void seen.push(["second", view.lastSeq]) });
      append(2, 9);
      await untilReleased(view, 9);
      leave();
      append(10, 10);
      await untilReleased(view, 10);
      expect(seen.filter(([who]) => who === "first").every(([, lastSeq]) => lastSeq <= 9)).toBe(true);
      expect(seen.at(-1)).toEqual(["second", 10]);
    });

    test("a writer that has much waiting is told to wait, and only then [D-6]", async () => {
      const { turnId, appender } = await start();
      appender.append(frameOf(turnId, 1));
      await appender.ready();
      for (let seq = 2; seq <= 40; seq += 1) appender.append(frameOf(turnId, seq, "x".repeat(10_000)));
      expect(appender.backlogBytes).toBeGreaterThan(262_144);
      await appender.ready();
      expect(appender.backlogBytes).toBeLessThan(262_144);
      await untilReleased(await viewOf(turnId), 40);
    });

    test("a turn that nobody wrote is unknown, and one that is in the store may be forgotten", async () => {
      expect(await log.attach(randomUUID())).toBeUndefined();
      const { turnId, appender } = await start();
      await appender.seal(frameOf(turnId, 1));
      log.forget(turnId);
      expect(await log.attach(turnId)).toBeUndefined();
    });

    test("readers that come, go and resume at any time see each frame once, in order [G2] [G3] [W-FR-14]", async () => {
      const acts = fc.array(fc.record({ turn: fc.nat(2), frames: fc.integer({ min: 1, max: 9 }), wait: fc.nat(2) }), {
        minLength: 1,
        maxLength: 25,
      });
      await fc.assert(
        fc.asyncProperty(acts, async (schedule) => {
          const turns = await Promise.all([0, 1, 2].map(() => start()));
          const readers = turns.map(() => ({ text: "", lastSeq: 0 }));
          const written = turns.map(() => 0);
          for (const { turn, frames, wait } of schedule) {
            const { append, turnId } = turns[turn] as (typeof turns)[number];
            append((written[turn] ?? 0) + 1, (written[turn] ?? 0) + frames);
            written[turn] = (written[turn] ?? 0) + frames;
            for (let ticks = 0; ticks < wait; ticks += 1) await tick();
            const reader = readers[turn] as (typeof readers)[number];
            const { text, lastSeq } = await readOn(await viewOf(turnId), reader.lastSeq);
            Object.assign(reader, { text: reader.text + text, lastSeq });
          }
          for (const [turn, { turnId }] of turns.entries()) {
            if (written[turn] === 0) continue;
            const view = await viewOf(turnId);
            await untilReleased(view, written[turn] ?? 0);
            const reader = readers[turn] as (typeof readers)[number];
            expect(reader.text + (await readOn(view, reader.lastSeq)).text).toBe(textOf(turnId, 1, written[turn] ?? 0));
          }
        }),
        { numRuns: process.env.FRAMERAIL_LONG ? 5_000 : 60 },
      );
    });
  });
}
