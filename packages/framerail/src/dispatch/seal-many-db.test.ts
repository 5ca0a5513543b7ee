import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@framerail/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMemoryLog } from "../log/memory/memory-log.js";
import type { TurnLog } from "../log/turn-log.js";
import type { JournalRow } from "../store/journal.js";
import { createJournal, readJournal } from "../store/journal.js";
import { claimOrphans, renewLease } from "../store/leases.js";
import { AS_CONNECTED } from "../store/sql.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, openStore } from "../store/testing/open-store.js";
import { startTurn } from "../store/testing/turn-fixtures.js";
import { readTurn } from "../store/turns.js";
import { startSealing } from "./seal-turns.js";

let store: TestStore;
let org: string;
beforeAll(async () => {
  store = await openStore("postgres");
  org = await createTenant(store.database);
});
afterAll(() => store.close());

test("a process that seals the many turns of a dead one stays alive for the others meanwhile [D-3] [G1]", async () => {
  const log = createMemoryLog();
  // A log on the network, at a bad moment.
  const takeOver: TurnLog["takeOver"] = async (turn) => {
    await sleep(100);
    return log.takeOver(turn);
  };
  const slowLog = new Proxy(log, {
    get: (target, key) => (key === "takeOver" ? takeOver : (Reflect.get(target, key) as () => unknown).bind(target)),
  });
  const dead = randomUUID();
  for (let n = 0; n < 50; n += 1) await startTurn(store.database, org, { owner: dead });
  const owner = randomUUID();
  const mine = await startTurn(store.database, org, { owner });
  const sealing = startSealing({
    ...{
      database: store.database,
      log: slowLog,
      clock: systemClock,
      owner,
      abandoned: new Set<string>(),
      newId: randomUUID,
    },
  });
  const other = randomUUID();
  await renewLease(store.database, other, 60_000);
  const taken: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    await sleep(1_000);
    const claimed = await claimOrphans(store.database, { owner: other, max: 64 });
    taken.push(...claimed.map(({ turn_id }) => turn_id));
  }
  const sealer = await sealing;
  await sealer.close();
  await log.close();
  expect(taken).not.toContain(mine.turnId);
  expect(await readTurn(store.database, org, mine.turnId)).toMatchObject({ owner, epoch: 1 });
}, 60_000);

test("a row that is journaled while its turn is taken over is refused, or the new owner finds it [D-5] [G12]", async () => {
  const turn = await startTurn(store.database, org);
  const refused: unknown[] = [];
  const journal = createJournal({ database: store.database, onRefused: (rows) => refused.push(...rows) });
  const event = { type: "tool_call", tool_call_id: "c1", tool_name: "pay", arguments: {}, timestamp: 1 } as const;
  const row: JournalRow = {
    ...{ org_id: org, turn_id: turn.turnId, epoch: 1, position: 1, after_seq: 1, emitter: "assistant", event },
  };
  // The database is slow at this moment: the insert has begun, and waits in its middle.
  const mayGoOn = new AbortController();
  const slow = store.driver.transaction(AS_CONNECTED, async (sql) => {
    await sql.query("set local session_replication_role = replica");
    await sql.query(`insert into turn_events (org_id, turn_id, epoch, position, after_seq, type, emitter, event)
      values ('${org}', '${turn.turnId}', 1, 1, 0, 't', 'e', '{}')`);
    await once(mayGoOn.signal, "abort");
    throw new Error("undone");
  });
  slow.catch(() => undefined);
  await sleep(100);
  journal.append(row);
  await sleep(300);
  const sealer = randomUUID();
  await renewLease(store.database, sealer, 60_000);
  const seal = async () => {
    const claimed = await claimOrphans(store.database, { owner: sealer, max: 1_000 });
    return claimed.some(({ turn_id }) => turn_id === turn.turnId);
  };
  const taken = await seal();
  const found = taken ? await readJournal(store.database, org, turn.turnId) : undefined;
  mayGoOn.abort();
  await journal.settled();
  await journal.close();
  if (!taken) expect(await seal()).toBe(true);
  const seen = found ?? (await readJournal(store.database, org, turn.turnId));
  // The owner runs the tool where its intent was not refused; then the sealer must have known of it.
  const mayRun = refused.length === 0;
  expect({ mayRun, sealerKnows: seen.length === 1 }).toEqual({ mayRun, sealerKnows: mayRun });
});
