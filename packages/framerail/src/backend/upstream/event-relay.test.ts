import { systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { NOTICES_MAX, OPEN_CALLS_MAX } from "../limits.js";
import { keepContext } from "../testing/kept-context.js";
import { createEventRelay } from "./event-relay.js";

function relayOf(events: readonly object[]) {
  const context = keepContext();
  const relay = createEventRelay(context.writer, systemClock);
  for (const event of events) relay.take(JSON.stringify(event));
  return { ...context, relay };
}

const start = (tool_call_id: string, fields = {}) => ({
  type: "tool_call_start",
  tool_call_id,
  tool_name: "search",
  ...fields,
});
const result = (tool_call_id: string) => ({
  type: "tool_result",
  tool_call_id,
  result: 1,
  is_error: false,
  duration_ms: 3,
});
const toolEnd = (tool_call_id: string) => ({ type: "tool_call_end", tool_call_id, tool_name: "search" });

test("other speakers' names become ours, and thinking stays thinking [W-MAP-1, W-MAP-3, C-11]", () => {
  const { types, text, relay } = relayOf([
    { type: "response_id", response_id: "theirs" },
    { type: "thinking" },
    { type: "message", content: "a" },
    { type: "token", text: "b" },
    start("c1"),
    toolEnd("c1"),
    { type: "completed" },
  ]);
  expect(types()).toEqual(["thinking", "text", "text", "tool_call", "tool_call_end"]);
  expect(text()).toBe("ab");
  expect(relay.end).toEqual({ kind: "completed" });
});

test("the service's opening and end are never written: the runtime opens and ends turns [W-MAP-2]", () => {
  const { types, relay } = relayOf([
    { type: "init_stream", run_id: "theirs", conversation_id: "c", timestamp: 1 },
    { type: "end_stream", status: "success", total_duration_ms: 1, has_more: true },
  ]);
  expect(types()).toEqual([]);
  expect(relay.end).toEqual({ kind: "paused", limit: "state_limit" });
});

test("a result closes its call, and an end of the service's own is not a second one [C-11]", () => {
  const { types } = relayOf([start("c1"), start("c2"), result("c1"), result("c2"), toolEnd("c2")]);
  expect(types()).toEqual(["tool_call", "tool_call", "tool_result", "tool_call_end", "tool_result", "tool_call_end"]);
});

test("an end before the result passes once, and so does the result", () => {
  const { types } = relayOf([start("c1"), toolEnd("c1"), result("c1")]);
  expect(types()).toEqual(["tool_call", "tool_call_end", "tool_result"]);
});

test("an end repeats its start's name and type, by which the wire knows the pair", () => {
  const { events } = relayOf([start("c1", { tool_type: "mcp" }), { ...toolEnd("c1"), tool_name: "other" }]);
  expect(events[1]).toEqual({
    type: "tool_call_end",
    tool_call_id: "c1",
    tool_name: "search",
    tool_type: "mcp",
  });
});

test("an end that tells how its call ended keeps telling it", () => {
  const { events } = relayOf([start("c1"), { ...toolEnd("c1"), status: "unknown" }]);
  expect(events[1]).toEqual({ ...toolEnd("c1"), status: "unknown" });
});

test("more open calls than the maximum are refused, and closed ones do not count", () => {
  const many = Array.from({ length: OPEN_CALLS_MAX }, (_, index) => start(`c${index}`));
  const { relay } = relayOf([...many, result("c0"), start("another")]);
  expect(() => relay.take(JSON.stringify(start("one more")))).toThrow(
    expect.objectContaining({ code: "PROTOCOL_VIOLATION" }),
  );
});

test("an event of an unknown type is ignored and told to operators, a bounded number of times [W-MAP-4]", () => {
  const unknown = Array.from({ length: NOTICES_MAX + 9 }, () => ({ type: "cart_changed" }));
  const { events, relay, text } = relayOf([{ type: "tell me s3cret" }, ...unknown, { type: "text", content: "a" }]);
  const notices = events.filter(({ type }) => type === "log");
  expect(notices).toHaveLength(NOTICES_MAX);
  expect(notices[1]).toMatchObject({ message: expect.stringContaining("cart_changed") });
  expect(notices.at(-1)).toMatchObject({ message: "further notices of this turn are left out" });
  expect(JSON.stringify(notices)).not.toContain("s3cret");
  expect(text()).toBe("a");
  expect(relay.heard).toBe(1);
});

test("what is no event, or a known one with wrong fields, is a failed upstream [W-MAP-4]", () => {
  for (const text of [
    "{",
    "12",
    "null",
    '"text"',
    "{}",
    '{"type":7}',
    '{"type":"text"}',
    '{"type":"text","content":7}',
  ]) {
    const { relay } = relayOf([]);
    expect(() => relay.take(text)).toThrow(expect.objectContaining({ code: "UPSTREAM_FAILED" }));
  }
});

test("nothing after the end is written, a second end included, and operators hear of it [C-23]", () => {
  const { events, relay } = relayOf([
    { type: "completed" },
    { type: "text", content: "late" },
    { type: "end_stream", status: "error", total_duration_ms: 1 },
  ]);
  relay.take("[DONE]");
  relay.take("no JSON at all");
  expect(relay.end).toEqual({ kind: "completed" });
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["log"]));
  expect(events).toHaveLength(3);
});

test("a sentinel is no end: it is passed over", () => {
  const { relay, types } = relayOf([]);
  relay.take("[DONE]");
  expect(relay.end).toBeUndefined();
  expect(types()).toEqual([]);
});

test("an end that is no success becomes the failure or the cancellation that it tells [W-MAP-4]", () => {
  const end = (status: string) => JSON.stringify({ type: "end_stream", status, total_duration_ms: 1 });
  expect(() => relayOf([]).relay.take(end("error"))).toThrow(expect.objectContaining({ code: "UPSTREAM_FAILED" }));
  expect(() => relayOf([]).relay.take(end("cancelled"))).toThrow(expect.objectContaining({ code: "CANCELLED" }));
});

test("an error keeps its meaning, a sub-agent its name, and the service's words are only the cause", () => {
  const message = "connect ECONNREFUSED db.internal";
  const rows = [
    [{ error_code: "RATE_LIMIT_ERROR" }, { code: "RATE_LIMITED" }],
    [
      { error_code: "SUB_AGENT_FAILED", sub_agent_id: "flights" },
      { code: "SUB_AGENT_FAILED", sub_agent_id: "flights" },
    ],
    [{ error_code: "SUB_AGENT_FAILED", sub_agent_id: "failed at /srv: key=1" }, { code: "UPSTREAM_FAILED" }],
    [{ error_code: "SUB_AGENT_FAILED" }, { code: "UPSTREAM_FAILED" }],
    [{ error_code: "THEIR_CODE" }, { code: "UPSTREAM_FAILED" }],
    [{}, { code: "UPSTREAM_FAILED" }],
  ];
  for (const [fields, expected] of rows) {
    const text = JSON.stringify({ type: "error", message, ...fields });
    expect(() => relayOf([]).relay.take(text)).toThrow(
      expect.objectContaining({ ...expected, cause: message, message: expect.not.stringContaining("db.internal") }),
    );
  }
});
