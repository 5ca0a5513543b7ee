import { expect, test } from "vitest";
import { contentParts } from "./message-content.js";

test("text is a string or text blocks, in their order", () => {
  expect(contentParts({ content: "a" })).toEqual([{ type: "text", content: "a" }]);
  const content = [
    { type: "text", text: "a" },
    { type: "image_url", image_url: "x" },
    { type: "text", text: "b" },
  ];
  expect(contentParts({ content }).map((part) => part.content)).toEqual(["a", "b"]);
});

test("reasoning is a block of either name, a summary, or a field beside the content, and comes in its place", () => {
  const content = [
    { type: "thinking", thinking: "1" },
    { type: "reasoning", reasoning: "2" },
    { type: "reasoning", summary: [{ type: "summary_text", text: "3" }, { text: "4" }] },
    { type: "text", text: "5" },
  ];
  expect(contentParts({ content, additional_kwargs: { reasoning_content: "0" } })).toEqual([
    ...["0", "1", "2", "3", "4"].map((each) => ({ type: "reasoning", content: each })),
    { type: "text", content: "5" },
  ]);
});

test("what is empty or of another shape is no part", () => {
  for (const content of [
    undefined,
    null,
    7,
    "",
    [],
    ["a"],
    [{ type: "text" }, { type: "text", text: 7 }, { text: "x" }],
  ])
    expect(contentParts({ content, additional_kwargs: null })).toEqual([]);
});
