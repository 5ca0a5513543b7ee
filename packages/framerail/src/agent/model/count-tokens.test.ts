import type { LanguageModelV3FunctionTool, LanguageModelV3Prompt, LanguageModelV3Usage } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { countTokens, estimatePrompt, estimateTokens } from "./count-tokens.js";

const told = (input: unknown, output: unknown) =>
  ({ inputTokens: { total: input }, outputTokens: { total: output } }) as LanguageModelV3Usage;
const size = { inputTokens: () => 7, outputLength: 40, reasoningLength: 8 };

describe("the counters of a call", () => {
  test.each([
    ["both", told(5, 3), { input_tokens: 5, output_tokens: 3, total_tokens: 8, reasoning_tokens: 0 }, false],
    [
      "the input alone",
      told(5, undefined),
      { input_tokens: 5, output_tokens: 10, total_tokens: 15, reasoning_tokens: 2 },
      true,
    ],
    [
      "the output alone",
      told(undefined, 3),
      { input_tokens: 7, output_tokens: 3, total_tokens: 10, reasoning_tokens: 0 },
      true,
    ],
    ["nothing", undefined, { input_tokens: 7, output_tokens: 10, total_tokens: 17, reasoning_tokens: 2 }, true],
  ])("where a provider told %s, the rest is estimated and marked so [R-6-5] [C-14]", (_, usage, tokens, estimated) => {
    expect(countTokens(usage, size)).toEqual({ tokens: { ...tokens, cached_tokens: 0 }, estimated });
  });

  test("a call that wrote nothing still charges what it read [R-6-5]", () => {
    const { tokens } = countTokens(undefined, { ...size, outputLength: 0, reasoningLength: 0 });
    expect(tokens).toMatchObject({ input_tokens: 7, output_tokens: 0, total_tokens: 7 });
  });
});

describe("an estimate", () => {
  test("is a quarter of the characters, rounded up [R-6-5]", () => {
    expect([0, 1, 4, 5, 8].map(estimateTokens)).toEqual([0, 1, 1, 2, 2]);
  });

  test("of a prompt counts words, tools, results and files [R-6-5]", () => {
    const prompt: LanguageModelV3Prompt = [
      { role: "system", content: "12345678" },
      { role: "user", content: [{ type: "text", text: "1234" }] },
    ];
    // The empty list of tools is two characters.
    expect(estimatePrompt(prompt, [])).toBe(Math.ceil(14 / 4));
    const search: LanguageModelV3FunctionTool = { type: "function", name: "search", inputSchema: { type: "object" } };
    expect(estimatePrompt(prompt, [search])).toBe(Math.ceil((12 + JSON.stringify([search]).length) / 4));
    const file = { type: "file", mediaType: "image/png", data: "x".repeat(100_000) } as const;
    expect(estimatePrompt([...prompt, { role: "user", content: [file] }], [])).toBe(1_000 + Math.ceil(14 / 4));
  });
});
