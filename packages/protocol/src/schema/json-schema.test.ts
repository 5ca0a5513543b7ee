import { Ajv2020, type AnySchemaObject } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { compileCheck } from "./check.js";
import { toJsonSchema } from "./json-schema.js";
import type { Schema } from "./schema.js";
import {
  absent,
  array,
  boolean,
  choice,
  count,
  integer,
  json,
  literal,
  map,
  nullable,
  number,
  object,
  oneOf,
  openSet,
  optional,
  string,
} from "./schema.js";

const says = "One sentence.";
const description = says;
const MAX = Number.MAX_SAFE_INTEGER;

describe("a node", () => {
  test.each<[string, Schema, unknown]>([
    ["a string", string({ says }), { type: "string", description }],
    [
      "a bounded string",
      string({ pattern: /^[a-z]+$/, lengthMin: 1, lengthMax: 9 }),
      { type: "string", minLength: 1, maxLength: 9, pattern: "^[a-z]+$" },
    ],
    ["a word", literal("chunk", { says }), { const: "chunk", description }],
    ["a truth", literal(false), { const: false }],
    ["a closed set", oneOf(["a", "b"], { says }), { enum: ["a", "b"], description }],
    [
      "an open set",
      openSet(["A"], { others: /^[a-z]+$/, says }),
      { description, anyOf: [{ enum: ["A"] }, { type: "string", pattern: "^[a-z]+$" }] },
    ],
    ["a boolean", boolean({ says }), { type: "boolean", description }],
    ["a whole number", integer(), { type: "integer", minimum: -MAX, maximum: MAX }],
    ["a count", count({ says }), { type: "integer", description, minimum: 0, maximum: MAX }],
    ["a number", number(), { type: "number" }],
    ["a number with a minimum", number({ min: 0.5 }), { type: "number", minimum: 0.5 }],
    ["free JSON", json(), {}],
    ["free JSON with a sentence", json({ says }), { description }],
    ["an array", array(boolean(), { countMin: 2 }), { type: "array", minItems: 2, items: { type: "boolean" } }],
    ["a map", map(boolean(), { says }), { type: "object", description, additionalProperties: { type: "boolean" } }],
    ["a nullable", nullable(boolean(), { says }), { description, anyOf: [{ type: "boolean" }, { type: "null" }] }],
    ["an object without fields", object({}), { type: "object", properties: {} }],
  ])("of the kind %s becomes its JSON Schema [F-1]", (_name, schema, wanted) => {
    expect(toJsonSchema(schema)).toEqual(wanted);
  });
});

test("an object names its required fields and what needs what, forbids what must be absent, and stays open [F-1, W-FR-12]", () => {
  const schema = object(
    { content: optional(json()), role: optional(json()), error: absent(), id: string() },
    { says, requires: { content: ["role"] } },
  );
  expect(toJsonSchema(schema)).toEqual({
    type: "object",
    description,
    properties: { content: {}, role: {}, error: false, id: { type: "string" } },
    required: ["id"],
    dependentRequired: { content: ["role"] },
  });
});

test("a rule over several fields is told in the description and in a comment, because JSON Schema cannot say it [F-1]", () => {
  const rule = { path: "b", says: "must be a", holds: () => true };
  const ruled = toJsonSchema(object({ a: json(), b: json() }, { says, rule }));
  expect(ruled).toMatchObject({
    description: "One sentence. `b` must be a.",
    $comment: "Not expressed in this schema: `b` must be a.",
  });
  expect(toJsonSchema(object({ b: json() }, { rule }))).toMatchObject({ description: "`b` must be a." });
});

describe("a choice", () => {
  const named = object({ kind: literal("named"), name: string() });
  const bare = object({ size: count() });
  const schema = choice("kind", { named, bare }, { says });

  test("is one of its variants, each pinned to its discriminator also where the variant does not name it [F-1]", () => {
    expect(toJsonSchema(schema)).toEqual({
      description,
      oneOf: [
        toJsonSchema(named),
        { type: "object", properties: { kind: { const: "bare" } }, required: ["kind"], allOf: [toJsonSchema(bare)] },
      ],
    });
  });

  test.each([
    [{ kind: "named", name: "x" }, true],
    [{ kind: "bare", size: 1 }, true],
    [{ kind: "bare", name: "x" }, false],
    [{ kind: "other", size: 1 }, false],
    [{ size: 1 }, false],
    [{ kind: "named" }, false],
  ])("judges %j as our check does [F-1]", (value, passes) => {
    const judge = new Ajv2020({ strict: true }).compile(toJsonSchema(schema) as AnySchemaObject);
    expect([judge(value), compileCheck(schema)(value) === undefined]).toEqual([passes, passes]);
  });

  test("pins a variant whose own discriminator is optional or another word [F-1]", () => {
    const loose = choice("kind", {
      a: object({ kind: optional(literal("a")) }),
      b: object({ kind: literal("c" as string) }),
    });
    const pins = (toJsonSchema(loose) as { oneOf: { required?: string[] }[] }).oneOf.map(({ required }) => required);
    expect(pins).toEqual([["kind"], ["kind"]]);
    expect(JSON.stringify(toJsonSchema(loose))).toContain('"allOf"');
  });
});

test("a pattern with a flag is refused, because JSON Schema could not keep its meaning [F-1]", () => {
  expect(() => toJsonSchema(string({ pattern: /^a$/i }))).toThrowError(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
  expect(toJsonSchema(string({ pattern: /^\p{L}$/u }))).toEqual({ type: "string", pattern: "^\\p{L}$" });
});

test("a node of an unknown kind gets a typed error [F-1]", () => {
  expect(() => toJsonSchema({ kind: "date" } as never)).toThrowError(
    expect.objectContaining({ code: "INVARIANT_VIOLATION" }),
  );
});
