import { randomUUID } from "node:crypto";
import type { AgentEvent } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { manualClock } from "../agent/model/testing/manual-clock.js";
import type { Database } from "./database.js";
import type { JournalRow } from "./journal.js";
import { createJournal, readJournal } from "./journal.js";
import { claimOrphans } from "./leases.js";
import {
  JOURNAL_BATCH_LENGTH_MAX,
  JOURNAL_CLOSE_TRIES_MAX,
  JOURNAL_LENGTH_MAX,
  JOURNAL_RETRY_MS,
  JOURNAL_ROWS_MAX,
} from "./limits.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { startTurn } from "./testing/turn-fixtures.js";

const call = (id: string): AgentEvent => ({
  type: "tool_call",
  tool_call_id: id,
  tool_name: "search",
  arguments: { query: `q\0${id}` },
  timestamp: 1,
});

const RESULT = { is_error: false, duration_ms: 1 };

describe.each(DRIVERS)("the journal on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const row = (turnId: string, position: number, fields: Partial<JournalRow> = {}): JournalRow => ({
    org_id: org,
    turn_id: turnId,
    epoch: 1,
    position,
    after_seq: position + 1,
    emitter: "assistant",
    event: call(`c${position}`),
    ...fields,
  });
  /** The database, with a count of its transactions. */
  const counted = () => {
    const statements: unknown[] = [];
    const database = {
      ...store.database,
      asSystem: (work: never) => {
        statements.push(work);
        return store.database.asSystem(work);
      },
    } as Database;
    return { database, statements };
  };

  test("rows of many turns and tenants go into one commit and are read back in order [D-5]", async () => {
    const other = await createTenant(store.database);
    const mine = await startTurn(store.database, org);
    const theirs = await startTurn(store.database, other);
    const { database, statements } = counted();
    const journal = createJournal({ database });
    for (let position = 1; position <= 50; position += 1) {
      journal.append(row(mine.turnId, position));
      journal.append(row(theirs.turnId, position, { org_id: other }));
    }
    await journal.settled();
    expect(statements).toHaveLength(1);
    const read = await readJournal(store.database, org, mine.turnId);
    expect(read.map(({ position }) => position)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(read[0]).toEqual({
      epoch: 1,
      position: 1,
      after_seq: 2,
      emitter: "assistant",
      event: { ...call("c1"), arguments: { query: "q\uFFFDc1" } },
    });
    expect(await readJournal(store.database, org, theirs.turnId)).toEqual([]);
    await journal.close();
  });

  test("a turn that went to another owner takes no row of the old one, and the others' rows are kept [D-3]", async () => {
    const lost = await startTurn(store.database, org);
    await claimOrphans(store.database, { owner: randomUUID(), max: 1_000 });
    const kept = await startTurn(store.database, org);
    const refused: JournalRow[] = [];
    const journal = createJournal({ database: store.database, onRefused: (rows) => refused.push(...rows) });
    journal.append(row(lost.turnId, 1));
    journal.append(row(kept.turnId, 1));
    journal.append(row(lost.turnId, 2, { epoch: 2 }));
    await journal.settled();
    expect(refused).toEqual([row(lost.turnId, 1)]);
    const there = await readJournal(store.database, org, lost.turnId);
    expect(there.map(({ epoch, position }) => [epoch, position])).toEqual([[2, 2]]);
    expect(await readJournal(store.database, org, kept.turnId)).toHaveLength(1);
    await journal.close();
  });

  test("a commit whose answer was lost is repeated without a second row or a false alarm [D-4]", async () => {
    const { turnId } = await startTurn(store.database, org);
    let failures = 2;
    const reports: unknown[] = [];
    const refused: unknown[] = [];
    const database = {
      ...store.database,
      async asSystem(work: never) {
        const rows = await store.database.asSystem(work);
        failures -= 1;
        if (failures >= 0) throw new FramerailError("COMMIT_UNKNOWN", "lost");
        return rows;
      },
    } as Database;
    const journal = createJournal({
      database,
      report: (error) => reports.push(error),
      onRefused: (rows) => refused.push(rows),
    });
    journal.append(row(turnId, 1));
    await journal.close();
    expect(await readJournal(store.database, org, turnId)).toHaveLength(1);
    expect([reports.length, refused.length]).toEqual([2, 0]);
  });

  test("too many rows that wait are refused, and none that was taken is lost", async () => {
    const { turnId } = await startTurn(store.database, org);
    const journal = createJournal({ database: store.database });
    for (let position = 1; position <= JOURNAL_ROWS_MAX; position += 1) journal.append(row(turnId, position));
    expect(() => journal.append(row(turnId, JOURNAL_ROWS_MAX + 1))).toThrow("too many rows");
    await journal.close();
    const [{ count } = { count: 0 }] = await store.admin<{ count: number }>(
      `select count(*)::int as count from turn_events where turn_id = '${turnId}'`,
    );
    expect(count).toBe(JOURNAL_ROWS_MAX);
    expect(() => journal.append(row(turnId, 1))).toThrow("closed");
  });

  test("a commit begins at the end of the tick, and what comes while it runs goes together into the next [D-5]", async () => {
    const { turnId } = await startTurn(store.database, org);
    const { database, statements } = counted();
    // A clock that stands still: nothing here waits for it.
    const journal = createJournal({ database, clock: manualClock() });
    journal.append(row(turnId, 1));
    await Promise.resolve();
    journal.append(row(turnId, 2));
    expect(statements).toHaveLength(0);
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(statements).toHaveLength(1);
    for (let position = 3; position <= 9; position += 1) journal.append(row(turnId, position));
    await journal.settled();
    expect(statements).toHaveLength(2);
    expect(await readJournal(store.database, org, turnId)).toHaveLength(9);
    await journal.close();
  });

  test("a row that the database refuses costs no other its place, and is told before anybody goes on", async () => {
    const { turnId } = await startTurn(store.database, org);
    const told: unknown[] = [];
    const journal = createJournal({
      database: store.database,
      onRefused: (rows) => told.push(...rows.map(({ position }) => position)),
    });
    for (const position of [1, 2, 0, 3, 4]) journal.append(row(turnId, position, { after_seq: 1 }));
    void journal.settled().then(() => told.push("settled"));
    await journal.close();
    expect(told).toEqual([0, "settled"]);
    const there = await readJournal(store.database, org, turnId);
    expect(there.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
  });

  test("rows that weigh too much wait for no room, and those that wait are committed in bites", async () => {
    const { turnId } = await startTurn(store.database, org);
    const { database, statements } = counted();
    const journal = createJournal({ database });
    const heavy = (position: number, length: number) =>
      row(turnId, position, {
        event: { type: "tool_result", tool_call_id: "c", result: "x".repeat(length), ...RESULT },
      });
    expect(() => journal.append(heavy(1, JOURNAL_LENGTH_MAX))).toThrow("too many rows");
    const bite = Math.ceil(JOURNAL_BATCH_LENGTH_MAX / 2);
    for (const position of [1, 2, 3]) journal.append(heavy(position, bite));
    await journal.settled();
    expect(statements).toHaveLength(3);
    expect(await readJournal(store.database, org, turnId)).toHaveLength(3);
    await journal.close();
  });

  test("a database that stays away stops a journal that is closed, and whoever waits hears it [D-4]", async () => {
    const { turnId } = await startTurn(store.database, org);
    const away = new FramerailError("STORE_UNAVAILABLE", "away");
    let tries = 0;
    const database = {
      ...store.database,
      asSystem: () => {
        tries += 1;
        return Promise.reject(away);
      },
    } as Database;
    const clock = manualClock();
    const journal = createJournal({ database, clock });
    journal.append(row(turnId, 1));
    const settled = expect(journal.settled()).rejects.toBe(away);
    const closed = expect(journal.close()).rejects.toBe(away);
    for (let turn = 0; turn < 2 * JOURNAL_CLOSE_TRIES_MAX; turn += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      clock.advance(JOURNAL_RETRY_MS);
    }
    await Promise.all([settled, closed]);
    expect(tries).toBe(JOURNAL_CLOSE_TRIES_MAX + 1);
  });
});
