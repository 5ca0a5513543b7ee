import { randomUUID } from "node:crypto";
import type { AgentEvent, Draft } from "@framerail/protocol";
import { createFrameEncoder, createSseFraming, systemClock } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { UNKNOWN_RESULT } from "../history/fold-turn.js";
import { putBudget, reserve } from "../ledger/budgets.js";
import type { StoredFrame } from "../store/frame-segment.js";
import { packFrames } from "../store/frame-segment.js";
import { createJournal } from "../store/journal.js";
import type { Orphan } from "../store/leases.js";
import { claimOrphans } from "../store/leases.js";
import { readTurnMessages } from "../store/messages.js";
import { storeSegment } from "../store/store-pieces.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { claimOf, createSession, startTurn } from "../store/testing/turn-fixtures.js";
import { readFrames } from "../store/turn-frames.js";
import { claimTurn, readTurn } from "../store/turns.js";
import { sealOrphan } from "./seal-orphan.js";

const USED = { input_tokens: 5, output_tokens: 3, total_tokens: 8, reasoning_tokens: 0, cached_tokens: 0 };
const SEARCH = { id: "a", name: "search", type: "function" };

describe.each(DRIVERS)("an orphan on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  function encode(turnId: string, drafts: readonly Draft[], clock = systemClock): StoredFrame[] {
    const encoder = createFrameEncoder({ responseId: turnId, clock });
    const frame = createSseFraming({ idPrefix: `${turnId}.1.` });
    return drafts.map(({ type, payload }, index) => ({
      seq: index + 1,
      sse: frame(type, index + 1, encoder.encode(type, index + 1, payload)),
    }));
  }

  async function journal(
    turnId: string,
    rows: readonly (readonly [after: number, event: AgentEvent])[],
  ): Promise<void> {
    const journal = createJournal({ database: store.database });
    for (const [index, [after_seq, event]] of rows.entries())
      journal.append({
        org_id: org,
        turn_id: turnId,
        epoch: 1,
        position: index + 1,
        after_seq,
        emitter: "assistant",
        event,
      });
    await journal.close();
  }

  async function claim(turnId: string): Promise<Orphan> {
    const orphans = await claimOrphans(store.database, { owner: randomUUID(), max: 1_000 });
    return orphans.find(({ turn_id }) => turn_id === turnId) ?? expect.fail("it was not an orphan");
  }

  const seal = (orphan: Orphan, log: readonly StoredFrame[]) =>
    sealOrphan(orphan, {
      database: store.database,
      clock: systemClock,
      newId: randomUUID,
      readLog: () => Promise.resolve(log),
    });

  const drafts: readonly Draft[] = [
    { type: "response_id", payload: {} },
    { type: "text", payload: { chunk: "Let me look. " } },
    { type: "tool_call", payload: { tool_call: SEARCH } },
    { type: "text", payload: { chunk: "I found " } },
  ];
  const rows: readonly (readonly [number, AgentEvent])[] = [
    [2, { type: "metrics", model: "gpt-5.2", tokens: USED, total_ms: 9 }],
    [2, { type: "tool_call", tool_call_id: "a", tool_name: "search", arguments: { query: "q" }, timestamp: 1 }],
  ];

  test("it ends as failed, its tools as unknown, and its message holds what readers saw [D-3] [G1] [G12] [C-7]", async () => {
    const turn = await startTurn(store.database, org);
    const frames = encode(turn.turnId, drafts);
    await storeSegment(
      store.database,
      { orgId: org, turnId: turn.turnId, epoch: 1 },
      await packFrames(frames.slice(0, 2)),
    );
    await journal(turn.turnId, rows);
    const last = await seal(await claim(turn.turnId), frames);
    expect(last.map(({ seq }) => seq)).toEqual([5, 6]);
    expect(last[0]?.sse).toContain('"tool_call":{"id":"a","name":"search","type":"function","status":"unknown"}');
    expect(last[1]?.sse).toMatch(
      new RegExp(`^id: ${turn.turnId}\\.2\\.6\\n.*\\n.*"INTERNAL_ERROR"\\},"is_final":true`),
    );
    const { frames: stored } = await readFrames(store.database, org, turn.turnId, 0);
    expect(stored).toEqual([...frames, ...last]);
    const row = await readTurn(store.database, org, turn.turnId);
    expect(row).toMatchObject({ status: "ended", epoch: 2, last_seq: 6, usage: USED, outcome: { kind: "failed" } });
    const [, answer] = await store.database.asTenant(org, (sql) => readTurnMessages(sql, turn.turnId));
    expect(answer).toMatchObject({
      role: "assistant",
      incomplete: true,
      content_items: [
        { type: "message", content: "Let me look. " },
        { type: "tool_call", tool_call_id: "a", arguments: { query: "q" } },
        { type: "message", content: "I found " },
        { type: "tool_result", tool_call_id: "a", is_error: true, result: UNKNOWN_RESULT },
      ],
    });
  });

  test("calls, audit and open reservations of it are accounted for [G9] [D-16] [R-15.6-3]", async () => {
    const turn = await startTurn(store.database, org);
    await putBudget(store.database, org, { agentId: null, tokenLimit: 1_000, period: "total" });
    const held = { agentId: "assistant", turnId: turn.turnId, sessionId: turn.sessionId, estimateTokens: 400 };
    expect(await reserve(store.database, org, held)).toMatchObject({ kind: "granted", granted: 400 });
    await journal(turn.turnId, rows);
    await seal(await claim(turn.turnId), encode(turn.turnId, drafts));
    const [used] = await store.admin(
      `select input_tokens, output_tokens, total_ms from llm_usage_events where turn_id = '${turn.turnId}'`,
    );
    expect(used).toEqual({ input_tokens: 5, output_tokens: 3, total_ms: 9 });
    const audit = await store.admin<{ action_type: string; chain: number }>(
      `select action_type, jsonb_array_length(provenance_chain) as chain from agent_audit_log
        where turn_id = '${turn.turnId}' order by chain, action_type`,
    );
    expect(audit).toEqual([
      { action_type: "message_received", chain: 1 },
      { action_type: "message_completed", chain: 2 },
      { action_type: "tool_call", chain: 2 },
    ]);
    const [books] = await store.admin(
      `select settled_tokens, reserved_tokens from budget_periods where org_id = '${org}'`,
    );
    expect(books).toEqual({ settled_tokens: 400, reserved_tokens: 0 });
  });

  test("a turn without a single frame gets its first and its last, and a claim that was never accepted gets none [G1]", async () => {
    const silent = await startTurn(store.database, org);
    const { sessionId } = await createSession(store.database, org);
    const asked = claimOf(sessionId);
    await claimTurn(store.database, org, asked);
    const orphans = await claimOrphans(store.database, { owner: randomUUID(), max: 1_000 });
    const of = (id: string) => orphans.find(({ turn_id }) => turn_id === id) ?? expect.fail("not an orphan");
    const last = await seal(of(silent.turnId), []);
    expect(last.map(({ sse }) => /event: (\w+)/.exec(sse)?.[1])).toEqual(["response_id", "error"]);
    expect(await seal(of(asked.turnId), [])).toEqual([]);
    expect((await readTurn(store.database, org, asked.turnId))?.status).toBe("refused");
  });

  test("its last frames are no older than those before, although the clock of the sealer is behind [W-EV-20]", async () => {
    const turn = await startTurn(store.database, org);
    const ahead = { ...systemClock, now: () => Date.UTC(2999, 0, 1) };
    const last = await seal(await claim(turn.turnId), encode(turn.turnId, drafts, ahead));
    for (const { sse } of last) expect(sse).toContain('"timestamp":"2999-01-01T00:00:00.000Z"');
  });

  test("nothing behind a gap of the log is said to have been seen [G3]", async () => {
    const turn = await startTurn(store.database, org);
    const frames = encode(turn.turnId, drafts);
    const last = await seal(await claim(turn.turnId), [frames[0], frames[1], frames[3]] as StoredFrame[]);
    expect(last.map(({ seq }) => seq)).toEqual([3]);
    expect((await readFrames(store.database, org, turn.turnId, 0)).frames).toEqual([...frames.slice(0, 2), ...last]);
  });

  test("two sealers make one end: the one whose turn was taken again is refused [D-3]", async () => {
    const turn = await startTurn(store.database, org);
    const first = await claim(turn.turnId);
    const second = await claim(turn.turnId);
    const frames = encode(turn.turnId, drafts);
    await expect(seal(first, frames)).rejects.toMatchObject({ code: "STALE_EPOCH" });
    await seal(second, frames);
    await expect(seal(first, frames)).rejects.toMatchObject({ code: "STALE_EPOCH" });
    expect(
      await store.admin(`select id from messages where run_id = '${turn.turnId}' and role = 'assistant'`),
    ).toHaveLength(1);
  });
});
