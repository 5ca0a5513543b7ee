import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { FramerailError } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Agent } from "../agent/agent.js";
import { defineAgent } from "../agent/define-agent.js";
import { saysWhole, tool } from "../agent/testing/scripted.js";
import { writer } from "../agent/writer.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import type { Database } from "../store/database.js";
import { createJournal } from "../store/journal.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, openStore } from "../store/testing/open-store.js";
import { createSession } from "../store/testing/turn-fixtures.js";
import type { DispatcherOptions } from "./dispatcher.js";
import { startSealing } from "./seal-turns.js";
import type { DispatchReport } from "./send-message.js";
import { openDispatcher } from "./testing/open-dispatcher.js";

let store: TestStore;
let org: string;
beforeAll(async () => {
  store = await openStore("embedded");
});
beforeEach(async () => {
  org = await createTenant(store.database);
});
afterAll(() => store.close());

const quiet = defineAgent({ id: "assistant", run: async () => undefined });

function open(agent: Agent, parts: Partial<DispatcherOptions> = {}) {
  const reports: DispatchReport[] = [];
  const [owner, abandoned, log] = [randomUUID(), new Set<string>(), parts.log ?? createMemoryLog()];
  const dispatcher = openDispatcher(agent, {
    database: store.database,
    journal: createJournal({ database: store.database }),
    report: (report) => reports.push(report),
    owner,
    abandoned,
    ...parts,
    log,
  });
  const sealing = { database: store.database, clock: { now: Date.now, schedule: () => () => undefined } };
  const seal = async () => (await startSealing({ ...sealing, log, owner, abandoned, newId: randomUUID })).round();
  return { dispatcher, reports, abandoned, owner, seal };
}
const request = (sessionId: string) => ({
  orgId: org,
  sessionId,
  userId: undefined,
  message: "hello",
  locale: null,
  onDisconnect: { action: "continue", grace_ms: 0 } as const,
});
const statuses = async () =>
  (await store.admin<{ status: string }>(`select status from turns where org_id = '${org}'`)).map((row) => row.status);

test("a turn that was accepted by a commit whose answer was lost is sealed, and its session is free again [G1] [D-4]", async () => {
  const { sessionId } = await createSession(store.database, org);
  let lost = 0;
  const database = {
    ...store.database,
    async asTenant(orgId: string, work: never): Promise<unknown> {
      // The look for the lost commit is lost, too.
      if (lost === 1) {
        lost = 2;
        throw new FramerailError("STORE_UNAVAILABLE", "gone");
      }
      const before = await statuses();
      const answer = await store.database.asTenant(orgId, work);
      if (lost === 0 && before[0] === "dispatching" && (await statuses())[0] === "running") {
        lost = 1;
        throw new FramerailError("COMMIT_UNKNOWN", "the line broke");
      }
      return answer;
    },
  } as Database;
  const { dispatcher, seal } = open(quiet, { database });
  await expect(dispatcher.send(request(sessionId))).rejects.toMatchObject({ code: "COMMIT_UNKNOWN" });
  expect(lost).toBe(2);
  await seal();
  expect(await statuses()).toEqual(["ended"]);
});

test("a turn whose policy cannot be made is refused or sealed; its session is free again [G1]", async () => {
  const { sessionId } = await createSession(store.database, org);
  const agents = {
    find: () => ({
      step: () => ({ run: async () => ({ kind: "completed" as const }) }),
      policyFor: () => {
        throw new FramerailError("INVALID_REGISTRY", "an entry without words");
      },
    }),
  };
  const { dispatcher, seal } = open(quiet, { agents });
  await expect(dispatcher.send(request(sessionId))).rejects.toMatchObject({ code: "INVALID_REGISTRY" });
  await seal();
  expect(["refused", "ended"]).toContain((await statuses())[0]);
});

test("a turn that cannot be begun after its acceptance is sealed, and its session is free again [G1]", async () => {
  const { sessionId } = await createSession(store.database, org);
  const log = createMemoryLog();
  const works = log.open.bind(log);
  log.open = () => {
    throw new FramerailError("LOG_UNAVAILABLE", "no room");
  };
  const { dispatcher, seal } = open(quiet, { log });
  await expect(dispatcher.send(request(sessionId))).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
  log.open = works;
  await seal();
  expect(await statuses()).toEqual(["ended"]);
});

const runsTool = (run: () => unknown) =>
  defineAgent({
    id: "assistant",
    model: saysWhole({ call: 1, tool_calls: [{ name: "pay" }] }, { call: 2, text: "Paid." }),
    tools: [tool("pay", run)],
  });

test("a tool whose intent the journal does not take does not run [D-5] [G12]", async () => {
  const { sessionId } = await createSession(store.database, org);
  // A journal that is full, as it is after the database was away for long (J4).
  const journal = createJournal({
    database: { ...store.database, asSystem: () => new Promise(() => undefined) } as unknown as Database,
  });
  const event = {
    type: "tool_call",
    tool_call_id: "a",
    tool_name: "a",
    tool_type: "f",
    arguments: {},
    timestamp: 1,
  } as const;
  const row = { org_id: org, turn_id: randomUUID(), epoch: 1, after_seq: 0, emitter: "x", event };
  for (let position = 1; position < 1e6; position += 1) {
    try {
      journal.append({ ...row, position });
    } catch {
      break;
    }
  }
  let runs = 0;
  const { dispatcher } = open(
    runsTool(() => (runs += 1)),
    { journal },
  );
  const sent = await dispatcher.send(request(sessionId));
  const outcome = sent.kind === "started" && (await sent.ended);
  expect({ runs, outcome }).toMatchObject({ runs: 0, outcome: { kind: "failed" } });
});

test("a turn that begins when the time for the others is over is ended at once, too [D-19]", async () => {
  const { sessionId } = await createSession(store.database, org);
  const slow = {
    ...store.database,
    async asTenant(orgId: string, work: never): Promise<unknown> {
      await sleep(100);
      return store.database.asTenant(orgId, work);
    },
  } as Database;
  const long = defineAgent({
    id: "assistant",
    run: async (_, { signal }) => {
      for (let waits = 0; waits < 50 && !signal.aborted; waits += 1) await sleep(100);
    },
  });
  const { dispatcher } = open(long, { database: slow });
  const sending = dispatcher.send(request(sessionId));
  const began = Date.now();
  await dispatcher.drain(50);
  await sending;
  expect(Date.now() - began).toBeLessThan(3_000);
});

test("a run that is deaf to cancels stops when its turn is another's [D-3]", async () => {
  const { sessionId } = await createSession(store.database, org);
  const log = createMemoryLog();
  let seen: AbortSignal | undefined;
  const model = saysWhole({ call: 1, text: "never" });
  const deaf = defineAgent({
    id: "assistant",
    model: {
      ...model,
      doStream(options) {
        seen = options.abortSignal;
        return new Promise<never>(() => undefined);
      },
    },
    config: { enable_cancellation: false },
  });
  const { dispatcher } = open(deaf, { log });
  const sent = await dispatcher.send(request(sessionId));
  await expect.poll(() => seen).toBeDefined();
  await log.takeOver({ orgId: org, turnId: sent.turnId, epoch: 2 });
  await sleep(50);
  expect(seen?.aborted).toBe(true);
});

test("a call that was cancelled while it waited for its note has no row [G9]", async () => {
  const { sessionId } = await createSession(store.database, org);
  let asked = 0;
  let notes = 0;
  const database = {
    ...store.database,
    async asTenant(orgId: string, work: { text?: string }): Promise<unknown> {
      if (work.text?.includes("insert into open_calls")) {
        notes += 1;
        await sleep(1_500);
      }
      return store.database.asTenant(orgId, work as never);
    },
  } as Database;
  const model = saysWhole({ call: 1, text: "never" });
  const agent = defineAgent({
    id: "assistant",
    model: {
      ...model,
      doStream(options) {
        asked += 1;
        return model.doStream(options);
      },
    },
  });
  const { dispatcher } = open(agent, { database });
  const sent = await dispatcher.send(request(sessionId));
  await expect.poll(() => notes).toBe(1);
  dispatcher.running(sent.turnId)?.cancel();
  if (sent.kind === "started") await sent.ended;
  await sleep(1_500);
  const rows = await store.admin(
    `select input_tokens, estimated from llm_usage_events where turn_id = '${sent.turnId}'`,
  );
  expect({ asked, rows }).toEqual({ asked: 0, rows: [] });
});

test("a journal that ends without its rows rejects for nobody who has not asked", async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", hear);
  const { sessionId } = await createSession(store.database, org);
  let away = false;
  const journal = createJournal({
    database: {
      ...store.database,
      asSystem: (work: never) =>
        away ? Promise.reject(new FramerailError("STORE_UNAVAILABLE", "gone")) : store.database.asSystem(work),
    } as unknown as Database,
  });
  away = true;
  // A tool that there is not: its pair is written, and nobody waits for it.
  const agent = defineAgent({
    id: "assistant",
    model: saysWhole({ call: 1, tool_calls: [{ name: "nothing" }] }, { call: 2, text: "Sorry." }),
  });
  const { dispatcher } = open(agent, { journal });
  const sent = await dispatcher.send(request(sessionId));
  if (sent.kind === "started") await sent.ended;
  await dispatcher.drain();
  await journal.close().catch(() => undefined);
  await sleep(50);
  process.off("unhandledRejection", hear);
  expect(unhandled).toEqual([]);
});

test("a tool that writes more than the log takes, without waiting, ends its own turn and nothing else [D-6] [G1]", async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", hear);
  const { sessionId } = await createSession(store.database, org);
  const floods = tool("pay", () => {
    for (let piece = 0; piece < 200; piece += 1) writer().text("x".repeat(8_000));
  });
  const agent = defineAgent({
    id: "assistant",
    model: saysWhole({ call: 1, tool_calls: [{ name: "pay" }] }, { call: 2, text: "Paid." }),
    tools: [floods],
  });
  const { dispatcher } = open(agent);
  const sent = await dispatcher.send(request(sessionId));
  const end = await Promise.race([sent.kind === "started" && sent.ended, sleep(5_000, "no end")]);
  await sleep(20);
  process.off("unhandledRejection", hear);
  expect({ end, unhandled }).toMatchObject({ end: { kind: "failed", cause: "invariant_violation" }, unhandled: [] });
});
