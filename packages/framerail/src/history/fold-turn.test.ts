import type { AgentEvent, Frame } from "@framerail/protocol";
import { createMessageAccumulator, formatTimestamp } from "@framerail/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { foldTurn, UNKNOWN_RESULT } from "./fold-turn.js";

const START = Date.UTC(2026, 4, 15, 18);
const TURN = { runId: "turn_1", conversationId: "conv_1", startedAt: START };

const frame = (seq: number, event_type: string, payload: object): Frame =>
  ({
    event_type,
    version: "0.5",
    timestamp: formatTimestamp(START + seq),
    response_id: "turn_1",
    seq,
    ...payload,
  }) as unknown as Frame;
const call = (id: string): AgentEvent => ({
  type: "tool_call",
  tool_call_id: id,
  tool_name: "search",
  arguments: { query: id },
  timestamp: START,
});
const result = (id: string): AgentEvent => ({
  type: "tool_result",
  tool_call_id: id,
  result: { found: id },
  is_error: false,
  duration_ms: 3,
});

test("frames and journal become one message in the order in which they were written [C-7]", () => {
  const folded = foldTurn({
    ...TURN,
    frames: [
      frame(1, "response_id", {}),
      frame(2, "reasoning", { chunk: "Hmm. " }),
      frame(3, "text", { chunk: "Let me " }),
      frame(4, "text", { chunk: "look. " }),
      frame(5, "tool_call", { tool_call: { id: "a", name: "search", type: "function" } }),
      frame(6, "status", { data: { event_id: "searching_offers", message: "Searching…" } }),
      frame(7, "tool_completed", { tool_call: { id: "a", name: "search", type: "function" } }),
      frame(8, "data_loaded", { data: { id: "d", type: "offers", key: { ids: [{ id: "1" }] }, items: [{ id: 1 }] } }),
      frame(9, "text", { chunk: "Here." }),
    ],
    journal: [
      { after_seq: 4, event: call("a") },
      { after_seq: 6, event: result("a") },
      {
        after_seq: 6,
        event: {
          type: "metrics",
          model: "m",
          tokens: { input_tokens: 1, output_tokens: 1, total_tokens: 2, reasoning_tokens: 0, cached_tokens: 0 },
        },
      },
    ],
  });
  expect(folded.text()).toBe("Let me look. Here.");
  expect(folded.items()).toMatchObject([
    { type: "reasoning", content: "Hmm. " },
    { type: "message", content: "Let me look. " },
    { type: "tool_call", tool_call_id: "a", arguments: { query: "a" } },
    { type: "tool_result", tool_call_id: "a", result: { found: "a" }, is_error: false },
    { type: "component", data_id: "d", items: [{ id: 1 }] },
    { type: "message", content: "Here." },
  ]);
});

test("a tool whose result nobody knows is told as unknown, once [G12]", () => {
  const journal = [call("a"), call("b"), result("a")].map((event) => ({ after_seq: 1, event }));
  const items = foldTurn({ ...TURN, frames: [frame(1, "response_id", {})], journal }).items();
  expect(items.filter(({ type }) => type === "tool_result")).toMatchObject([
    { tool_call_id: "a", is_error: false },
    { tool_call_id: "b", is_error: true, result: UNKNOWN_RESULT },
  ]);
});

test("what is folded from frames equals what was gathered while the turn ran, for any order of events [C-36] [C-7]", () => {
  const texts = fc.record({
    type: fc.constantFrom("text" as const, "reasoning" as const),
    content: fc.string({ minLength: 1 }),
  });
  const tools = fc.constant({ type: "tool" as const });
  fc.assert(
    fc.property(fc.array(fc.oneof(texts, tools), { maxLength: 30 }), (steps) => {
      const live = createMessageAccumulator(TURN);
      const frames = [frame(1, "response_id", {})];
      const journal: { after_seq: number; event: AgentEvent }[] = [];
      for (const [index, step] of steps.entries()) {
        const seq = frames.length;
        if (step.type === "tool") {
          for (const event of [call(`t${index}`), result(`t${index}`)]) {
            journal.push({ after_seq: seq, event });
            live.add(event, START + seq);
          }
        } else {
          frames.push(frame(seq + 1, step.type, { chunk: step.content }));
          live.add(step, START + seq + 1);
        }
      }
      const strip = (items: readonly object[]) => items.map((item) => ({ ...item, timestamp: 0 }));
      expect(strip(foldTurn({ ...TURN, frames, journal }).items())).toEqual(strip(live.items()));
    }),
  );
});
