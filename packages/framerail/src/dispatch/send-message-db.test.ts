import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FramerailError } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Agent } from "../agent/agent.js";
import { defineAgent } from "../agent/define-agent.js";
import { saysWhole, tool } from "../agent/testing/scripted.js";
import { readHistory } from "../history/read-history.js";
import { putBudget } from "../ledger/budgets.js";
import { openJournal } from "../log/memory/journal-file.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import { readOn } from "../log/testing/log-contract.js";
import type { TurnLog } from "../log/turn-log.js";
import type { Database } from "../store/database.js";
import type { Journal } from "../store/journal.js";
import { createJournal, readJournal } from "../store/journal.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { createSession } from "../store/testing/turn-fixtures.js";
import { readFrames } from "../store/turn-frames.js";
import { readTurn } from "../store/turns.js";
import type { Dispatcher } from "./dispatcher.js";
import { PIECE_BYTES } from "./limits.js";
import type { DispatchReport, SendRequest } from "./send-message.js";
import { openDispatcher } from "./testing/open-dispatcher.js";

describe.each(DRIVERS)("a message that is sent, with its store on the %s driver", (name) => {
  let store: TestStore;
  let log: TurnLog;
  let journal: Journal;
  let folder: string;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
    folder = mkdtempSync(join(tmpdir(), "framerail-log-"));
    log = createMemoryLog({ journal: openJournal(folder, () => undefined) });
    journal = createJournal({ database: store.database });
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(async () => {
    await journal.close();
    await log.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });

  function dispatcherOf(agent: Agent, database: Database = store.database) {
    const reports: DispatchReport[] = [];
    const report = (told: DispatchReport) => reports.push(told);
    const dispatcher = openDispatcher(agent, { database, log, journal, report });
    return { dispatcher, reports };
  }
  const send = async (dispatcher: Dispatcher, sessionId: string, fields: Partial<SendRequest> = {}) => {
    const onDisconnect = { action: "continue", grace_ms: 0 } as const;
    return dispatcher.send({
      orgId: org,
      sessionId,
      userId: "user_1",
      message: "hello",
      locale: null,
      onDisconnect,
      ...fields,
    });
  };
  const sendAndEnd = async (dispatcher: Dispatcher, sessionId: string, fields: Partial<SendRequest> = {}) => {
    const sent = await send(dispatcher, sessionId, fields);
    if (sent.kind !== "started") throw new Error("the turn was not started");
    return { turnId: sent.turnId, outcome: await sent.ended };
  };
  const textOf = async (turnId: string) =>
    (await readFrames(store.database, org, turnId, 0)).frames.map(({ sse }) => sse).join("");

  const search = tool("search", () => ["coffee"]);
  const shop = defineAgent({
    id: "assistant",
    model: saysWhole({ call: 1, tool_calls: [{ name: "search" }] }, { call: 2, text: "Coffee, two for one." }),
    tools: [search],
  });

  test("is answered: frames in the store equal those of the log, and message, usage and audit are there at the end [G3] [G4] [C-36]", async () => {
    const { sessionId, conversationId } = await createSession(store.database, org);
    const { dispatcher, reports } = dispatcherOf(shop);
    const sent = await send(dispatcher, sessionId);
    const view = (await log.attach(sent.turnId)) ?? expect.fail("the log does not know the turn");
    const leave = view.watch({ wake: () => undefined });
    expect(dispatcher.runningCount).toBe(1);
    expect(sent.kind === "started" && (await sent.ended)).toEqual({ kind: "completed" });
    expect(view.sealed).toBe(true);
    expect(await textOf(sent.turnId)).toBe((await readOn(view, 0)).text);
    leave();
    const turn = await readTurn(store.database, org, sent.turnId);
    expect(turn).toMatchObject({ status: "ended", outcome: { kind: "completed" }, last_seq: view.lastSeq });
    const { messages } = await store.database.asTenant(org, (sql) =>
      readHistory(sql, { conversationId, userId: undefined }),
    );
    expect(messages).toMatchObject([
      { role: "user", content_items: [{ content: "hello" }] },
      {
        role: "assistant",
        incomplete: false,
        content_items: [
          { type: "tool_call" },
          { type: "tool_result" },
          { type: "message", content: "Coffee, two for one." },
        ],
      },
    ]);
    const [counts] = await store.admin(`select
      (select count(*)::int from llm_usage_events where turn_id = '${sent.turnId}') as calls,
      (select count(*)::int from agent_audit_log where turn_id = '${sent.turnId}') as audit`);
    expect(counts).toEqual({ calls: 2, audit: 3 });
    expect(reports.filter(({ kind }) => kind !== "published")).toEqual([]);
    expect(dispatcher.runningCount).toBe(0);
  });

  test("tells the agent what was said before it in the conversation [F-43]", async () => {
    const { sessionId } = await createSession(store.database, org);
    const heard: unknown[] = [];
    const echo = defineAgent({
      id: "assistant",
      run: async ({ message, history }, { writer }) => {
        heard.push(history);
        writer.text(`You said ${message}.`);
      },
    });
    const { dispatcher } = dispatcherOf(echo);
    await sendAndEnd(dispatcher, sessionId, { message: "one" });
    await sendAndEnd(dispatcher, sessionId, { message: "two" });
    expect(heard).toEqual([
      [],
      [
        { role: "user", content: "one" },
        { role: "assistant", content: "You said one." },
      ],
    ]);
  });

  test("finds the tool's intent in the journal when the tool runs [D-5] [G12]", async () => {
    const { sessionId } = await createSession(store.database, org);
    const journaled: unknown[] = [];
    const looks = tool("search", async () => {
      const [open] = await store.admin<{ id: string }>(
        `select id from turns where org_id = '${org}' and status = 'running'`,
      );
      journaled.push(...(await readJournal(store.database, org, open?.id ?? "")).map(({ event }) => event.type));
      return "seen";
    });
    const model = saysWhole({ call: 1, tool_calls: [{ name: "search" }] }, { call: 2, text: "Done." });
    await sendAndEnd(dispatcherOf(defineAgent({ id: "assistant", model, tools: [looks] })).dispatcher, sessionId);
    expect(journaled).toContain("tool_call");
  });

  test("is refused before anything is begun: no agent, no budget, no room for a second one [D-20] [R-6-8]", async () => {
    const { sessionId, conversationId } = await createSession(store.database, org);
    const other = dispatcherOf(defineAgent({ id: "somebody", run: async () => undefined })).dispatcher;
    await expect(send(other, sessionId)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await putBudget(store.database, org, { agentId: null, tokenLimit: 0, period: "total" });
    await expect(send(dispatcherOf(shop).dispatcher, sessionId)).rejects.toMatchObject({ code: "BUDGET_EXHAUSTED" });
    await putBudget(store.database, org, { agentId: null, tokenLimit: 1_000_000, period: "total" });
    const { dispatcher } = dispatcherOf(defineAgent({ id: "assistant", run: async () => void (await sleep(200)) }));
    const first = await send(dispatcher, sessionId);
    await expect(send(dispatcher, sessionId)).rejects.toMatchObject({ code: "TURN_RUNNING" });
    if (first.kind === "started") await first.ended;
    const { messages } = await store.database.asTenant(org, (sql) =>
      readHistory(sql, { conversationId, userId: undefined }),
    );
    expect(messages.map(({ run_id }) => run_id)).toEqual([first.turnId, first.turnId]);
  });

  test("is cancelled at once, and what was said by then is its message, incomplete [G5] [P-39] [P-53]", async () => {
    const { sessionId, conversationId } = await createSession(store.database, org);
    const endless = defineAgent({
      id: "assistant",
      async run(_, { writer, signal }) {
        writer.text("As I was saying");
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      },
    });
    const { dispatcher } = dispatcherOf(endless);
    const sent = await send(dispatcher, sessionId);
    await sleep(20);
    dispatcher.running(sent.turnId)?.cancel();
    expect(sent.kind === "started" && (await sent.ended)).toEqual({ kind: "cancelled", code: "REQUEST_CANCELLED" });
    const { messages } = await store.database.asTenant(org, (sql) =>
      readHistory(sql, { conversationId, userId: undefined }),
    );
    expect(messages.at(-1)).toMatchObject({ incomplete: true, content_items: [{ content: "As I was saying" }] });
    expect(await textOf(sent.turnId)).toMatch(/"event_type":"cancelled"[^\n]*\n\n$/);
  });

  test("stores a long answer in pieces while it runs, and all of it in the end [W-ES-1] [G8]", async () => {
    const { sessionId } = await createSession(store.database, org);
    const chunk = "x".repeat(8_000);
    const pieces = Math.ceil((PIECE_BYTES * 3.5) / chunk.length);
    const long = defineAgent({
      id: "assistant",
      async run(_, { writer }) {
        for (let piece = 0; piece < pieces; piece += 1) {
          writer.text(chunk);
          await writer.ready();
        }
      },
    });
    const { turnId } = await sendAndEnd(dispatcherOf(long).dispatcher, sessionId);
    const segments = await store.admin<{ first_seq: number }>(
      `select first_seq from turn_frames where turn_id = '${turnId}'`,
    );
    expect(segments.length).toBeGreaterThan(3);
    const text = [];
    for (let after = 0, more = true; more; ) {
      const page = await readFrames(store.database, org, turnId, after);
      text.push(...page.frames.map(({ seq }) => seq));
      after = text.at(-1) ?? after;
      more = page.more;
    }
    expect(text).toEqual(Array.from({ length: pieces + 2 }, (_, index) => index + 1));
  });

  test("has its answer written once, at its end, however long it was; nothing of it before [P-37] [P-38]", async () => {
    const { sessionId } = await createSession(store.database, org);
    await countMessageWrites(store);
    const writesOf = (turnId: string) =>
      store.admin(`select role, write from message_writes where run_id = '${turnId}' order by at`);
    const chunk = "x".repeat(8_000);
    const mayEnd = new AbortController();
    const long = defineAgent({
      id: "assistant",
      async run(_, { writer }) {
        for (let size = 0; size < PIECE_BYTES * 2; size += chunk.length) {
          writer.text(chunk);
          await writer.ready();
        }
        await once(mayEnd.signal, "abort");
      },
    });
    const sent = await send(dispatcherOf(long).dispatcher, sessionId);
    const piecesOf = () => store.admin(`select first_seq from turn_frames where turn_id = '${sent.turnId}'`);
    await expect.poll(piecesOf, { timeout: 10_000 }).not.toEqual([]);
    const question = { role: "user", write: "INSERT" };
    expect(await writesOf(sent.turnId)).toEqual([question]);
    mayEnd.abort();
    expect(sent.kind === "started" && (await sent.ended)).toEqual({ kind: "completed" });
    expect(await writesOf(sent.turnId)).toEqual([question, { role: "assistant", write: "INSERT" }]);
  });

  test("tells its end only when it is stored, also when the database is away for a while [G4] [D-4]", async () => {
    const { sessionId } = await createSession(store.database, org);
    let away = 0;
    const database = {
      ...store.database,
      asTenant(orgId: string, work: never): Promise<unknown> {
        if (away === 0) return store.database.asTenant(orgId, work);
        away -= 1;
        return Promise.reject(new FramerailError("STORE_UNAVAILABLE", "gone"));
      },
    } as Database;
    const leaves = defineAgent({
      id: "assistant",
      async run(_, { writer }) {
        await sleep(20);
        writer.text("That was all.");
        away = 3;
      },
    });
    const { dispatcher } = dispatcherOf(leaves, database);
    const sent = await send(dispatcher, sessionId);
    const view = (await log.attach(sent.turnId)) ?? expect.fail();
    const sealedWhenStored: boolean[] = [];
    view.watch({ wake: () => void (view.sealed && sealedWhenStored.push(away === 0)) });
    expect(sent.kind === "started" && (await sent.ended)).toEqual({ kind: "completed" });
    expect(sealedWhenStored).toEqual([true]);
  });
});

/** Every write of a message, whoever makes it, leaves a row in `message_writes` from now on. */
async function countMessageWrites({ admin }: TestStore): Promise<void> {
  await admin("create table message_writes (at serial, run_id uuid, role text, write text)");
  await admin(`create function count_message_write() returns trigger language plpgsql security definer as $$
    begin
      insert into message_writes (run_id, role, write) values (new.run_id, new.role, tg_op);
      return new;
    end $$`);
  await admin(`create trigger count_message_write after insert or update on messages
    for each row execute function count_message_write()`);
}
