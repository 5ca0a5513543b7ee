import type { Frame, FrameType, PayloadOf } from "@framerail/protocol";
import { expect, test } from "vitest";
import { formatMs, timelineOf } from "./timeline.js";

const START = Date.parse("2026-01-01T00:00:00.000Z");

/** Frames at their times: type, milliseconds, payload. */
function framesOf(...rows: readonly { [T in FrameType]: readonly [T, number, PayloadOf<T>] }[FrameType][]): Frame[] {
  return rows.map(
    ([event_type, ms, payload], index) =>
      ({
        event_type,
        version: "0.5",
        timestamp: new Date(START + ms).toISOString(),
        response_id: "t",
        seq: index + 1,
        ...payload,
      }) as Frame,
  );
}

const tool = (id: string, name: string) => ({ tool_call: { id, name, type: "function" } });
const whole = (frames: readonly Frame[]) => timelineOf(frames, frames.length, new Set(["offers"]));

test("tools, sub-agents, data and text are spans by the times of their frames, also side by side [W-MAP-5]", () => {
  const data = { id: "d", type: "offer_list", key: { ids: [] } };
  const { spans, marks, durationMs, firstTextMs } = whole(
    framesOf(
      ["response_id", 0, {}],
      ["reasoning", 10, { chunk: "a" }],
      ["reasoning", 20, { chunk: "b" }],
      ["tool_call", 30, tool("1", "offers")],
      ["tool_call", 31, tool("2", "search")],
      ["status", 40, { data: { event_id: "searching_offers", message: "Searching…" } }],
      ["tool_completed", 90, tool("2", "search")],
      ["tool_completed", 130, tool("1", "offers")],
      ["data_loading", 140, { data }],
      ["data_loaded", 190, { data: { ...data, items: [] } }],
      ["text", 200, { chunk: "a" }],
      ["text", 260, { chunk: "b" }],
      ["completed", 300, {}],
    ),
  );
  expect(spans.map(({ kind, name, fromMs, toMs, end, frames }) => [kind, name, fromMs, toMs, end, frames])).toEqual([
    ["reasoning", "reasoning", 10, 20, undefined, 2],
    ["sub_agent", "offers", 30, 130, "finished", 1],
    ["tool", "search", 31, 90, "finished", 1],
    ["data", "offer_list", 140, 190, "finished", 1],
    ["answer", "answer", 200, 260, undefined, 2],
  ]);
  expect(marks.map(({ kind, label, atMs, seq }) => [kind, label, atMs, seq])).toEqual([
    ["status", "searching_offers", 40, 6],
    ["terminal", "completed", 300, 13],
  ]);
  expect([durationMs, firstTextMs]).toEqual([300, 200]);
});

test("a tool that a cancel or a crash ended is told from one that finished, and one that runs is open [G6, G12]", () => {
  const unknown = { tool_call: { ...tool("2", "b").tool_call, status: "unknown" as const } };
  const { spans } = whole(
    framesOf(
      ["response_id", 0, {}],
      ["tool_call", 1, tool("1", "a")],
      ["tool_call", 2, tool("2", "b")],
      ["tool_completed", 9, unknown],
      ["error", 10, { error: { code: "INTERNAL_ERROR" }, is_final: true }],
    ),
  );
  expect(spans.map(({ toMs, end }) => [toMs, end])).toEqual([
    [undefined, undefined],
    [9, "unknown"],
  ]);
});

test("only the frames of its view are looked at, and none is no time at all", () => {
  const frames = framesOf(["response_id", 0, {}], ["text", 5, { chunk: "a" }], ["completed", 9, {}]);
  expect(timelineOf(frames, 2, new Set()).durationMs).toBe(5);
  expect(timelineOf([], 0, new Set())).toEqual({ spans: [], marks: [], durationMs: 0, firstTextMs: undefined });
});

test("times are written for people", () => {
  expect([0, 999, 1_000, 3_412, 59_994, 125_000].map(formatMs)).toEqual([
    "0 ms",
    "999 ms",
    "1.00 s",
    "3.41 s",
    "59.99 s",
    "2 min 5 s",
  ]);
});
