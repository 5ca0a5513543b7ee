import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileCheck } from "../schema/check.js";
import { checkEvent, readEvent } from "./read-event.js";
import { toFrame } from "./to-frame.js";
import type { AgentEvent } from "./vocabulary.js";
import { EVENTS, STREAM_STATUSES } from "./vocabulary.js";

const NOW = 1_700_000_000_000;
const read = (value: unknown) => readEvent(value, NOW);
const refuses = (value: unknown, path: string) =>
  expect(() => read(value)).toThrow(
    expect.objectContaining({ code: "INVALID_EVENT", issue: expect.objectContaining({ path }) }),
  );

describe("an event keeps its fields:", () => {
  const events: [string, AgentEvent, string][] = [
    ["init_stream [P-4]", { type: "init_stream", run_id: "r", conversation_id: "c", timestamp: 1 }, "run_id"],
    ["reasoning [P-5] [W-IN-1]", { type: "reasoning", content: "Thinking..." }, "content"],
    [
      "tool_call [P-7]",
      { type: "tool_call", tool_call_id: "t", tool_name: "n", arguments: { q: 1 }, timestamp: 1 },
      "arguments",
    ],
    [
      "tool_result [P-8] [W-IN-2]",
      {
        type: "tool_result",
        tool_call_id: "t",
        result: { error: "Service unavailable" },
        is_error: true,
        duration_ms: 2,
      },
      "is_error",
    ],
    ["node_enter [P-9] [P-11]", { type: "node_enter", node_id: "llm", node_type: "model", timestamp: 1 }, "node_type"],
    ["node_exit [P-10]", { type: "node_exit", node_id: "llm", duration_ms: 3 }, "duration_ms"],
    ["error [P-12]", { type: "error", message: "model away", node_id: "llm", error_code: "X" }, "message"],
    [
      "end_stream [P-14] [P-16]",
      {
        type: "end_stream",
        status: "success",
        total_duration_ms: 700,
        tokens_used: { prompt_tokens: 45, completion_tokens: 28, reasoning_tokens: 15 },
      },
      "total_duration_ms",
    ],
    ["thinking [W-IN-1]", { type: "thinking" }, ""],
    [
      "usage [W-IN-3]",
      { type: "usage", input_tokens: 1, output_tokens: 1, total_tokens: 2, reasoning_tokens: 0, cached_tokens: 0 },
      "input_tokens",
    ],
    ["episode [W-IN-3]", { type: "episode", episode_id: "e" }, "episode_id"],
    ["support_content [W-IN-3]", { type: "support_content", content: { a: 1 } }, "content"],
  ];
  for (const [name, event, required] of events) {
    test(name, () => {
      expect(read(event)).toEqual(event);
      expect(read(JSON.parse(JSON.stringify(event)))).toEqual(event);
      if (required !== "") refuses({ ...event, [required]: undefined }, required);
    });
  }

  test("it is flat JSON told apart by type, without a data wrapper [P-2]", () => {
    expect(JSON.stringify(read({ type: "reasoning", content: "Pensando..." }))).toBe(
      '{"type":"reasoning","content":"Pensando..."}',
    );
    for (const schema of Object.values(EVENTS)) expect(schema).not.toHaveProperty("fields.data");
  });

  test("only init_stream, tool_call and node_enter have a timestamp [P-17]", () => {
    const stamped = Object.entries(EVENTS).filter(
      ([, schema]) => schema.kind === "object" && "timestamp" in schema.fields,
    );
    expect(stamped.map(([type]) => type)).toEqual(["init_stream", "tool_call", "node_enter"]);
  });

  test("a stream ends with one of three statuses [P-15]", () => {
    expect(STREAM_STATUSES).toEqual(["success", "error", "cancelled"]);
    refuses({ type: "end_stream", status: "done", total_duration_ms: 1 }, "status");
  });

  test("a tool's failure is a result the run goes on from, an error stops it [P-13]", () => {
    const failed = read({
      type: "tool_result",
      tool_call_id: "t",
      result: { error: "x" },
      is_error: true,
      duration_ms: 1,
    });
    expect(toFrame(failed)).toBeUndefined();
    expect(toFrame(read({ type: "error", message: "x" }))).toMatchObject({ payload: { is_final: true } });
  });

  test("counts, durations and times are whole and not negative [P-61]", () => {
    for (const bad of [-1, 1.5, Number.NaN, "1"]) {
      refuses({ type: "node_exit", node_id: "x", duration_ms: bad }, "duration_ms");
      refuses({ type: "init_stream", run_id: "r", conversation_id: "c", timestamp: bad }, "timestamp");
    }
  });
});

describe("another speaker's name for an event is understood [C-11]:", () => {
  const cases: [string, unknown, AgentEvent, string | undefined][] = [
    ["message is text [P-6]", { type: "message", content: "Hello" }, { type: "text", content: "Hello" }, "text"],
    ["text is text [W-IN-1]", { type: "text", content: "Hello" }, { type: "text", content: "Hello" }, "text"],
    ["token is text [R-EVT-1]", { type: "token", text: "Hello" }, { type: "text", content: "Hello" }, "text"],
    [
      "tool_call_start is tool_call [W-IN-2] [W-MAP-3]",
      { type: "tool_call_start", tool_call_id: "t", tool_name: "n", tool_type: "mcp" },
      { type: "tool_call", tool_call_id: "t", tool_name: "n", tool_type: "mcp", arguments: null, timestamp: NOW },
      "tool_call",
    ],
    [
      "tool_call_end is tool_call_end [W-IN-2]",
      { type: "tool_call_end", tool_call_id: "t", tool_name: "n" },
      { type: "tool_call_end", tool_call_id: "t", tool_name: "n" },
      "tool_completed",
    ],
    [
      "response_id opens the run [W-IN-3] [W-MAP-2]",
      { type: "response_id", response_id: "resp_1" },
      { type: "init_stream", run_id: "resp_1", conversation_id: "resp_1", timestamp: NOW },
      "response_id",
    ],
    [
      "completed ends it [W-IN-3]",
      { type: "completed" },
      { type: "end_stream", status: "success", total_duration_ms: 0 },
      "completed",
    ],
    [
      "completion ends it and keeps its iterations [R-EVT-1]",
      { type: "completion", total_duration_ms: 9, loop_iterations: 3 },
      { type: "end_stream", status: "success", total_duration_ms: 9, loop_iterations: 3 },
      "completed",
    ],
  ];
  for (const [name, spoken, event, frame] of cases) {
    test(name, () => {
      expect(read(spoken)).toEqual(event);
      expect(toFrame(read(spoken))?.type).toBe(frame);
    });
  }

  test("a worker's metrics, tools, status and error have their events [R-EVT-1]", () => {
    const tokens = { input_tokens: 1, output_tokens: 1, total_tokens: 2, reasoning_tokens: 0, cached_tokens: 0 };
    expect(read({ type: "metrics", model: "m", ttft_ms: 5, tokens, cost: 0.01 })).toMatchObject({ type: "metrics" });
    expect(read({ type: "status", event_id: "waiting_approval" })).toMatchObject({ event_id: "waiting_approval" });
    expect(toFrame(read({ type: "thinking" }))).toEqual({ type: "thinking", payload: {} });
    expect(toFrame(read({ type: "error", message: "deadline" }))).toMatchObject({ type: "error" });
  });
});

test("what is no event is refused by field, and nothing throws a raw error", () => {
  for (const value of [
    null,
    undefined,
    7,
    "text",
    [],
    {},
    { type: 7 },
    { type: "gossip" },
    { type: "constructor" },
    { type: "__defineGetter__" },
  ])
    refuses(value, "type");
  refuses({ type: "message" }, "content");
  refuses({ type: "token", text: 7 }, "content");
  refuses({ type: "text", content: "\ud800" }, "content");
  refuses({ type: "tool_call", tool_call_id: "", tool_name: "n", arguments: 1, timestamp: 1 }, "tool_call_id");
  refuses(JSON.parse('{"type":"text","content":"x","__proto__":{"a":1}}'), "__proto__");
  refuses({ type: "status", event_id: "Looking for offers" }, "event_id");
});

test("text is judged as its definition says, also where that is not asked [W-IN-1] [W-GAP-7]", () => {
  const unit = fc.constantFrom("a", '"', "é", "😀", "\ud800", "\udc00");
  const content = fc.oneof(fc.string({ unit }), fc.anything());
  const more = fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), fc.anything());
  const shape = fc.constantFrom({}, Object.create(null) as object, Object.create({ inherited: true }) as object);
  for (const type of ["text", "reasoning"] as const) {
    const check = compileCheck(EVENTS[type]);
    fc.assert(
      fc.property(content, more, shape, (content, more, shape) => {
        const event = Object.create(Object.getPrototypeOf(shape) as object | null) as { type: string };
        Object.defineProperties(event, Object.getOwnPropertyDescriptors({ ...more, type, content }));
        expect(checkEvent(event)).toEqual(check(event));
      }),
    );
  }
});
