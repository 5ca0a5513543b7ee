import { expect, test } from "vitest";
import type { ObjectNode } from "./schema.js";
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
  object,
  optional,
  string,
} from "./schema.js";
import { compileFields, compileWrite } from "./write.js";

const schema = object({
  type: literal("offer"),
  id: string(),
  size: optional(count()),
  tags: array(string()),
  extra: map(json()),
  parent: nullable(object({ id: string() })),
  error: choice("code", { A: object({ code: literal("A") }), B: object({ code: literal("B"), n: count() }) }),
  flag: boolean(),
  gone: absent(),
});
const value = {
  type: "offer",
  id: 'a"b',
  tags: ["x", "\u2028"],
  extra: { "k\n": [1, null, { z: "\u0085" }] },
  parent: null,
  error: { code: "B", n: 2 },
  flag: false,
};

test("a value is written as compact JSON in the order of its definition", () => {
  expect(compileWrite(schema)(value)).toBe(
    '{"type":"offer","id":"a\\"b","tags":["x","\\u2028"],"extra":{"k\\n":[1,null,{"z":"\\u0085"}]},"parent":null,"error":{"code":"B","n":2},"flag":false}',
  );
  expect(JSON.parse(compileWrite(schema)(value))).toEqual(value);
  expect(compileWrite(object({}))({})).toBe("{}");
});

test("only defined fields are written, at every depth [W-ERR-8]", () => {
  const wide = {
    ...value,
    stack: "secret",
    parent: { id: "p", host: "db-1" },
    error: { code: "A", message: "secret" },
  };
  expect(JSON.parse(compileWrite(schema)(wide))).toEqual({ ...value, parent: { id: "p" }, error: { code: "A" } });
});

test("fields alone may follow others", () => {
  const node = object({ a: optional(count()), b: optional(count()) }) as ObjectNode;
  expect(compileFields(node, ",")({ a: 1 })).toBe(',"a":1');
  expect(compileFields(node, ",")({ b: 2, a: 1 })).toBe(',"a":1,"b":2');
  expect(compileFields(node, "")({ b: 2 })).toBe('"b":2');
  expect(compileFields(node, ",")({})).toBe("");
});
