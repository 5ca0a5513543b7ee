import type { AgentEvent } from "@framerail/protocol";
import { checkEvent } from "@framerail/protocol";
import { expect, test } from "vitest";
import { CALLS_PER_TURN_MAX } from "./limits.js";
import { createToolPairing } from "./tool-pairing.js";

function pairsOf(events: readonly AgentEvent[]) {
  const written: AgentEvent[] = [];
  const tools = createToolPairing((event) => void written.push(event));
  for (const event of events) tools.write(event);
  return {
    tools,
    written,
    told: () => written.map((event) => `${event.type} ${"tool_call_id" in event && event.tool_call_id}`),
  };
}
const call = (tool_call_id: string, tool_name = "search") =>
  ({ type: "tool_call", tool_call_id, tool_name, arguments: {}, timestamp: 1 }) as const;
const result = (tool_call_id: string) =>
  ({ type: "tool_result", tool_call_id, result: 1, is_error: false, duration_ms: 1 }) as const;
const end = (tool_call_id: string) => ({ type: "tool_call_end", tool_call_id, tool_name: "search" }) as const;
const shown = (tool_call_id: string) =>
  ({ type: "component", data_id: "d", data_type: "card", chunk: 1, tool_call_id, tool_name: "search" }) as const;

test("an id that counts from zero again names another call, with its result, what it shows and its end [G6] [C-11]", () => {
  const { told } = pairsOf([
    ...[call("c0"), result("c0")],
    ...[call("c0"), shown("c0"), result("c0")],
    ...[call("c0"), end("c0"), result("c0")],
  ]);
  expect(told()).toEqual([
    ...["tool_call c0", "tool_result c0", "tool_call_end c0"],
    ...["tool_call c0~2", "component c0~2", "tool_result c0~2", "tool_call_end c0~2"],
    ...["tool_call c0~3", "tool_call_end c0~3", "tool_result c0~3"],
  ]);
});

test("a number that the speaker itself has used is passed over", () => {
  const { told } = pairsOf([call("c0~2"), call("c0"), result("c0"), call("c0")]);
  expect(told().at(-1)).toBe("tool_call c0~3");
});

test("a copy of a call that is still open is dropped [G6]", () => {
  const { told, tools } = pairsOf([call("c0"), call("c0", "book"), result("c0")]);
  expect(told()).toEqual(["tool_call c0", "tool_result c0", "tool_call_end c0"]);
  expect(tools.openCount).toBe(0);
});

test("the longest id has room for its number, and is cut at no half of a character", () => {
  for (const id of ["x".repeat(1_024), `y${"😀".repeat(511)}z`]) {
    const { written } = pairsOf([call(id), result(id), call(id), result(id)]);
    expect(written.map(checkEvent)).toEqual(written.map(() => undefined));
    expect(new Set(written.map((event) => "tool_call_id" in event && event.tool_call_id)).size).toBe(2);
  }
});

test("a turn may make so many calls and no more, whatever their ids [G8]", () => {
  const { tools } = pairsOf(Array.from({ length: CALLS_PER_TURN_MAX }, () => [call("c0"), result("c0")]).flat());
  expect(() => tools.write(call("c0"))).toThrow(expect.objectContaining({ code: "PROTOCOL_VIOLATION" }));
});
