import { expect, test } from "vitest";
import { createMessageAccumulator } from "./accumulator.js";
import { contentItemSchema } from "./content-item.js";
import { itemDurationsMs, runningTools } from "./display-items.js";
import { SAMPLE_DOCUMENT, SAMPLE_STEPS, SAMPLE_TURN } from "./testing/sample.js";

test("text grows with each chunk, and a tool shows from its call to its result [P-50]", () => {
  const accumulator = createMessageAccumulator(SAMPLE_TURN);
  const screens = SAMPLE_STEPS.slice(1, 8).map(([event, now]) => {
    accumulator.add(event, now);
    const last = accumulator.items().at(-1);
    const tools = runningTools(accumulator.items()).map((call) => call.tool_name);
    return [last !== undefined && "content" in last ? last.content : last?.type, ...tools];
  });
  expect(screens).toEqual([
    ["Let me calculate this "],
    ["Let me calculate this using the calculator tool."],
    ["I'll use the calculator "],
    ["I'll use the calculator to solve this."],
    ["tool_call", "calculator"],
    ["tool_result"],
    ["The calculator returned 4, which is correct."],
  ]);
});

test("of tools that run side by side each ends with its own result, in any order [P-50, P-55]", () => {
  const call = (id: string) =>
    ({ type: "tool_call", sequence: 0, tool_call_id: id, tool_name: id, arguments: {}, timestamp: 0 }) as const;
  const result = {
    type: "tool_result",
    sequence: 0,
    tool_call_id: "b",
    result: 1,
    is_error: true,
    duration_ms: 1,
    timestamp: 1,
  } as const;
  expect(runningTools([call("a"), call("b"), call("c"), result]).map((open) => open.tool_call_id)).toEqual(["a", "c"]);
});

test("how long an item took follows from the times of the items and the end of the message [P-51, P-66]", () => {
  const { content_items, completed_at = 0 } = SAMPLE_DOCUMENT;
  expect(itemDurationsMs(content_items, completed_at)).toEqual([200, 100, 50, 50, 200, 100]);
  expect(itemDurationsMs([], completed_at)).toEqual([]);
});

test("times that step back count as no time [P-51]", () => {
  const at = (timestamp: number) => ({ type: "message", sequence: 0, content: "x", timestamp }) as const;
  expect(itemDurationsMs([at(10), at(4), at(9)], 2)).toEqual([0, 5, 0]);
});

test("no item stores a duration of its own but the tool's, and there are no blocks [P-66, P-67]", () => {
  const variants = (contentItemSchema as { variants?: { [type: string]: { fields?: object } } }).variants ?? {};
  const names = Object.entries(variants).flatMap(([type, schema]) =>
    Object.keys(schema.fields ?? {}).map((field) => `${type}.${field}`),
  );
  expect(names.filter((name) => /duration|blocks|end/.test(name))).toEqual(["tool_result.duration_ms"]);
});
