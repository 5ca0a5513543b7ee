import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { claimOrphans, dropLease, dropOldLeases, renewAndLook, renewLease } from "./leases.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { claimOf, createSession, endOf, startTurn } from "./testing/turn-fixtures.js";
import { commitTurnEnd } from "./turn-end.js";
import { claimTurn, readTurn } from "./turns.js";

describe.each(DRIVERS)("leases on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
    // What earlier tests left behind is nobody's.
    await claimOrphans(store.database, { owner: await living(), max: 1_000 });
  });
  afterAll(() => store.close());

  /** A process that stays alive for as long as a test takes. */
  const living = async () => {
    const owner = randomUUID();
    await renewLease(store.database, owner, 3_600_000);
    return owner;
  };
  const claim = async (owner: string) =>
    (await claimOrphans(store.database, { owner, max: 1_000 })).map(({ turn_id }) => turn_id);

  test("a turn whose process lives is left alone, and one whose lease ran out goes to another owner [D-3]", async () => {
    const owner = await living();
    const { turnId } = await startTurn(store.database, org, { owner });
    const sealer = await living();
    expect(await claim(sealer)).toEqual([]);
    await renewLease(store.database, owner, 1);
    await sleep(50);
    expect(await claim(sealer)).toEqual([turnId]);
    expect(await readTurn(store.database, org, turnId)).toMatchObject({ owner: sealer, epoch: 2, status: "running" });
    expect(await claim(sealer)).toEqual([]);
  });

  test("a process that was late to renew its lease does not take its own turns for orphans, but for those it names [D-3]", async () => {
    const owner = await living();
    const [kept, given] = [
      await startTurn(store.database, org, { owner }),
      await startTurn(store.database, org, { owner }),
    ];
    await renewLease(store.database, owner, 1);
    await sleep(50);
    const claimed = await claimOrphans(store.database, { owner, max: 1_000, abandoned: [given.turnId] });
    expect(claimed.map(({ turn_id }) => turn_id)).toEqual([given.turnId]);
    expect(await readTurn(store.database, org, kept.turnId)).toMatchObject({ owner, epoch: 1, status: "running" });
  });

  test("a process that says goodbye, or never had a lease, leaves its turns at once, oldest first [D-3]", async () => {
    const owner = await living();
    const first = await startTurn(store.database, org, { owner });
    const second = await startTurn(store.database, org, { owner: randomUUID() });
    await dropLease(store.database, owner);
    const sealer = await living();
    expect((await claimOrphans(store.database, { owner: sealer, max: 1 })).map(({ turn_id }) => turn_id)).toEqual([
      first.turnId,
    ]);
    expect(await claim(sealer)).toEqual([second.turnId]);
  });

  test("an orphan goes to exactly one of those who ask at the same time [D-3]", async () => {
    const turns = await Promise.all(Array.from({ length: 12 }, () => startTurn(store.database, org)));
    const sealers = await Promise.all(Array.from({ length: 6 }, living));
    const claimed = (await Promise.all(sealers.map(claim))).flat();
    expect(claimed.sort()).toEqual(turns.map(({ turnId }) => turnId).sort());
  });

  test("claims that were never accepted are orphans too, and ended turns are none [D-3]", async () => {
    const { sessionId } = await createSession(store.database, org);
    const asked = claimOf(sessionId);
    await claimTurn(store.database, org, asked);
    const ended = await startTurn(store.database, org);
    await commitTurnEnd(store.database, org, await endOf(ended));
    const orphans = await claimOrphans(store.database, { owner: await living(), max: 1_000 });
    expect(orphans).toMatchObject([{ org_id: org, turn_id: asked.turnId, status: "dispatching", epoch: 2 }]);
  });

  test("a process that renews its lease learns whether others left turns or are gone, and is never told of itself [D-3]", async () => {
    const [owner, other] = [randomUUID(), await living()];
    const look = (ttlMs = 3_600_000, goneMsMax = 60_000) => renewAndLook(store.database, { owner, ttlMs, goneMsMax });
    await store.admin("delete from leases where expires_at < now()");
    await startTurn(store.database, org, { owner });
    const { turnId } = await startTurn(store.database, org, { owner: other });
    expect(await look(1)).toEqual({ orphans: false, gone: false });
    await sleep(50);
    expect(await look()).toEqual({ orphans: false, gone: false });
    await renewLease(store.database, other, -1_000);
    expect(await look()).toEqual({ orphans: true, gone: true });
    expect(await look(3_600_000, 500)).toEqual({ orphans: true, gone: false });
    // It has a lease of its own now.
    const sealer = await living();
    expect(await claim(sealer)).toEqual([turnId]);
    expect(await look()).toEqual({ orphans: false, gone: true });
  });

  test("leases that ended long ago are taken away, others stay", async () => {
    const [old, young] = [randomUUID(), await living()];
    await renewLease(store.database, old, -7_200_000);
    await dropOldLeases(store.database, 1);
    const left = await store.admin<{ owner: string }>("select owner from leases");
    expect(left.map(({ owner }) => owner)).toContain(young);
    expect(left.map(({ owner }) => owner)).not.toContain(old);
  });
});
