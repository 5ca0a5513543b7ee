import { randomUUID } from "node:crypto";
import { setTimeout as sleep, setImmediate as tick } from "node:timers/promises";
import { createFrameEncoder, createSseFraming, FramerailError, systemClock } from "@framerail/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMemoryLog } from "../log/memory/memory-log.js";
import { readWhole } from "../log/read-whole.js";
import type { TurnLog } from "../log/turn-log.js";
import type { Database } from "../store/database.js";
import type { StoredFrame } from "../store/frame-segment.js";
import { cutSegments, packFrames } from "../store/frame-segment.js";
import { dropLease, renewLease } from "../store/leases.js";
import { storeSegment } from "../store/store-pieces.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { endOf, framesOf, startTurn } from "../store/testing/turn-fixtures.js";
import { commitTurnEnd } from "../store/turn-end.js";
import { readFrames } from "../store/turn-frames.js";
import { readTurn } from "../store/turns.js";
import { LEASE_MS, LEASE_RENEW_MS } from "./limits.js";
import type { SealReport } from "./seal-turns.js";
import { startSealing } from "./seal-turns.js";

describe.each(DRIVERS)("a process beside others, with its store on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const seal = async (log: TurnLog, database: Database = store.database, abandoned = new Set<string>()) => {
    const reports: SealReport[] = [];
    const owner = randomUUID();
    const sealer = await startSealing({
      database,
      log,
      clock: systemClock,
      owner,
      abandoned,
      newId: randomUUID,
      report: (report) => reports.push(report),
    });
    return { sealer, reports, owner };
  };

  test("tells the end that one stored and did not live to tell, and tells it as it was stored [D-3] [G1]", async () => {
    const log = createMemoryLog();
    const turn = await startTurn(store.database, org);
    await renewLease(store.database, turn.owner, 1);
    const frames = framesOf(turn.turnId, 1, 3);
    const appender = log.open({ orgId: org, turnId: turn.turnId, epoch: 1 });
    for (const frame of frames.slice(0, 2)) appender.append(frame);
    const view = (await log.attach(turn.turnId)) ?? expect.fail();
    await expect.poll(() => view.lastSeq).toBe(2);
    const end = await endOf(turn, { endedAt: Date.now() });
    await commitTurnEnd(store.database, org, end);
    const { sealer } = await seal(log);
    await expect.poll(() => view.sealed, { timeout: 20_000 }).toBe(true);
    expect((await readWhole(view)).map(({ sse }) => sse)).toEqual([...frames.map(({ sse }) => sse), end.terminal.sse]);
    expect(await readTurn(store.database, org, turn.turnId)).toMatchObject({ status: "ended", epoch: 1 });
    await sealer.close();
    await log.close();
  });

  test("seals turns of one that is gone, in the store and in the log, and leaves those of the living [D-3] [G1]", async () => {
    const log = createMemoryLog();
    const [dead, living] = [await startTurn(store.database, org), await startTurn(store.database, org)];
    await renewLease(store.database, living.owner, 60_000);
    log.open({ orgId: org, turnId: dead.turnId, epoch: 1 });
    const view = (await log.attach(dead.turnId)) ?? expect.fail();
    const { sealer, reports } = await seal(log);
    expect(await readTurn(store.database, org, dead.turnId)).toMatchObject({ status: "ended", epoch: 2 });
    expect(await readTurn(store.database, org, living.turnId)).toMatchObject({ status: "running", epoch: 1 });
    expect(view).toMatchObject({ sealed: true, epoch: 2, lastSeq: 2 });
    expect((await readWhole(view)).at(-1)?.sse).toContain('"INTERNAL_ERROR"},"is_final":true');
    expect(reports).toEqual([{ kind: "sealed", turnId: dead.turnId }]);
    await dropLease(store.database, living.owner);
    const status = async () => (await readTurn(store.database, org, living.turnId))?.status;
    await expect.poll(status, { timeout: 20_000 }).toBe("ended");
    await sealer.close();
    await log.close();
  });

  test("keeps its own turns for as long as it lives, and not a moment longer than its lease [D-3]", async () => {
    const log = createMemoryLog();
    const first = await seal(log);
    const turn = await startTurn(store.database, org, { owner: first.owner });
    await sleep(LEASE_MS + 500);
    const second = await seal(log);
    expect(second.reports).toEqual([]);
    await first.sealer.close();
    await second.sealer.round();
    expect(await readTurn(store.database, org, turn.turnId)).toMatchObject({ status: "ended" });
    await second.sealer.close();
    await log.close();
  });

  test("seals what it could not end itself, and tries again what it could not seal [D-4] [G1]", async () => {
    const log = createMemoryLog();
    let isAway = false;
    const database: Database = {
      ...store.database,
      asTenant: ((orgId: string, work: never) =>
        isAway
          ? Promise.reject(new FramerailError("STORE_UNAVAILABLE", "away"))
          : store.database.asTenant(orgId, work)) as Database["asTenant"],
    };
    const abandoned = new Set<string>();
    const { sealer, reports, owner } = await seal(log, database, abandoned);
    const turn = await startTurn(store.database, org, { owner });
    await sealer.round();
    expect(await readTurn(store.database, org, turn.turnId)).toMatchObject({ status: "running" });
    isAway = true;
    abandoned.add(turn.turnId);
    await sealer.round();
    expect(reports.map(({ kind }) => kind)).toContain("seal_failed");
    isAway = false;
    await sealer.round();
    expect(await readTurn(store.database, org, turn.turnId)).toMatchObject({ status: "ended" });
    expect(abandoned.size).toBe(0);
    await sealer.close();
    await log.close();
  });

  test("seals a long turn that it could not end with all that readers saw, of which memory has the last part alone [D-4] [G1] [G3]", async () => {
    const log = createMemoryLog();
    const abandoned = new Set<string>();
    const { sealer, owner } = await seal(log, store.database, abandoned);
    const { turnId } = await startTurn(store.database, org, { owner });
    const ref = { orgId: org, turnId, epoch: 1 };
    const framing = createSseFraming({ idPrefix: `${turnId}.1.` });
    const encoder = createFrameEncoder({ responseId: turnId, clock: systemClock, framing });
    const frames = [{ seq: 1, sse: encoder.encode("response_id", 1, {}) }];
    for (let seq = 2; seq <= 2_000; seq += 1)
      frames.push({ seq, sse: encoder.encode("text", seq, { chunk: `${seq}`.padEnd(300) }) });
    const turn = log.open(ref, { isStored: true });
    for (const frame of frames) {
      turn.append(frame);
      if (frame.seq % 20 === 0) await tick();
    }
    for (const segment of cutSegments(frames.slice(0, 1_500)))
      await storeSegment(store.database, ref, await packFrames(segment));
    turn.stored(1_500);
    turn.abandon();
    abandoned.add(turnId);
    await sealer.round();
    const stored: StoredFrame[] = [];
    for (let more = true; more; ) {
      const page = await readFrames(store.database, org, turnId, stored.at(-1)?.seq ?? 0);
      stored.push(...page.frames);
      more = page.more;
    }
    expect(stored.slice(0, -1)).toEqual(frames);
    expect(stored.at(-1)?.sse).toContain('"INTERNAL_ERROR"},"is_final":true');
    await sealer.close();
    await log.close();
  });

  test("asks the store one thing a round while nobody has left anything [D-3]", async () => {
    const log = createMemoryLog();
    let asked = 0;
    const database: Database = {
      ...store.database,
      asSystem: ((work: never) => {
        asked += 1;
        return store.database.asSystem(work);
      }) as Database["asSystem"],
    };
    const { sealer } = await seal(log, database);
    await store.admin("delete from leases where expires_at < clock_timestamp()");
    await sealer.round();
    asked = 0;
    await sealer.round();
    expect(asked).toBe(1);
    await sealer.close();
    await log.close();
  });

  test("asks nothing of a store that it has to itself, until there is something to seal [D-3] [D-4] [G1]", async () => {
    const log = createMemoryLog();
    let asked = 0;
    let isAway = false;
    const database: Database = {
      ...store.database,
      asSystem: ((work: never) => {
        asked += 1;
        const answer = isAway ? Promise.reject(new FramerailError("STORE_UNAVAILABLE", "away")) : undefined;
        return answer ?? store.database.asSystem(work);
      }) as Database["asSystem"],
    };
    const [abandoned, owner] = [new Set<string>(), randomUUID()];
    const options = { database, log, clock: systemClock, owner, abandoned, newId: randomUUID };
    const sealer = await startSealing({ ...options, isAlone: true });
    const turn = await startTurn(store.database, org, { owner });
    asked = 0;
    await sleep(2.5 * LEASE_RENEW_MS);
    expect(asked).toBe(0);
    abandoned.add(turn.turnId);
    const status = async () => (await readTurn(store.database, org, turn.turnId))?.status;
    await expect.poll(status, { timeout: 20_000 }).toBe("ended");
    await expect.poll(() => abandoned.size).toBe(0);
    // A round that finds the store away is made again, though nothing is known to be left.
    isAway = true;
    await sealer.round();
    asked = 0;
    await expect.poll(() => asked, { timeout: 20_000 }).toBeGreaterThan(0);
    isAway = false;
    await sealer.close();
    await log.close();
  });
});
