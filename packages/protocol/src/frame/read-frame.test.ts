import { expect, test } from "vitest";
import { systemClock } from "../clock.js";
import { parseJson } from "../codec/parse-json.js";
import { JSON_DEPTH_MAX } from "../limits.js";
import type { Json } from "../schema/schema.js";
import { createFrameEncoder } from "./encode-frame.js";
import { readFrame, readFrame04 } from "./read-frame.js";

const envelope = { version: "0.5", timestamp: "2026-05-15T18:00:00.000Z", response_id: "resp_abc" };

test("an unknown type is an answer, not an error, and unknown fields are ignored [W-FR-12] [W-AC-7]", () => {
  expect(readFrame({ event_type: "hologram", ...envelope })).toEqual({ kind: "unknown", event_type: "hologram" });
  expect(readFrame({ event_type: "constructor" })).toEqual({ kind: "unknown", event_type: "constructor" });
  expect(readFrame({ event_type: "text", ...envelope, chunk: "x", later: { a: 1 } })).toMatchObject({ kind: "frame" });
});

test("a frame of 0.5 may lack seq, because it is an addition [C-28]", () => {
  expect(readFrame({ event_type: "completed", ...envelope })).toMatchObject({ kind: "frame" });
});

test("a known type with a wrong envelope or payload is refused by field and rule [W-FR-2]", () => {
  const cases: [unknown, string][] = [
    [null, "event_type"],
    [[], "event_type"],
    ["text", "event_type"],
    [{ ...envelope }, "event_type"],
    [{ event_type: "text", ...envelope }, "chunk"],
    [{ event_type: "text", ...envelope, chunk: "x", timestamp: "2026-05-15 18:00" }, "timestamp"],
    [{ event_type: "text", ...envelope, chunk: "x", timestamp: 5 }, "timestamp"],
    [{ event_type: "text", ...envelope, chunk: "x", response_id: "" }, "response_id"],
    [{ event_type: "text", ...envelope, chunk: "x", version: "0.6" }, "version"],
    [{ event_type: "text", ...envelope, chunk: "x", seq: 0 }, "seq"],
  ];
  for (const [value, path] of cases) {
    expect(() => readFrame(value)).toThrow(
      expect.objectContaining({ code: "INVALID_FRAME", issue: expect.objectContaining({ path }) }),
    );
  }
});

test("a frame whose data nests as deep as it may is read back from its own text [W-EV-7]", () => {
  const encoder = createFrameEncoder({ responseId: "resp_abc", clock: systemClock });
  let deepest: Json = [];
  for (let depth = 1; depth < JSON_DEPTH_MAX; depth += 1) deepest = [deepest];
  const data = { id: "list-1", type: "offer_list", key: { ids: [{ id: deepest }] } };
  const frames = [
    encoder.encode("data_loading", 1, { data }),
    encoder.encode("data_loaded", 2, { data: { ...data, items: [deepest] } }),
    encoder.encode("component", 3, {
      chunk: deepest,
      tool_call: { id: "call_1", name: "render_list", type: "function" },
    }),
  ];
  for (const text of frames) expect(readFrame(parseJson(text))).toMatchObject({ kind: "frame" });
});

test("a 0.4 frame is read by the rules of 0.4 [W-IN-4] [I-3]", () => {
  const old = { ...envelope, version: "0.4" };
  expect(readFrame04({ event_type: "text", ...old, type: "chunk", chunk: "x" })).toMatchObject({ kind: "frame" });
  expect(() => readFrame04({ event_type: "text", ...old, chunk: "x" })).toThrow(/type is required/);
  for (const code of ["INTERNAL_ERROR", "RATE_LIMIT_ERROR", "IDLE_TIMEOUT", "REQUEST_CANCELLED"]) {
    expect(readFrame04({ event_type: "error", ...old, error: { code } })).toMatchObject({ kind: "frame" });
  }
  expect(() => readFrame04({ event_type: "error", ...old, error: { code: "SUB_AGENT_FAILED" } })).toThrow(/error.code/);
  expect(readFrame04({ event_type: "status", ...old })).toEqual({ kind: "unknown", event_type: "status" });
});
