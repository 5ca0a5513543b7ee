import { expect, test } from "vitest";
import { validateStream } from "./validate-stream.js";

const id = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";
const record = (frames: object[], from = 1) =>
  new TextEncoder().encode(
    `${frames
      .map((frame, index) =>
        JSON.stringify({
          ...frame,
          version: "0.5",
          timestamp: "2026-05-15T18:00:00.000Z",
          response_id: id,
          seq: from + index,
        }),
      )
      .join("\n")}\n`,
  );

test("a frame of a type nobody knows yet has its place in the order [W-FR-12]", () => {
  const bytes = record([
    { event_type: "response_id" },
    { event_type: "hologram" },
    { event_type: "text", chunk: "a" },
    { event_type: "completed" },
  ]);
  expect(validateStream(bytes, "turn").findings).toEqual([]);
});
test("a resumed recording may begin with an unknown frame", () => {
  const bytes = record(
    [{ event_type: "hologram" }, { event_type: "text", chunk: "a" }, { event_type: "completed" }],
    5,
  );
  expect(validateStream(bytes, "turn").findings).toEqual([]);
});
test("a recording that was resumed between a tool's call and its end is in order", () => {
  const tool = { id: "call_1", name: "search_offers", type: "mcp" };
  const bytes = record(
    [
      { event_type: "tool_completed", tool_call: tool },
      { event_type: "text", chunk: "a" },
      { event_type: "completed" },
    ],
    6,
  );
  expect(validateStream(bytes, "turn").findings).toEqual([]);
});
test("data loaded after resumption", () => {
  const data = { id: "offer-list-1", type: "offer_list", key: { ids: [{ id: "OFF_1" }] }, items: [{ id: "OFF_1" }] };
  const bytes = record([{ event_type: "data_loaded", data }, { event_type: "completed" }], 6);
  expect(validateStream(bytes, "turn").findings).toEqual([]);
});
test("resumed at terminal", () => {
  const bytes = record([{ event_type: "completed" }], 6);
  expect(validateStream(bytes, "turn").findings).toEqual([]);
});
