// Values of a schema, for property tests: what compileCheck passes and JSON can carry.
//   R1. Every value passes compileCheck of its schema, rules over several fields included.
//   R2. Strings are well-formed, now and then as long as they may be; free JSON holds no `__proto__`.

import fc from "fast-check";
import { unreachable } from "../../src/error.js";
import type { ChoiceNode, NumberNode, ObjectNode, OneOfNode, Schema, StringNode } from "../../src/schema/schema.js";
import { isOptional, schemaOf } from "../../src/schema/schema.js";

type Fields = { readonly [name: string]: unknown };

export function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.kind) {
    case "string":
      return stringsOf(schema);
    case "literal":
      return fc.constant(schema.value);
    case "one_of":
      return wordsOf(schema);
    case "boolean":
      return fc.boolean();
    case "number":
      return numbersOf(schema);
    case "json":
      return anyJson;
    case "array":
      return fc.array(arbitraryOf(schema.items), {
        minLength: schema.countMin ?? 0,
        maxLength: (schema.countMin ?? 0) + 2,
      });
    case "map":
      return fc.dictionary(anyKey, arbitraryOf(schema.values), { maxKeys: 2 });
    case "object":
      return objectsOf(schema);
    case "choice":
      return choicesOf(schema);
    case "nullable":
      return fc.option(arbitraryOf(schema.inner), { nil: null });
    case "absent":
      return fc.constant(undefined);
    default:
      return unreachable(schema);
  }
}

const anyKey = fc.string({ unit: "binary", maxLength: 8 }).filter((key) => key !== "__proto__");

const anyJson: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 2, stringUnit: "binary" })
  .filter((value) => !JSON.stringify(value).includes("__proto__"));

/** Beyond this a string as long as it may be costs more time than it finds. */
const LONG_LENGTH_MAX = 4_096;

function stringsOf({ pattern, lengthMin = 0, lengthMax = LONG_LENGTH_MAX }: StringNode): fc.Arbitrary<string> {
  const fits = (text: string) => text.length >= lengthMin && text.length <= lengthMax;
  if (pattern !== undefined) return fc.stringMatching(pattern, { maxLength: Math.min(lengthMax, 64) }).filter(fits);
  const short = fc.string({ unit: "binary", minLength: lengthMin, maxLength: Math.min(lengthMax, 12) }).filter(fits);
  if (lengthMax >= LONG_LENGTH_MAX) return short;
  return fc.oneof({ weight: 30, arbitrary: short }, { weight: 1, arbitrary: fc.constant("x".repeat(lengthMax)) });
}

function wordsOf({ values, others }: OneOfNode): fc.Arbitrary<string> {
  const known = fc.constantFrom(...values);
  return others === undefined ? known : fc.oneof(known, fc.stringMatching(others));
}

function numbersOf({ whole, min }: NumberNode): fc.Arbitrary<number> {
  if (whole)
    return fc.oneof(
      fc.integer({ min: min ?? -9, max: 99 }),
      fc.maxSafeInteger().filter((n) => n >= (min ?? n)),
    );
  return fc.double({ noNaN: true, noDefaultInfinity: true, ...(min !== undefined && { min }) });
}

function choicesOf({ variants }: ChoiceNode): fc.Arbitrary<unknown> {
  return fc.oneof(...Object.values(variants).map(arbitraryOf));
}

function objectsOf(node: ObjectNode): fc.Arbitrary<unknown> {
  const present = Object.entries(node.fields).filter(([, field]) => schemaOf(field).kind !== "absent");
  const model = Object.fromEntries(present.map(([name, field]) => [name, arbitraryOf(schemaOf(field))]));
  const requiredKeys = present.filter(([, field]) => !isOptional(field)).map(([name]) => name);
  const records = fc.record(model, { requiredKeys }).map((fields) => dropUnaccompanied(node, { ...fields }));
  const { rule } = node;
  if (rule === undefined) return records;
  const holds = (fields: Fields) => rule.holds(fields as never);
  return records.map((fields) => repairsOf(fields, rule.path).find(holds) ?? fields).filter(holds);
}

function dropUnaccompanied({ requires = {} }: ObjectNode, fields: Fields): Fields {
  const alone = Object.entries(requires).filter(([, needed]) => needed.some((name) => fields[name] === undefined));
  const dropped = new Set(alone.map(([name]) => name));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !dropped.has(name)));
}

/** What may bring a value within the rule about `path`; chance alone would hardly ever meet a sum. */
function repairsOf(fields: Fields, path: string): Fields[] {
  switch (path) {
    case "total_tokens": {
      const [input, output] = [half(fields.input_tokens), half(fields.output_tokens)];
      return [fields, { ...fields, input_tokens: input, output_tokens: output, total_tokens: input + output }];
    }
    case "items": {
      const { items: _items, ...withoutItems } = fields;
      const { chunk: _chunk, ...withoutChunk } = fields;
      return [fields, withoutItems, withoutChunk];
    }
    case "content_items": {
      const items = (fields.content_items as Fields[]).map((item, sequence) => ({ ...item, sequence }));
      return [fields, { ...fields, content_items: items }, { ...fields, content_items: items.slice(0, 1) }];
    }
    default:
      return [fields];
  }
}

function half(count: unknown): number {
  return Math.floor((count as number) / 2);
}
