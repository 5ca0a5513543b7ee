import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { claimOrphans } from "./leases.js";
import type { OpenCall } from "./open-calls.js";
import { noteCall, noteUnbudgetedCall, readOpenCalls } from "./open-calls.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { AT, endOf, startTurn } from "./testing/turn-fixtures.js";
import { commitTurnEnd } from "./turn-end.js";

const CALL: OpenCall = {
  call: 1,
  model: "m-1",
  inputTokens: 70,
  costUsd: "0.250000000",
  told: 0,
  begunAt: AT,
};

test("a turn is not taken over while a call of it is being noted, so that no note comes after [G9] [D-3]", async () => {
  // The embedded database does one thing at a time.
  const store = await openStore("postgres");
  try {
    const org = await createTenant(store.database);
    const { turnId } = await startTurn(store.database, org);
    const claim = () => claimOrphans(store.database, { owner: randomUUID(), max: 1_000 });
    await store.database.asTenant(org, async (sql) => {
      await noteCall(sql, { turnId, epoch: 1, call: CALL });
      expect(await claim()).toEqual([]);
    });
    expect(await claim()).toMatchObject([{ turn_id: turnId }]);
    expect(await readOpenCalls(store.database, org, turnId)).toEqual([CALL]);
  } finally {
    await store.close();
  }
});

describe.each(DRIVERS)("notes of model calls on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const note = (turnId: string, call: OpenCall = CALL, epoch = 1) =>
    noteUnbudgetedCall(store.database, org, { agentId: "assistant", note: { turnId, epoch, call } });
  const putBudget = (agentId: string | null) =>
    store.database.asTenant(org, {
      text: "insert into budgets (org_id, id, agent_id, token_limit) values (current_org(), $1, $2, 1000)",
      values: [randomUUID(), agentId],
    });

  test("a call that is noted is read as it was noted, once, however often it was tried [G9] [D-4]", async () => {
    const { turnId } = await startTurn(store.database, org);
    const second = { ...CALL, call: 2, model: "m\0", told: 1 };
    for (const call of [second, CALL, CALL]) expect(await note(turnId, call)).toBe(true);
    expect(await readOpenCalls(store.database, org, turnId)).toEqual([CALL, { ...second, model: "m\ufffd" }]);
  });

  test("the end of its turn takes it away, in the same commit that has its row [G9] [G4]", async () => {
    const turn = await startTurn(store.database, org);
    const other = await startTurn(store.database, org);
    await note(turn.turnId);
    await note(other.turnId);
    await commitTurnEnd(store.database, org, await endOf(turn));
    expect(await readOpenCalls(store.database, org, turn.turnId)).toEqual([]);
    expect(await readOpenCalls(store.database, org, other.turnId)).toEqual([CALL]);
    await expect(note(turn.turnId, { ...CALL, call: 2 })).rejects.toMatchObject({ code: "STALE_EPOCH" });
  });

  test("a turn that is another's takes no note of its earlier owner [D-3] [G9]", async () => {
    const { turnId } = await startTurn(store.database, org);
    await note(turnId);
    await claimOrphans(store.database, { owner: randomUUID(), max: 1_000 });
    const late = { ...CALL, call: 2 };
    await expect(note(turnId, late)).rejects.toMatchObject({ code: "STALE_EPOCH" });
    const within = store.database.asTenant(org, (sql) => noteCall(sql, { turnId, epoch: 1, call: late }));
    await expect(within).rejects.toMatchObject({ code: "STALE_EPOCH" });
    expect(await readOpenCalls(store.database, org, turnId)).toEqual([CALL]);
  });

  test("a stranger's turn takes none, and its notes are not read [R-6-1] [D-12]", async () => {
    const { turnId } = await startTurn(store.database, org);
    await note(turnId);
    const stranger = await createTenant(store.database);
    const asStranger = { agentId: "assistant", note: { turnId, epoch: 1, call: { ...CALL, call: 2 } } };
    await expect(noteUnbudgetedCall(store.database, stranger, asStranger)).rejects.toMatchObject({
      code: "STALE_EPOCH",
    });
    expect(await readOpenCalls(store.database, stranger, turnId)).toEqual([]);
  });

  test.each([
    ["the tenant", null, false],
    ["its agent", "assistant", false],
    ["another agent", "shop", true],
  ] as const)(
    "where %s has a budget, that is said and decides whether a call is noted at once [D-16]",
    async (_, agentId, isNoted) => {
      const { turnId } = await startTurn(store.database, org);
      await putBudget(agentId);
      expect(await note(turnId)).toBe(isNoted);
      expect(await readOpenCalls(store.database, org, turnId)).toEqual(isNoted ? [CALL] : []);
    },
  );
});
