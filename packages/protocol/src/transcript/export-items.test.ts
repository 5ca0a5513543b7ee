import { expect, test } from "vitest";
import { isFramerailError } from "../error.js";
import { exportItems } from "./export-items.js";
import { SAMPLE_DOCUMENT } from "./testing/sample.js";

test("the sample gives six examples: text as it is, everything else as the JSON of its item [P-58]", () => {
  expect(exportItems(SAMPLE_DOCUMENT.content_items)).toEqual([
    { role: "reasoning", content: "Let me calculate this using the calculator tool.", timestamp: 1_699_999_999_000 },
    { role: "message", content: "I'll use the calculator to solve this.", timestamp: 1_699_999_999_200 },
    {
      role: "tool_call",
      content:
        '{"type":"tool_call","sequence":2,"tool_call_id":"call_1","tool_name":"calculator","arguments":{"expression":"2+2"},"timestamp":1699999999300}',
      timestamp: 1_699_999_999_300,
    },
    {
      role: "tool_result",
      content:
        '{"type":"tool_result","sequence":3,"tool_call_id":"call_1","result":{"answer":4},"is_error":false,"duration_ms":50,"timestamp":1699999999350}',
      timestamp: 1_699_999_999_350,
    },
    { role: "reasoning", content: "The calculator returned 4, which is correct.", timestamp: 1_699_999_999_400 },
    { role: "message", content: "The answer is 4.", timestamp: 1_699_999_999_600 },
  ]);
});

test("a component is exported as JSON [P-58, C-35]", () => {
  const component = {
    type: "component",
    sequence: 0,
    data_id: "d",
    data_type: "card",
    chunk: null,
    timestamp: 3,
  } as const;
  expect(exportItems([component])).toEqual([{ role: "component", content: JSON.stringify(component), timestamp: 3 }]);
});

test("an item that is none is refused by name [P-58]", () => {
  for (const [items, path] of [
    [[{ type: "message", sequence: 0, timestamp: 0 }], "0.content"],
    [[{ type: "note" }], "0.type"],
    [undefined, ""],
  ] as const) {
    try {
      exportItems(items as never);
      expect.unreachable();
    } catch (caught) {
      expect(isFramerailError(caught) && [caught.code, caught.issue?.path]).toEqual(["INVALID_ITEM", path]);
    }
  }
});
