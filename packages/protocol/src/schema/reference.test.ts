import { describe, expect, test } from "vitest";
import { describeFields, renderFieldTable, renderTable } from "./reference.js";
import type { Schema } from "./schema.js";
import {
  absent,
  array,
  boolean,
  choice,
  count,
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

const pathsOf = (schema: Schema) => describeFields(schema).map(({ path }) => path);

test("every field has a row, in the order of the definition, with its type, presence and sentence [F-1]", () => {
  const schema = object({ name: string({ says: "The name." }), size: optional(count({ says: "Its size." })) });
  expect(describeFields(schema)).toEqual([
    { path: "name", type: "string", required: true, says: "The name." },
    { path: "size", type: "integer from 0", required: false, says: "Its size." },
  ]);
});

describe("a type", () => {
  test.each<[Schema, string]>([
    [string({ lengthMin: 1, lengthMax: 9 }), "string of 1 to 9 characters"],
    [string({ lengthMax: 9 }), "string of at most 9 characters"],
    [string({ lengthMin: 1, pattern: /^a/ }), "string of at least 1 characters matching `^a`"],
    [literal("chunk"), '`"chunk"`'],
    [literal(false), "`false`"],
    [oneOf(["a", "b"]), '`"a"` or `"b"`'],
    [openSet(["a"], { others: /^b/ }), '`"a"`, or another word matching `^b`'],
    [boolean(), "boolean"],
    [number(), "number"],
    [number({ min: 0 }), "number from 0"],
    [json(), "any JSON"],
    [array(boolean(), { countMin: 1 }), "array of boolean, at least 1"],
    [map(boolean()), "object with free keys and values: boolean"],
    [object({}), "object"],
    [choice("kind", {}), "object by `kind`"],
    [nullable(boolean()), "boolean, or null"],
  ])("%j has words [F-1]", (schema, words) => {
    expect(describeFields(object({ field: schema }))[0]?.type).toBe(words);
  });

  test("a field that must be absent says so [F-1]", () => {
    expect(describeFields(object({ error: absent() }))).toEqual([
      { path: "error", type: "never present", required: false, says: "" },
    ]);
  });
});

test("parts are told by their path: fields, items of arrays and values of maps, also within a nullable [F-1]", () => {
  const part = object({ id: json() });
  const schema = object({ one: part, many: array(part), keyed: map(part), maybe: nullable(part) });
  expect(pathsOf(schema)).toEqual(["one", "one.id", "many", "many[].id", "keyed", "keyed.*.id", "maybe", "maybe.id"]);
});

describe("a choice", () => {
  const failure = choice("code", {
    A: object({ code: literal("A"), at: count(), id: string() }, { says: "The first." }),
    B: object({ code: literal("B"), at: count() }),
  });

  test("tells its discriminator, each alternative with what only it has, and once what all of them share [F-1]", () => {
    expect(describeFields(object({ error: failure })).slice(1)).toEqual([
      { path: "error.code", type: '`"A"` or `"B"`', required: true, says: "Which alternative." },
      { path: "error{code=A}", type: "object", required: false, says: "The first." },
      { path: "error{code=A}.id", type: "string", required: true, says: "" },
      { path: "error{code=B}", type: "object", required: false, says: "" },
      { path: "error.at", type: "integer from 0", required: true, says: "" },
    ]);
  });

  test("keeps a field apart whose type, presence or sentence differs between alternatives [F-1]", () => {
    const differing = [string(), optional(json()), json({ says: "Other." })];
    for (const field of differing) {
      const schema = choice("code", { A: object({ at: json() }), B: object({ at: field }) });
      expect(pathsOf(schema)).toEqual(["code", "{code=A}", "{code=A}.at", "{code=B}", "{code=B}.at"]);
    }
  });

  test("has readable paths as the items of an array and at the root [F-1]", () => {
    expect(pathsOf(object({ failed: array(failure) }))).toContain("failed[]{code=A}.id");
    expect(pathsOf(failure)).toContain("{code=A}.id");
  });
});

test("what an object's rules say is told at the field they are about [F-1]", () => {
  const rule = { path: "total", says: "must be a + b", holds: () => true };
  const schema = object(
    { role: optional(json({ says: "Who." })), content: optional(json()), total: count() },
    { requires: { content: ["role"] }, rule },
  );
  expect(describeFields(schema).map(({ says }) => says)).toEqual([
    "Who. Required when `content` is present.",
    "",
    "Must be a + b.",
  ]);
});

test("a rule about a field that does not exist is refused [F-1]", () => {
  const rule = { path: "gone", says: "must be here", holds: () => true };
  expect(() => describeFields(object({ here: json() }, { rule }))).toThrowError(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("a schema without parts has no rows, and one of an unknown kind gets a typed error [F-1]", () => {
  expect(describeFields(string())).toEqual([]);
  expect(() => describeFields({ kind: "date" } as never)).toThrowError(
    expect.objectContaining({ code: "INVARIANT_VIOLATION" }),
  );
  expect(() => describeFields(object({ at: { kind: "date" } as never }))).toThrowError(
    expect.objectContaining({ code: "INVARIANT_VIOLATION" }),
  );
});

test("a table escapes bars and line breaks, so that a cell cannot break out of it [F-1]", () => {
  expect(renderTable(["a"], [["x|y\n  z"]])).toBe("| a |\n| --- |\n| x\\|y z |\n");
});

test("a table of fields has a line per row, and a sentence where there is none [F-1]", () => {
  const rows = [
    { path: "a", type: "string", required: true, says: "First." },
    { path: "b", type: "any JSON", required: false, says: "Second." },
  ];
  const lines = ["| `a` | string | yes | First. |", "| `b` | any JSON | no | Second. |"];
  expect(renderFieldTable(rows).trimEnd().split("\n").slice(2)).toEqual(lines);
  expect(renderFieldTable([])).toBe("No fields of its own.\n");
});
