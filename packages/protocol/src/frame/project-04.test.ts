import { expect, test } from "vitest";
import { projectFrame04 } from "./project-04.js";
import { readFrame04 } from "./read-frame.js";
import type { Frame, FrameOf } from "./vocabulary.js";

const envelope = { version: "0.5", timestamp: "2026-05-15T18:00:00.000Z", response_id: "resp_abc", seq: 4 } as const;
const tool = { id: "call_1", name: "search_offers", type: "mcp" };

test("a 0.4 reader gets no status, and cancelled as error with the same code [W-RB-3]", () => {
  expect(projectFrame04({ event_type: "status", ...envelope, data: { event_id: "a", message: "x" } })).toBeUndefined();
  for (const code of ["IDLE_TIMEOUT", "REQUEST_CANCELLED"] as const) {
    expect(projectFrame04({ event_type: "cancelled", ...envelope, error: { code } })).toEqual({
      ...envelope,
      version: "0.4",
      event_type: "error",
      error: { code },
      is_final: true,
    });
  }
});

test("a 0.4 reader gets text with its old discriminator [I-3] [W-EV-1]", () => {
  expect(projectFrame04({ event_type: "text", ...envelope, chunk: "x" })).toEqual({
    ...envelope,
    version: "0.4",
    event_type: "text",
    type: "chunk",
    chunk: "x",
  });
});

test("a 0.4 reader gets only codes it knows, and no field of 0.5 [W-IN-4] [W-MAP-6]", () => {
  const failure: FrameOf<"error"> = {
    event_type: "error",
    ...envelope,
    error: { code: "PARTIAL_FAN_OUT", failed: [{ code: "SUB_AGENT_FAILED", sub_agent_id: "shop" }] },
    is_final: false,
  };
  expect(projectFrame04(failure)).toEqual({ ...failure, version: "0.4", error: { code: "INTERNAL_ERROR" } });
  const limited: Frame = { event_type: "error", ...envelope, error: { code: "RATE_LIMIT_ERROR" }, is_final: true };
  expect(projectFrame04(limited)).toMatchObject({ error: { code: "RATE_LIMIT_ERROR" }, is_final: true });
  expect(projectFrame04({ event_type: "completed", ...envelope, has_more: true })).not.toHaveProperty("has_more");
  const closed: Frame = { event_type: "tool_completed", ...envelope, tool_call: { ...tool, status: "cancelled" } };
  expect(projectFrame04(closed)).toEqual({ ...closed, version: "0.4", tool_call: tool });
});

test("every projected frame is a good frame of 0.4 and keeps its seq [D-8]", () => {
  const frames: Frame[] = [
    { event_type: "response_id", ...envelope },
    { event_type: "episode", ...envelope, episode_id: "e" },
    { event_type: "thinking", ...envelope },
    { event_type: "tool_call", ...envelope, tool_call: tool },
    { event_type: "tool_completed", ...envelope, tool_call: { ...tool, status: "unknown" } },
    { event_type: "text", ...envelope, chunk: "x" },
    { event_type: "reasoning", ...envelope, chunk: "x" },
    { event_type: "component", ...envelope, chunk: {}, tool_call: tool },
    {
      event_type: "error",
      ...envelope,
      error: { code: "CCS_ENVELOPE_ERROR", enricher_id: "o", reason: "unauthorized" },
      is_final: false,
    },
    { event_type: "cancelled", ...envelope, error: { code: "IDLE_TIMEOUT" } },
    { event_type: "completed", ...envelope, has_more: true },
  ];
  for (const frame of frames) {
    const projected = projectFrame04(frame);
    expect(readFrame04(projected)).toMatchObject({
      kind: "frame",
      frame: { version: "0.4", seq: 4, response_id: "resp_abc" },
    });
  }
});
