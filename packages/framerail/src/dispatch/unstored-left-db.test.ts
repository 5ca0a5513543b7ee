import { setTimeout as sleep } from "node:timers/promises";
import { FramerailError } from "@framerail/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import type { Database } from "../store/database.js";
import { createJournal } from "../store/journal.js";
import { claimOrphans } from "../store/leases.js";
import type { Statement } from "../store/sql.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, openStore } from "../store/testing/open-store.js";
import { createSession } from "../store/testing/turn-fixtures.js";
import { PIECE_RETRY_MS, UNSTORED_BYTES_HIGH } from "./limits.js";
import type { DispatchReport } from "./send-message.js";
import { openDispatcher } from "./testing/open-dispatcher.js";

const CHUNK = "x".repeat(8_000);

let store: TestStore;
beforeAll(async () => {
  store = await openStore("embedded");
});
afterAll(() => store.close());

test("pieces of a turn that is another's now are not tried again for ever, and its writer is let go [D-3] [G8]", async () => {
  let [isAway, tries, returned] = [true, 0, false];
  // The store does not take pieces for a while: that is also why the lease ran out.
  const database = {
    ...store.database,
    async asSystem(work: Statement): Promise<unknown> {
      if (!work.text?.includes("insert into turn_frames")) return store.database.asSystem(work);
      tries += 1;
      if (isAway) throw new FramerailError("STORE_UNAVAILABLE", "gone");
      return store.database.asSystem(work);
    },
  } as Database;
  const orgId = await createTenant(store.database);
  const { sessionId } = await createSession(store.database, orgId);
  const log = createMemoryLog();
  const reports: DispatchReport[] = [];
  let written = 0;
  const agent = defineAgent({
    id: "assistant",
    run: async (_, { writer, signal }) => {
      try {
        while (!signal.aborted) {
          writer.text(CHUNK);
          written += CHUNK.length;
          await writer.ready();
        }
      } finally {
        returned = true;
      }
    },
  });
  const dispatcher = openDispatcher(agent, {
    database,
    log,
    journal: createJournal({ database: store.database }),
    report: (report) => reports.push(report),
  });
  const sent = await dispatcher.send({
    orgId,
    sessionId,
    userId: undefined,
    message: "hello",
    locale: null,
    onDisconnect: { action: "continue", grace_ms: 0 },
  });
  if (sent.kind !== "started") return expect.fail();
  await expect.poll(() => written, { timeout: 20_000 }).toBeGreaterThan(UNSTORED_BYTES_HIGH / 2);
  await sleep(500);
  // Its owner seems dead, and another process takes the turn.
  const [orphan] = await claimOrphans(store.database, { owner: "00000000-0000-4000-8000-000000000000", max: 64 });
  expect(orphan?.turn_id).toBe(sent.turnId);
  await log.takeOver({ orgId, turnId: sent.turnId, epoch: 2 });
  expect(await sent.ended).toBeUndefined();
  isAway = false;
  await sleep(4 * PIECE_RETRY_MS);
  const triesBefore = tries;
  await sleep(8 * PIECE_RETRY_MS);
  expect({ more: tries - triesBefore, returned }).toEqual({ more: 0, returned: true });
}, 60_000);
