import { describe, expect, test } from "vitest";
import { compileCheck } from "../schema/check.js";
import type { ContentItem, ContentItemType } from "./content-item.js";
import { contentItemSchema, sequenceOf, timestampOf } from "./content-item.js";

const check = compileCheck(contentItemSchema);

/** One whole item per kind; a missing kind does not compile. */
const ITEMS: { [T in ContentItemType]: Extract<ContentItem, { type: T }> } = {
  reasoning: { type: "reasoning", sequence: 0, content: "a thought", timestamp: 10 },
  message: { type: "message", sequence: 1, content: "an answer", timestamp: 11 },
  tool_call: { type: "tool_call", sequence: 2, tool_call_id: "c", tool_name: "add", arguments: [1], timestamp: 12 },
  tool_result: {
    type: "tool_result",
    sequence: 3,
    tool_call_id: "c",
    result: { error: "Service unavailable" },
    is_error: true,
    duration_ms: 50,
    timestamp: 13,
  },
  component: { type: "component", sequence: 4, data_id: "d", data_type: "offer_list", items: [{}], timestamp: 14 },
};

const FIELDS: { [T in ContentItemType]: readonly string[] } = {
  reasoning: ["sequence", "content", "timestamp"],
  message: ["sequence", "content", "timestamp"],
  tool_call: ["sequence", "tool_call_id", "tool_name", "arguments", "timestamp"],
  tool_result: ["sequence", "tool_call_id", "result", "is_error", "duration_ms", "timestamp"],
  component: ["sequence", "data_id", "data_type", "timestamp"],
};

const ROWS: { [T in ContentItemType]: string } = {
  reasoning: "P-20",
  message: "P-21",
  tool_call: "P-22",
  tool_result: "P-23, P-62",
  component: "C-35",
};

for (const [type, item] of Object.entries(ITEMS)) {
  test(`a ${type} item is accepted whole, and without any of its fields refused by name [${ROWS[item.type]}]`, () => {
    expect(check(item)).toBeUndefined();
    for (const name of FIELDS[item.type]) {
      expect(check({ ...item, [name]: undefined }), name).toMatchObject({ path: name, rule: "required" });
      // Free JSON takes anything but what JSON has no words for.
      expect(check({ ...item, [name]: Number.NaN })?.path, name).toBe(name);
    }
  });

  test(`the number and the time of a ${type} item can be read without knowing its kind [P-24]`, () => {
    expect(sequenceOf(item)).toBe(["reasoning", "message", "tool_call", "tool_result", "component"].indexOf(type));
    expect(timestampOf(item)).toBe(10 + sequenceOf(item));
  });
}

test("numbers, durations and times are whole, not negative and safe [P-61]", () => {
  for (const item of Object.values(ITEMS))
    for (const name of ["sequence", "timestamp", "duration_ms"]) {
      if (!(name in item)) continue;
      for (const wrong of [-1, 0.5, 2 ** 53, Number.POSITIVE_INFINITY, "1", null, 1n])
        expect(check({ ...item, [name]: wrong })?.path, `${item.type} ${name} ${wrong}`).toBe(name);
      expect(check({ ...item, [name]: Number.MAX_SAFE_INTEGER })).toBeUndefined();
    }
});

describe("a component", () => {
  const { items: _, ...bare } = ITEMS.component;

  test("has either items or a chunk, never both and never neither [C-35]", () => {
    expect(check({ ...bare, items: [] })).toBeUndefined();
    expect(check({ ...bare, chunk: null })).toBeUndefined();
    expect(check(bare)).toMatchObject({ path: "items", rule: "rule" });
    expect(check({ ...bare, items: [], chunk: {} })).toMatchObject({ path: "items", rule: "rule" });
  });

  test("may name the tool call that made it [C-35]", () => {
    expect(check({ ...bare, chunk: {}, tool_call_id: "c" })).toBeUndefined();
    expect(check({ ...bare, chunk: {}, tool_call_id: "" })).toMatchObject({ path: "tool_call_id" });
  });
});

test("there are five kinds of item, none of them a group of others [P-19, P-67]", () => {
  const schema = contentItemSchema as { variants?: object };
  expect(Object.keys(schema.variants ?? {})).toEqual(["reasoning", "message", "tool_call", "tool_result", "component"]);
  for (const type of ["reasoning_blocks", "message_blocks", "status", "__proto__"])
    expect(check({ type, sequence: 0, content: "", timestamp: 0 })).toMatchObject({ path: "type", rule: "one_of" });
});

test("hostile values are refused: half a character, a prototype key, endless nesting [P-22, P-23]", () => {
  expect(check({ ...ITEMS.message, content: "\ud83d" })).toMatchObject({ path: "content", rule: "well_formed" });
  expect(check({ ...ITEMS.tool_call, arguments: JSON.parse('{"a":{"__proto__":1}}') })).toMatchObject({
    path: "arguments.a.__proto__",
    rule: "forbidden_key",
  });
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(check({ ...ITEMS.tool_result, result: cycle })).toMatchObject({ rule: "depth_max" });
  expect(check({ ...ITEMS.tool_call, tool_call_id: "x".repeat(1_025) })).toMatchObject({ rule: "length_max" });
});
