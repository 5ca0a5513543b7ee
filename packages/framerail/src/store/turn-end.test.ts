import { randomUUID } from "node:crypto";
import { createMessageAccumulator } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AuditRow } from "./audit.js";
import { claimOrphans } from "./leases.js";
import { readTurnMessages } from "./messages.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";
import { AT, endOf, framesOf, startTurn } from "./testing/turn-fixtures.js";
import { commitTurnEnd } from "./turn-end.js";
import { readFrames } from "./turn-frames.js";
import { readTurn } from "./turns.js";

describe.each(DRIVERS)("the end of a turn on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const rowsOf = async (turnId: string) => {
    const [counts] = await store.admin(`select
      (select count(*)::int from messages where run_id = '${turnId}' and role = 'assistant') as messages,
      (select count(*)::int from llm_usage_events where turn_id = '${turnId}') as calls,
      (select count(*)::int from agent_audit_log where turn_id = '${turnId}' and parent_id is not null) as audit,
      (select count(*)::int from turn_frames where turn_id = '${turnId}') as frames`);
    return counts;
  };

  const call = (turnId: string) => ({
    turnId,
    call: 1,
    model: "gpt-5.2",
    inputTokens: 5,
    outputTokens: 3,
    reasoningTokens: 1,
    cachedTokens: 2,
    costUsd: "0.000123456",
    ttftMs: 12,
    totalMs: 80,
    estimated: false,
    occurredAt: AT + 90,
  });
  const completion = ({ turnId, sessionId }: { readonly turnId: string; readonly sessionId: string }): AuditRow => ({
    id: randomUUID(),
    sessionId,
    turnId,
    actionType: "message_completed",
    parentId: turnId,
    detail: { final_response: "the answer" },
    durationMs: 700,
    occurredAt: AT + 700,
  });
  const everything = (turn: { readonly turnId: string; readonly sessionId: string }) => ({
    calls: [call(turn.turnId)],
    audit: [completion(turn)],
  });

  test("message, usage, audit, outcome, frames and terminal are there together [C-8] [G4]", async () => {
    const turn = await startTurn(store.database, org);
    const end = await endOf(turn, everything(turn));
    await commitTurnEnd(store.database, org, end);
    expect(await rowsOf(turn.turnId)).toEqual({ messages: 1, calls: 1, audit: 1, frames: 1 });
    expect(await readTurn(store.database, org, turn.turnId)).toMatchObject({
      status: "ended",
      outcome: { kind: "completed" },
      usage: end.usage,
      last_seq: 4,
      first_frame_at: AT + 5,
      ended_at: AT + 700,
    });
    const { frames, more } = await readFrames(store.database, org, turn.turnId, 0);
    expect(frames).toEqual([...framesOf(turn.turnId, 1, 3), end.terminal]);
    expect(more).toBe(false);
    const [spent] = await store.admin(`select * from llm_usage_events where turn_id = '${turn.turnId}'`);
    expect(spent).toMatchObject({
      org_id: org,
      session_id: turn.sessionId,
      agent_id: "assistant",
      model: "gpt-5.2",
      input_tokens: 5,
      cost_usd: "0.000123456",
      total_ms: 80,
      occurred_at: AT + 90,
    });
  });

  test("what a tool showed is kept with its turn and its call [W-ENV-6] [C-35]", async () => {
    const turn = await startTurn(store.database, org);
    const history = createMessageAccumulator({
      runId: turn.turnId,
      conversationId: turn.conversationId,
      startedAt: AT,
    });
    const items = [{ id: "OFF_1", title: "Coffee" }];
    const key = { ids: [{ id: "OFF_1" }] };
    history.add({ type: "data_loaded", id: "d1", data_type: "offer_list", key, items, tool_call_id: "c1" }, AT + 5);
    const message = history.finalize({ messageId: `msg_${randomUUID()}`, endedAt: AT + 9, incomplete: false });
    await commitTurnEnd(store.database, org, await endOf(turn, { message }));
    const kept = await store.database.asTenant(org, (sql) => readTurnMessages(sql, turn.turnId));
    expect(kept.at(-1)).toMatchObject({
      run_id: turn.turnId,
      content_items: [{ type: "component", data_id: "d1", tool_call_id: "c1", items }],
    });
  });

  test("asked twice, the second changes nothing and says it is done [D-4]", async () => {
    const turn = await startTurn(store.database, org);
    const end = await endOf(turn, everything(turn));
    await commitTurnEnd(store.database, org, end);
    await commitTurnEnd(store.database, org, end);
    expect(await rowsOf(turn.turnId)).toEqual({ messages: 1, calls: 1, audit: 1, frames: 1 });
  });

  test("an earlier epoch writes nothing at all [D-3]", async () => {
    const turn = await startTurn(store.database, org);
    const [orphan] = (await claimOrphans(store.database, { owner: randomUUID(), max: 100 })).filter(
      ({ turn_id }) => turn_id === turn.turnId,
    );
    expect(orphan).toMatchObject({ org_id: org, status: "running", epoch: 2 });
    const end = await endOf(turn, everything(turn));
    await expect(commitTurnEnd(store.database, org, end)).rejects.toMatchObject({ code: "STALE_EPOCH" });
    expect(await rowsOf(turn.turnId)).toEqual({ messages: 0, calls: 0, audit: 0, frames: 0 });
    await commitTurnEnd(store.database, org, { ...end, epoch: 2 });
    expect(await rowsOf(turn.turnId)).toEqual({ messages: 1, calls: 1, audit: 1, frames: 1 });
  });

  test("an end that the database refuses in one row leaves none of the others", async () => {
    const turn = await startTurn(store.database, org);
    const end = await endOf(turn, {
      calls: [call(turn.turnId)],
      audit: [{ ...completion(turn), parentId: randomUUID() }],
    });
    await expect(commitTurnEnd(store.database, org, end)).rejects.toMatchObject({ code: "PROVENANCE_INVALID" });
    expect(await rowsOf(turn.turnId)).toEqual({ messages: 0, calls: 0, audit: 0, frames: 0 });
    expect(await readTurn(store.database, org, turn.turnId)).toMatchObject({ status: "running", outcome: null });
  });
});
