import type { ContentItem } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import type { LayoutOptions } from "./lay-out-items.js";
import { failedCalls, layOutItems } from "./lay-out-items.js";

const options = (news: Partial<LayoutOptions>): LayoutOptions => ({
  items: [],
  placeholders: [],
  toolEnds: new Map(),
  failed: new Set(),
  isRunning: false,
  ...news,
});
const place = { sequence: 0, timestamp: 0 };
const text = (content: string): ContentItem => ({ type: "message", content, ...place });
const call = (id: string): ContentItem => ({
  type: "tool_call",
  tool_call_id: id,
  tool_name: id,
  arguments: null,
  ...place,
});
const result = (id: string, is_error = false): ContentItem => ({
  type: "tool_result",
  tool_call_id: id,
  result: null,
  is_error,
  duration_ms: 5,
  ...place,
});
const data = (data_id: string, ...items: string[]): ContentItem => ({
  type: "component",
  data_id,
  data_type: "list",
  items,
  ...place,
});
const shown = (news: Partial<LayoutOptions>) =>
  layOutItems(options(news)).map((part) => {
    if (part.kind === "tool") return `${part.name} ${part.state}`;
    if (part.kind === "component") return `${part.type} ${part.values.join()}`;
    return part.kind === "placeholder" ? `waits for ${part.type}` : `${part.kind} ${part.text}`;
  });

describe("an answer on the screen", () => {
  test("shows items in order, and a tool's call and result as one card [P-49, P-50]", () => {
    const items = [text("a"), call("x"), call("y"), result("y"), text("b"), result("x")];
    expect(shown({ items })).toEqual(["text a", "x finished", "y finished", "text b"]);
  });

  test("shows a placeholder where its data will stand, and one card for data that came again [W-FR-16]", () => {
    const waiting = { id: "d", type: "list", key: { ids: [] }, at: 1 };
    const items = [text("a"), text("b")];
    expect(shown({ items, placeholders: [waiting] })).toEqual(["text a", "waits for list", "text b"]);
    expect(shown({ items: [text("a")], placeholders: [waiting] })).toEqual(["text a", "waits for list"]);
    expect(shown({ items: [data("d", "old"), text("a"), data("d", "new")] })).toEqual(["list new", "text a"]);
  });

  test("tells how a tool ended as far as it is known: by the wire, then by history [G6, G12]", () => {
    const items = [call("x"), result("x", true)];
    expect(shown({ items: [call("x")], isRunning: true })).toEqual(["x running"]);
    expect(shown({ items, toolEnds: new Map([["x", "cancelled"]]) })).toEqual(["x cancelled"]);
    expect(shown({ items, toolEnds: new Map([["x", "unknown"]]), failed: new Set(["x"]) })).toEqual(["x unknown"]);
    expect(shown({ items, toolEnds: new Map([["x", "finished"]]) })).toEqual(["x finished"]);
    expect(shown({ items, toolEnds: new Map([["x", "finished"]]), failed: failedCalls(items) })).toEqual(["x failed"]);
    expect(shown({ items })).toEqual(["x failed"]);
    // No end was told and nothing runs any more: nobody knows.
    expect(shown({ items: [call("x")] })).toEqual(["x unknown"]);
  });
});
