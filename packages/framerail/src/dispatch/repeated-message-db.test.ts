import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { saysWhole } from "../agent/testing/scripted.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import type { TurnLog } from "../log/turn-log.js";
import type { Journal } from "../store/journal.js";
import { createJournal } from "../store/journal.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { createSession, userMessage } from "../store/testing/turn-fixtures.js";
import { acceptTurn, claimTurn, refuseTurn } from "../store/turns.js";
import { openDispatcher } from "./testing/open-dispatcher.js";

const onDisconnect = { action: "continue", grace_ms: 0 } as const;

describe.each(DRIVERS)(
  "a message that is sent again while its first request waits to be accepted, %s driver",
  (name) => {
    let store: TestStore;
    let log: TurnLog;
    let journal: Journal;
    beforeAll(async () => {
      store = await openStore(name);
      log = createMemoryLog();
      journal = createJournal({ database: store.database });
    });
    afterAll(async () => {
      await journal.close();
      await log.close();
      await store.close();
    });

    /** The first request has claimed its turn, in some process, and is not accepted yet; the second has been sent. */
    async function sendTwice() {
      const { database } = store;
      const org = await createTenant(database);
      const { sessionId, conversationId } = await createSession(database, org);
      const idempotency = { principal: "user_1", key: "k1", bodySha256: "a".repeat(64) };
      const request = { sessionId, userId: "user_1", onDisconnect, idempotency };
      const first = randomUUID();
      await claimTurn(database, org, { ...request, turnId: first, owner: randomUUID() });
      const agent = defineAgent({ id: "assistant", model: saysWhole({ call: 1, text: "Hello." }) });
      const dispatcher = openDispatcher(agent, { database, log, journal });
      const second = dispatcher.send({ ...request, orgId: org, message: "hello", locale: null });
      let isAnswered = false;
      const settle = () => {
        isAnswered = true;
      };
      second.then(settle, settle);
      await sleep(150);
      expect(isAnswered).toBe(false);
      const accept = () =>
        acceptTurn(database, org, { turnId: first, epoch: 1, message: userMessage(first, conversationId) });
      return { first, second, accept, refuse: () => refuseTurn(database, org, first, 1) };
    }

    test("is answered with the first one's turn, when there is one", async () => {
      const { first, second, accept } = await sendTwice();
      await accept();
      expect(await second).toEqual({ kind: "attached", turnId: first });
    });

    test("takes its place when that is refused: nobody is sent to a turn that never was", async () => {
      const { first, second, refuse } = await sendTwice();
      await refuse();
      const sent = await second;
      expect(sent.turnId).not.toBe(first);
      expect(sent.kind === "started" && (await sent.ended)).toEqual({ kind: "completed" });
    });
  },
);
