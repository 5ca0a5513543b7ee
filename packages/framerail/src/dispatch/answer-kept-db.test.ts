import { FramerailError, systemClock } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import type { Writer } from "../agent/writer.js";
import { readHistory } from "../history/read-history.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import type { Cohort } from "../policy/cohort.js";
import { createPolicy } from "../policy/create-policy.js";
import { EMPTY_REGISTRY } from "../registry/registry.js";
import type { Database } from "../store/database.js";
import { createJournal } from "../store/journal.js";
import type { Statement } from "../store/sql.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { createSession } from "../store/testing/turn-fixtures.js";
import { createAgentDirectory } from "../worker/agent-directory.js";
import { buildAgents } from "../worker/build-agents.js";
import { PIECE_BYTES } from "./limits.js";
import { openDispatcher } from "./testing/open-dispatcher.js";

/** Quotes, line ends and characters of every length: what stands in a frame is not what was written. */
const LINE = 'She said "no \\ yes",\n日本 😀 é\u2028.';
const QUIET: Cohort = { name: "quiet", flag: "ai_assistant_quiet", policies: { text: "suppress" } };

describe.each(DRIVERS)("the answer of a turn, in history on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const countPieces = () =>
    store.database.asSystem(async (sql) => {
      const rows = await sql.query("select 1 from turn_frames where org_id = $1", [org]);
      return rows.length;
    });

  /** What history has of a turn in which the agent writes. */
  async function play(
    write: (writer: Writer) => Promise<void>,
    cohort?: Cohort,
    database = store.database,
  ): Promise<string[]> {
    const { sessionId, conversationId } = await createSession(store.database, org);
    const agent = defineAgent({ id: "assistant", run: (_, { writer }) => write(writer) });
    const policy = createPolicy({ registry: EMPTY_REGISTRY, locale: "en", clock: systemClock, cohort });
    const dispatcher = openDispatcher(agent, {
      database,
      log: createMemoryLog(),
      journal: createJournal({ database: store.database }),
      agents: createAgentDirectory({
        agents: buildAgents([agent], EMPTY_REGISTRY),
        chooseLocale: () => "en",
        policyOf: () => policy,
      }),
    });
    const onDisconnect = { action: "continue", grace_ms: 0 } as const;
    const sent = await dispatcher.send({
      orgId: org,
      sessionId,
      userId: undefined,
      message: "hello",
      locale: null,
      onDisconnect,
    });
    if (sent.kind !== "started") expect.fail("it was attached");
    expect(await sent.ended).toEqual({ kind: "completed" });
    const { messages } = await store.database.asTenant(org, (sql) =>
      readHistory(sql, { conversationId, userId: undefined, reasoning: true }),
    );
    const items = messages.at(-1)?.content_items ?? [];
    return items.map((item) => ("content" in item ? `${item.type}: ${String(item.content)}` : item.type));
  }

  test("is whole after a turn so long that it was stored in pieces, with tools between [C-36] [P-33] [G4]", async () => {
    const long = Array.from({ length: (2.5 * PIECE_BYTES) / 250 }, (_, line) => `${line} ${LINE}`);
    const call = { tool_call_id: "c1", tool_name: "search" };
    const kept = await play(async (writer) => {
      for (const line of long) {
        writer.text(line);
        await writer.ready();
        if (line === long[100]) writer.reasoning("why");
      }
      // Then memory has let go of the first of them.
      await expect.poll(countPieces, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
      writer.toolCall({ ...call, arguments: {}, timestamp: systemClock.now() });
      writer.toolResult({ tool_call_id: "c1", result: 1, is_error: false, duration_ms: 1 });
      writer.toolCallEnd(call);
      writer.text("The end");
    });
    const [before, after] = [long.slice(0, 101).join(""), long.slice(101).join("")];
    expect(kept.map((item) => item.length)).toEqual(
      [`message: ${before}`, "reasoning: why", `message: ${after}`, "tool_call", "tool_result", "message: The end"].map(
        (item) => item.length,
      ),
    );
    expect(kept[0] === `message: ${before}` && kept[2] === `message: ${after}`).toBe(true);
  });

  test("is whole though the store was away when its frames were to be read [D-4] [G4]", async () => {
    let failures = 0;
    const database = {
      ...store.database,
      asTenant(orgId: string, work: Statement) {
        const reads = typeof work !== "function" && work.text.includes("from turn_frames");
        if (!reads || failures === 2) return store.database.asTenant(orgId, work);
        failures += 1;
        return Promise.reject(new FramerailError("STORE_UNAVAILABLE", "gone"));
      },
    } as Database;
    const long = Array.from({ length: (1.5 * PIECE_BYTES) / 250 }, (_, line) => `${line} ${LINE}`);
    const before = await countPieces();
    const write = async (writer: Writer) => {
      for (const line of long) {
        writer.text(line);
        await writer.ready();
      }
      await expect.poll(countPieces, { timeout: 20_000 }).toBeGreaterThan(before);
    };
    const kept = await play(write, undefined, database);
    expect(failures).toBe(2);
    expect(kept.length === 1 && kept[0] === `message: ${long.join("")}`).toBe(true);
  });

  test("is kept where policy shows none of it [C-42]", async () => {
    const write = async (writer: Writer) => {
      writer.text(LINE);
      writer.reasoning("why");
      writer.text(`${LINE}!`);
    };
    const kept = [`message: ${LINE}`, "reasoning: why", `message: ${LINE}!`];
    expect(await play(write, QUIET)).toEqual(kept);
    expect(await play(write)).toEqual(kept);
  });
});
