import { describe, expect, expectTypeOf, test } from "vitest";
import { compileCheck } from "../schema/check.js";
import { FRAME_GROUPS } from "./define-frame.js";
import { ENVELOPE_FAILURE_REASONS } from "./failure.js";
import { FRAME_SETS } from "./frame-set.js";
import { addUsage, NO_USAGE } from "./usage.js";
import type { Frame, FrameOf, FrameType, PayloadOf } from "./vocabulary.js";
import { FRAME_TYPES, FRAMES, isFrameType } from "./vocabulary.js";

/** What the writer of a frame may hand in: unknown fields are refused here, so that exact key sets are proved. */
const broken = (type: FrameType, payload: unknown) =>
  compileCheck(FRAMES[type].payload, { unknown: "refuse" })(payload);
const tool = { id: "call_1", name: "search_offers", type: "mcp" };
const key = { ids: [{ id: "OFF_1" }, { id: "OFF_2" }] };

describe("the payload of", () => {
  const accepted: [string, FrameType, unknown[]][] = [
    ["text is a chunk [W-EV-1]", "text", [{ chunk: "Here are" }, { chunk: "" }]],
    ["reasoning is a chunk [W-EV-2]", "reasoning", [{ chunk: "because" }]],
    [
      "thinking may be absent or content with its role [W-EV-3] [I-2]",
      "thinking",
      [{}, { content: "hm", role: "reasoning" }, { role: "reasoning" }],
    ],
    ["tool_call is id, name and type [W-EV-4]", "tool_call", [{ tool_call: tool }]],
    [
      "tool_completed is the same, with a status when it is no real completion [W-EV-5] [I-23]",
      "tool_completed",
      [
        { tool_call: tool },
        { tool_call: { ...tool, status: "cancelled" } },
        { tool_call: { ...tool, status: "unknown" } },
      ],
    ],
    [
      "data_loading is id, type and key [W-EV-6]",
      "data_loading",
      [{ data: { id: "offer-list-1", type: "offer_list", key } }],
    ],
    [
      "data_loaded adds the items [W-EV-7]",
      "data_loaded",
      [{ data: { id: "o", type: "offer_list", key, items: [{ id: "OFF_1" }, 1, null] } }],
    ],
    ["component is its JSON and its tool [W-EV-8]", "component", [{ chunk: { card: [1, "x"] }, tool_call: tool }]],
    ["response_id is nothing: the envelope has it [W-EV-9]", "response_id", [{}]],
    ["episode is its id [W-EV-10]", "episode", [{ episode_id: "ep_1" }]],
    [
      "usage is the five counters [W-EV-11] [C-14]",
      "usage",
      [{ input_tokens: 5, output_tokens: 7, total_tokens: 12, reasoning_tokens: 3, cached_tokens: 1 }],
    ],
    [
      "status is event_id and message under data [W-EV-12] [I-1]",
      "status",
      [
        { data: { event_id: "searching_offers", message: "Searching…" } },
        { data: { event_id: "shop.searching", message: "" } },
      ],
    ],
    [
      "error is a failure and whether it is final [W-EV-13] [W-FR-17]",
      "error",
      [
        { error: { code: "INTERNAL_ERROR" }, is_final: true },
        { error: { code: "CCS_ENVELOPE_ERROR", enricher_id: "offers", reason: "unauthorized" }, is_final: false },
      ],
    ],
    ["completed is nothing, or has_more for a pause [W-EV-14] [C-30]", "completed", [{}, { has_more: true }]],
    [
      "cancelled is one of two codes [W-EV-15] [W-ERR-6]",
      "cancelled",
      [{ error: { code: "IDLE_TIMEOUT" } }, { error: { code: "REQUEST_CANCELLED" } }],
    ],
  ];
  for (const [name, type, payloads] of accepted) {
    test(name, () => {
      for (const payload of payloads) expect(broken(type, payload)).toBeUndefined();
    });
  }

  const refused: [string, FrameType, unknown, string, string][] = [
    ["text without its chunk [W-EV-1]", "text", {}, "chunk", "required"],
    ["text with the discriminator of 0.4 [I-3]", "text", { chunk: "x", type: "chunk" }, "type", "unknown_field"],
    ["thinking with content and no role [W-EV-3]", "thinking", { content: "x" }, "role", "required"],
    ["thinking with another role [W-EV-3]", "thinking", { content: "x", role: "user" }, "role", "literal"],
    [
      "a tool_call with arguments [W-EV-4]",
      "tool_call",
      { tool_call: { ...tool, arguments: {} } },
      "tool_call.arguments",
      "unknown_field",
    ],
    [
      "a tool_call with a status [W-EV-4]",
      "tool_call",
      { tool_call: { ...tool, status: "cancelled" } },
      "tool_call.status",
      "unknown_field",
    ],
    [
      "a tool_completed with a made-up status [W-EV-5]",
      "tool_completed",
      { tool_call: { ...tool, status: "done" } },
      "tool_call.status",
      "one_of",
    ],
    [
      "a placeholder without its key [W-EV-6]",
      "data_loading",
      { data: { id: "1", type: "t" } },
      "data.key",
      "required",
    ],
    [
      "ids that are no objects [W-EV-6]",
      "data_loading",
      { data: { id: "1", type: "t", key: { ids: ["OFF_1"] } } },
      "data.key.ids.0",
      "type",
    ],
    [
      "data_loaded without items [W-EV-7]",
      "data_loaded",
      { data: { id: "1", type: "t", key } },
      "data.items",
      "required",
    ],
    [
      "data_loaded with envelope metadata [W-FR-10]",
      "data_loaded",
      { data: { id: "1", type: "t", key, items: [], cache_meta: {} } },
      "data.cache_meta",
      "unknown_field",
    ],
    ["a component without its tool [W-EV-8]", "component", { chunk: {} }, "tool_call", "required"],
    ["a response_id with a payload [W-EV-9]", "response_id", { id: "x" }, "id", "unknown_field"],
    [
      "usage with a negative count [W-EV-11]",
      "usage",
      { input_tokens: -1, output_tokens: 1, total_tokens: 0, reasoning_tokens: 0, cached_tokens: 0 },
      "input_tokens",
      "minimum",
    ],
    [
      "usage whose total is another sum [W-EV-11]",
      "usage",
      { input_tokens: 1, output_tokens: 1, total_tokens: 3, reasoning_tokens: 0, cached_tokens: 0 },
      "total_tokens",
      "rule",
    ],
    [
      "a status whose id is prose [W-EV-12]",
      "status",
      { data: { event_id: "Searching offers", message: "x" } },
      "data.event_id",
      "pattern",
    ],
    ["a flat status [I-1]", "status", { event_id: "a", message: "x" }, "data", "required"],
    ["an error without is_final [W-FR-17]", "error", { error: { code: "INTERNAL_ERROR" } }, "is_final", "required"],
    [
      "a cancellation code on error [W-ERR-6]",
      "error",
      { error: { code: "IDLE_TIMEOUT" }, is_final: true },
      "error.code",
      "one_of",
    ],
    [
      "a failure code on cancelled [W-ERR-6]",
      "cancelled",
      { error: { code: "INTERNAL_ERROR" } },
      "error.code",
      "one_of",
    ],
    [
      "a completed with a payload of its own [W-EV-14]",
      "completed",
      { final_response: "x" },
      "final_response",
      "unknown_field",
    ],
    ["has_more that is no boolean [C-30]", "completed", { has_more: 1 }, "has_more", "type"],
  ];
  for (const [name, type, payload, path, rule] of refused) {
    test(`${type} refuses ${name}`, () => {
      expect(broken(type, payload)).toMatchObject({ path, rule });
    });
  }
});

describe("an error's code decides its fields:", () => {
  const error = (failure: unknown) => broken("error", { error: failure, is_final: true });
  const axis1 = { code: "SUB_AGENT_FAILED", sub_agent_id: "shop" };
  const axis2 = { code: "CCS_ENVELOPE_ERROR", enricher_id: "offers.v2", reason: "upstream_timeout" };

  test("INTERNAL_ERROR and RATE_LIMIT_ERROR have none [W-ERR-1] [W-ERR-2]", () => {
    for (const code of ["INTERNAL_ERROR", "RATE_LIMIT_ERROR"]) {
      expect(error({ code })).toBeUndefined();
      expect(error({ code, message: "boom" })).toMatchObject({ path: "error.message", rule: "unknown_field" });
    }
  });
  test("SUB_AGENT_FAILED has the sub-agent and nothing else [W-ERR-3]", () => {
    expect(error(axis1)).toBeUndefined();
    expect(error({ code: "SUB_AGENT_FAILED" })).toMatchObject({ path: "error.sub_agent_id", rule: "required" });
    expect(error({ ...axis1, reason: "timeout" })).toMatchObject({ rule: "unknown_field" });
  });
  test("CCS_ENVELOPE_ERROR has the enricher and the reason and nothing else [W-ERR-4]", () => {
    expect(error(axis2)).toBeUndefined();
    for (const field of ["status", "partial", "cache_meta", "principal", "timing", "payload"]) {
      expect(error({ ...axis2, [field]: {} })).toMatchObject({ path: `error.${field}`, rule: "unknown_field" });
    }
  });
  test("PARTIAL_FAN_OUT has one record per failure, each of axis 1 or 2 [W-ERR-5]", () => {
    expect(error({ code: "PARTIAL_FAN_OUT", failed: [axis1, axis2] })).toBeUndefined();
    expect(error({ code: "PARTIAL_FAN_OUT", failed: [] })).toMatchObject({ path: "error.failed", rule: "count_min" });
    expect(error({ code: "PARTIAL_FAN_OUT", failed: [{ code: "INTERNAL_ERROR" }] })).toMatchObject({
      path: "error.failed.0.code",
    });
  });
  test("a reason is one of five words, or a new word, never a text [W-ERR-7]", () => {
    for (const reason of [...ENVELOPE_FAILURE_REASONS, "quota_spent"])
      expect(error({ ...axis2, reason })).toBeUndefined();
    for (const reason of ["connect ECONNREFUSED 10.0.0.7:5432", "Timeout!", "", "a".repeat(65)]) {
      expect(error({ ...axis2, reason })).toMatchObject({ path: "error.reason", rule: "one_of" });
    }
  });
  test("no name can carry an exception, a stack or a sentence [W-ERR-8]", () => {
    for (const text of ["Error: boom", "at run (/srv/a.js:1:2)", "db 1", "a\nb", "x".repeat(300)]) {
      expect(error({ ...axis1, sub_agent_id: text })).toMatchObject({ path: "error.sub_agent_id" });
      expect(error({ ...axis2, enricher_id: text })).toMatchObject({ path: "error.enricher_id" });
    }
  });
});

test("there are nineteen types in seven groups [W-EV-19] [W-EV-16]", () => {
  const sizes = FRAME_GROUPS.map((group) => FRAME_TYPES.filter((type) => FRAMES[type].group === group).length);
  expect(Object.fromEntries(FRAME_GROUPS.map((group, index) => [group, sizes[index]]))).toEqual({
    lifecycle: 4,
    mcp: 4,
    tool: 2,
    content: 2,
    component: 3,
    status: 1,
    terminal: 3,
  });
  expect(FRAME_TYPES).toHaveLength(19);
  const deprecated = FRAME_TYPES.filter((type) => "deprecated" in FRAMES[type]);
  expect(deprecated).toEqual([
    "mcp_list_tools_start",
    "mcp_list_tools_completed",
    "mcp_session_start",
    "mcp_session_progress",
  ]);
});

test("support_content is no wire type [W-EV-17]", () => {
  expect(isFrameType("support_content")).toBe(false);
  expect(isFrameType("toString")).toBe(false);
  expect(isFrameType("text")).toBe(true);
});

test("the published schema of a frame has the envelope first and is_final on error alone [W-FR-2] [W-FR-17] [C-28]", () => {
  for (const [type, schema] of FRAME_SETS["0.5"]) {
    expect(Object.keys(schema.fields).slice(0, 5)).toEqual([
      "event_type",
      "version",
      "timestamp",
      "response_id",
      "seq",
    ]);
    expect("is_final" in schema.fields).toBe(type === "error");
  }
});

test("usage of calls adds up", () => {
  const call = { input_tokens: 1, output_tokens: 2, total_tokens: 3, reasoning_tokens: 1, cached_tokens: 0 };
  expect(addUsage(addUsage(NO_USAGE, call), call)).toEqual({
    input_tokens: 2,
    output_tokens: 4,
    total_tokens: 6,
    reasoning_tokens: 2,
    cached_tokens: 0,
  });
});

test("a frame's type follows from its definition [F-1]", () => {
  expectTypeOf<PayloadOf<"text">>().toEqualTypeOf<{ readonly chunk: string }>();
  expectTypeOf<FrameOf<"episode">["event_type"]>().toEqualTypeOf<"episode">();
  expectTypeOf<Frame["event_type"]>().toEqualTypeOf<FrameType>();
  const read = (frame: Frame): string => (frame.event_type === "text" ? frame.chunk : "");
  expect(read({ event_type: "text", version: "0.5", timestamp: "", response_id: "r", chunk: "x" })).toBe("x");
});
