import { isFramerailError } from "@framerail/protocol";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineTool } from "./define-tool.js";
import { TOOL_TIMEOUT_MS, TOOL_TIMEOUT_MS_MAX } from "./limits.js";
import type { StandardSchema } from "./standard-schema.js";

const basics = { name: "search", description: "Finds things", input: z.object({ q: z.string() }), run: () => 1 };

const messageOf = (define: () => unknown): string => {
  try {
    define();
  } catch (error) {
    if (isFramerailError(error)) return `${error.code}: ${error.message}`;
  }
  return "defined";
};

describe("a tool that is defined well", () => {
  test("a tool is frozen and has its defaults, and the default on cancel is to finish [D-10]", () => {
    const tool = defineTool(basics);
    expect(Object.isFrozen(tool)).toBe(true);
    expect(tool).toMatchObject({ name: "search", type: "function", cancel: "finish", timeoutMs: TOOL_TIMEOUT_MS });
  });

  test("the model's JSON Schema is that of the input, before defaults are filled in", () => {
    const tool = defineTool({ ...basics, input: z.object({ q: z.string(), limit: z.number().default(3) }) });
    expect(tool.inputJsonSchema).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { q: { type: "string" }, limit: { type: "number", default: 3 } },
      required: ["q"],
    });
  });

  test("the input of run is typed by the schema, with what the schema gives out", () => {
    defineTool({
      ...basics,
      input: z.object({ q: z.string(), limit: z.number().default(3) }),
      run(input, { callId }) {
        expectTypeOf(input).toEqualTypeOf<{ q: string; limit: number }>();
        expectTypeOf(callId).toEqualTypeOf<string>();
      },
    });
  });

  test("a schema that is a function and knows no JSON Schema is taken with one beside it", () => {
    const input: StandardSchema = Object.assign(() => undefined, {
      "~standard": { version: 1, vendor: "own", validate: (value: unknown) => ({ value }) } as const,
    });
    const inputJsonSchema = { type: "object" };
    expect(defineTool({ ...basics, input, inputJsonSchema }).inputJsonSchema).toBe(inputJsonSchema);
    expect(messageOf(() => defineTool({ ...basics, input }))).toMatch(/^INVALID_AGENT: tool search .*inputJsonSchema/);
  });
});

describe("a tool that is defined wrongly fails when it is defined, by name:", () => {
  const wrong = (changes: object) => messageOf(() => defineTool({ ...basics, ...changes }));

  test.each([
    ["a name with a space", { name: "find it" }, /find it needs a name/],
    ["a name of 65 characters", { name: "a".repeat(65) }, /needs a name/],
    ["no name at all", { name: undefined }, /tool without a name needs a name/],
    ["no description", { description: " " }, /search needs a description/],
    ["no schema", { input: { type: "object" } }, /search needs a Standard Schema/],
    ["no run", { run: undefined }, /search needs a function run/],
    ["an unknown way to cancel", { cancel: "maybe" }, /search has cancel/],
    ["an empty type", { type: "" }, /search has a type/],
    ["an endless type", { type: "x".repeat(257) }, /search has a type/],
    ["no time", { timeoutMs: 0 }, /search has a timeoutMs/],
    ["too much time", { timeoutMs: TOOL_TIMEOUT_MS_MAX + 1 }, /search has a timeoutMs/],
    ["a type that JSON Schema lacks", { input: z.object({ at: z.date() }) }, /search has an input that JSON Schema/],
    ["a JSON Schema that is a list", { inputJsonSchema: [] }, /search needs a JSON Schema/],
    ["a JSON Schema that is no JSON", { inputJsonSchema: { at: new Date(0) } }, /search needs a JSON Schema/],
  ])("%s is refused at once", (_what, changes, says) => {
    const message = wrong(changes);
    expect(message).toMatch(/^INVALID_AGENT/);
    expect(message).toMatch(says);
  });

  test("the longest name, the longest type and the longest time are taken", () => {
    const most = { name: "a".repeat(64), type: "x".repeat(256), timeoutMs: TOOL_TIMEOUT_MS_MAX };
    expect(wrong(most)).toBe("defined");
  });
});
