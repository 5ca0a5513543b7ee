import { randomUUID } from "node:crypto";
import type { AgentEvent } from "@framerail/protocol";
import { createMessageAccumulator, isIncomplete, systemClock } from "@framerail/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { envelope, saysWhole } from "../agent/testing/scripted.js";
import { defineRenderTool } from "../agent/tool/render-tool.js";
import { play } from "../dispatch/testing/turn-bench.js";
import { auditRowsOfTurn } from "../ledger/turn-audit.js";
import { usageRowOf } from "../ledger/usage-row.js";
import { packFrames } from "../store/frame-segment.js";
import { createJournal } from "../store/journal.js";
import { readTurnMessages } from "../store/messages.js";
import type { TestStore } from "../store/testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "../store/testing/open-store.js";
import { startTurn } from "../store/testing/turn-fixtures.js";
import { commitTurnEnd } from "../store/turn-end.js";
import { readFrames } from "../store/turn-frames.js";

const SHOWN = [{ id: "OFF_1", title: "Coffee" }];
const show = defineRenderTool({
  name: "render_offers",
  description: "Shows offers",
  dataType: "offer_list",
  shape: "collection",
  input: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } },
  inputJsonSchema: {},
  key: () => [{ id: "OFF_1" }],
  load: () =>
    envelope({
      status: "partial",
      version: "1.770077",
      partial: [{ source: "canary-source.internal", reason: "canary_reason" }],
      cache_meta: { node: "canary-cache.internal" },
      timing: { trace: "canary-trace" },
      request_id: "canary-request",
      payload: SHOWN,
    }),
});

describe.each(DRIVERS)("a turn that is stored on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  /** Plays a turn, with the taps and the commit that a running server gives it. */
  async function playAndStore(org: string) {
    const turn = await startTurn(store.database, org);
    const { turnId, conversationId, sessionId } = turn;
    const model = saysWhole({ call: 1, tool_calls: [{ name: "render_offers" }] }, { call: 2, text: "Here." });
    const agent = defineAgent({ id: "assistant", model, tools: [show] });
    const startedAt = systemClock.now();
    const { sink, events: seen, outcome } = await play(agent, { turnId, conversationId });
    const events = seen.map(({ event }) => event);
    const journal = createJournal({ database: store.database });
    for (const [index, event] of events.entries())
      journal.append({
        org_id: org,
        turn_id: turnId,
        epoch: 1,
        position: index + 1,
        after_seq: 1,
        emitter: "assistant",
        event,
      });
    await journal.close();
    const message = createMessageAccumulator({ runId: turnId, conversationId, startedAt });
    for (const event of events) message.add(event, startedAt);
    const endedAt = systemClock.now();
    const calls = events.filter((event): event is Extract<AgentEvent, { type: "metrics" }> => event.type === "metrics");
    await commitTurnEnd(store.database, org, {
      turnId,
      epoch: 1,
      outcome,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, reasoning_tokens: 0, cached_tokens: 0 },
      message: message.finalize({ messageId: `msg_${randomUUID()}`, endedAt, incomplete: isIncomplete(outcome) }),
      calls: calls.map((event, index) => usageRowOf(event, { turnId, call: index + 1, occurredAt: endedAt })),
      audit: auditRowsOfTurn({ sessionId, turnId, rootId: turnId, receivedAt: startedAt, newId: randomUUID }, events, {
        outcome,
        answer: message.text(),
        endedAt,
      }),
      segments: [await packFrames(sink.kept.slice(0, -1))],
      terminal: sink.kept.at(-1) ?? expect.fail(),
      firstFrameAt: startedAt,
      endedAt,
    });
    return { turnId, sink };
  }

  test("keeps the payload of an envelope in every place, and nothing else of it [W-ES-3] [W-FR-10] [C-35]", async () => {
    const org = await createTenant(store.database);
    const { turnId, sink } = await playAndStore(org);
    const { frames } = await readFrames(store.database, org, turnId, 0);
    expect(frames.map(({ sse }) => sse).join("")).toBe(sink.wire());
    const messages = await store.database.asTenant(org, (sql) => readTurnMessages(sql, turnId));
    const tables = ["turns", "turn_events", "messages", "agent_audit_log", "llm_usage_events"];
    const dumps = await Promise.all(
      tables.map((table) =>
        store.admin<{ row: string }>(`select t::text as row from ${table} t where org_id = '${org}'`),
      ),
    );
    const kept = [...dumps.flat().map(({ row }) => row), ...frames.map(({ sse }) => sse)].join("\n");
    expect(kept).toContain("OFF_1");
    expect(messages.at(-1)?.content_items).toMatchObject([
      { type: "tool_call" },
      { type: "component", items: SHOWN },
      { type: "tool_result" },
      { type: "message", content: "Here." },
    ]);
    expect(kept).not.toContain("canary");
    expect(kept).not.toContain("cache_meta");
    expect(kept).not.toContain("1.770077");
  });
});
