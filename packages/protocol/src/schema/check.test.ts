import vm from "node:vm";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { JSON_DEPTH_MAX } from "../limits.js";
import { compileCheck } from "./check.js";
import type { Infer, Schema } from "./schema.js";
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

const broken = (schema: Schema, value: unknown) => compileCheck(schema)(value);
const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)]);

test("a definition gives the TypeScript type of its values [F-1]", () => {
  const _schema = object({
    id: string(),
    kind: literal("offer"),
    size: optional(count()),
    level: oneOf(["low", "high"]),
    open: openSet(["a"], { others: /^[a-z]$/ }),
    tags: array(string()),
    note: nullable(string()),
    extra: map(json()),
    gone: absent(),
    pick: choice("t", { x: object({ t: literal("x"), n: number() }), y: object({ t: literal("y"), b: boolean() }) }),
  });
  type Value = Infer<typeof _schema>;
  expectTypeOf<Value["id"]>().toEqualTypeOf<string>();
  expectTypeOf<Value["kind"]>().toEqualTypeOf<"offer">();
  expectTypeOf<Value["level"]>().toEqualTypeOf<"low" | "high">();
  expectTypeOf<Value["note"]>().toEqualTypeOf<string | null>();
  expectTypeOf<Value["tags"]>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Extract<Value["pick"], { t: "x" }>["n"]>().toEqualTypeOf<number>();
  expectTypeOf<{ id: string }>().toExtend<{ readonly id: string; readonly size?: number }>();
  // @ts-expect-error `size` is a number
  const _wrong: Value["size"] = "1";
});

describe("a bad value gets the field and the rule", () => {
  const offer = object({
    id: string({ lengthMin: 1, lengthMax: 4 }),
    tool: object({ name: string({ pattern: /^[a-z]+$/ }), runs: optional(count()) }),
    prices: optional(array(number({ min: 0 }), { countMin: 1 })),
    level: optional(oneOf(["low", "high"])),
    labels: optional(map(string())),
    extra: optional(json()),
    final: optional(literal(true)),
    gone: absent(),
    parent: optional(nullable(integer())),
    flag: optional(boolean()),
  });
  const good = { id: "a", tool: { name: "x" } };
  const cases: [unknown, string, string][] = [
    [undefined, "", "required"],
    [null, "", "type"],
    [[], "", "type"],
    ["text", "", "type"],
    [new Map(), "", "type"],
    [{ tool: { name: "x" } }, "id", "required"],
    [{ ...good, id: 7 }, "id", "type"],
    [{ ...good, id: "" }, "id", "length_min"],
    [{ ...good, id: "abcde" }, "id", "length_max"],
    [{ ...good, id: "\ud800" }, "id", "well_formed"],
    [{ ...good, tool: null }, "tool", "type"],
    [{ ...good, tool: { name: "X" } }, "tool.name", "pattern"],
    [{ ...good, tool: { name: "x", runs: -1 } }, "tool.runs", "minimum"],
    [{ ...good, tool: { name: "x", runs: 1.5 } }, "tool.runs", "type"],
    [{ ...good, tool: { name: "x", runs: Number.NaN } }, "tool.runs", "type"],
    [{ ...good, tool: { name: "x", runs: 2 ** 53 } }, "tool.runs", "type"],
    [{ ...good, prices: [] }, "prices", "count_min"],
    [{ ...good, prices: [1, Number.POSITIVE_INFINITY] }, "prices.1", "type"],
    [{ ...good, prices: "1" }, "prices", "type"],
    [{ ...good, level: "mid" }, "level", "one_of"],
    [{ ...good, level: 1 }, "level", "type"],
    [{ ...good, labels: { a: 1 } }, "labels.a", "type"],
    [{ ...good, labels: JSON.parse('{"__proto__":"x"}') }, "labels.__proto__", "forbidden_key"],
    [{ ...good, labels: [] }, "labels", "type"],
    [{ ...good, labels: { "\udc00": "x" } }, "labels.\udc00", "well_formed"],
    [{ ...good, extra: undefined, final: false }, "final", "literal"],
    [{ ...good, gone: 1 }, "gone", "absent"],
    [{ ...good, parent: "x" }, "parent", "type"],
    [{ ...good, flag: "true" }, "flag", "type"],
    [JSON.parse('{"id":"a","tool":{"name":"x"},"__proto__":{}}'), "__proto__", "forbidden_key"],
    [{ ...good, extra: { a: [JSON.parse('{"__proto__":1}')] } }, "extra.a.0.__proto__", "forbidden_key"],
    [{ ...good, extra: { a: Number.NaN } }, "extra.a", "type"],
    [{ ...good, extra: { a: undefined } }, "extra.a", "required"],
    [{ ...good, extra: { a: () => 1 } }, "extra.a", "type"],
    [{ ...good, extra: { a: 1n } }, "extra.a", "type"],
    [{ ...good, extra: new Date() }, "extra", "type"],
    [{ ...good, extra: ["\udfff"] }, "extra.0", "well_formed"],
    [{ ...good, extra: nest(JSON_DEPTH_MAX + 1) }, `extra${".0".repeat(JSON_DEPTH_MAX)}`, "depth_max"],
  ];
  for (const [index, [value, path, rule]] of cases.entries()) {
    test(`bad value ${index}: ${path.slice(0, 40) || "the whole"} breaks ${rule}`, () => {
      const issue = broken(offer, value);
      expect(issue).toMatchObject({ path, rule });
      expect(issue?.message.startsWith(path === "" ? "" : `${path} `)).toBe(true);
    });
  }

  test("a good value passes, also at its bounds and from another realm", () => {
    expect(broken(offer, good)).toBeUndefined();
    expect(broken(offer, { ...good, id: "abcd", parent: null, extra: nest(JSON_DEPTH_MAX) })).toBeUndefined();
    expect(broken(offer, { ...good, prices: undefined })).toBeUndefined();
    expect(broken(offer, vm.runInNewContext(`({ id: "a", tool: { name: "x" } })`))).toBeUndefined();
    expect(broken(offer, Object.assign(Object.create(null), good))).toBeUndefined();
  });

  test("a cycle is refused by its depth instead of overflowing the stack", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(broken(json(), cycle)).toMatchObject({ rule: "depth_max" });
  });

  test("the value itself is not in the message", () => {
    expect(broken(object({ a: oneOf(["x"]) }), { a: "sk-secret" })?.message).not.toContain("sk-secret");
    expect(broken(object({ a: count() }), { a: "sk-secret" })?.message).not.toContain("sk-secret");
  });
});

test("unknown fields pass a reader and are refused to a writer [W-FR-12]", () => {
  const schema = object({ tool: object({ id: string() }) });
  const wide = { tool: { id: "1", arguments: { q: "secret" } }, later: 1 };
  expect(compileCheck(schema)(wide)).toBeUndefined();
  const strict = compileCheck(schema, { unknown: "refuse" });
  expect(strict(wide)).toMatchObject({ path: "tool.arguments", rule: "unknown_field" });
  expect(strict({ tool: { id: "1" }, later: 1 })).toMatchObject({ path: "later", rule: "unknown_field" });
});

test("a choice is made by its field, and a missing or strange one is named", () => {
  const schema = choice("code", { A: object({ code: literal("A"), n: count() }), B: object({ code: literal("B") }) });
  expect(broken(schema, { code: "A", n: 1 })).toBeUndefined();
  expect(broken(schema, { code: "A" })).toMatchObject({ path: "n", rule: "required" });
  expect(broken(schema, { code: "C" })).toMatchObject({ path: "code", rule: "one_of" });
  expect(broken(schema, { code: "toString" })).toMatchObject({ path: "code", rule: "one_of" });
  expect(broken(schema, {})).toMatchObject({ path: "code", rule: "required" });
  expect(broken(schema, 1)).toMatchObject({ path: "", rule: "type" });
});

test("a field may need another, and a rule may span fields", () => {
  const schema = object(
    { content: optional(string()), role: optional(string()), total: optional(count()) },
    {
      requires: { content: ["role"] },
      rule: { path: "total", says: "must be even", holds: ({ total }: { total?: number }) => (total ?? 0) % 2 === 0 },
    },
  );
  expect(broken(schema, { content: "x", role: "y" })).toBeUndefined();
  expect(broken(schema, { content: "x" })).toMatchObject({ path: "role", rule: "required" });
  expect(broken(schema, { total: 3 })).toEqual({ path: "total", rule: "rule", message: "total must be even" });
});

test("an open set takes new words of its pattern and no sentence", () => {
  const schema = openSet(["upstream_timeout"], { others: /^[a-z][a-z0-9_]{0,63}$/ });
  for (const value of ["upstream_timeout", "quota_spent"]) expect(broken(schema, value)).toBeUndefined();
  for (const value of ["Error: x at db-1.internal", ""])
    expect(broken(schema, value)).toMatchObject({ rule: "one_of" });
});

test("whatever JSON can carry passes as JSON and comes back the same", () => {
  const check = compileCheck(json());
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      const issue = check(plain);
      if (issue === undefined) expect(JSON.parse(JSON.stringify(plain))).toEqual(plain);
      else expect(["well_formed", "forbidden_key"]).toContain(issue.rule);
    }),
  );
});

test("no value whatever makes a validator throw", () => {
  const check = compileCheck(object({ a: optional(json()), b: optional(array(map(count()))) }));
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withDate: true, withMap: true }), (value) => void check(value)),
  );
});
