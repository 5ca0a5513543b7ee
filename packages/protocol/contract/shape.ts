// A JSON Schema of the contract, read back as what a program relies on: a set of words, a string, an object and so on.
// It is the common form in which a document written by hand and a generated one can be compared (compare.ts).
// Owns: which forms of JSON Schema a contract may use. A form it does not know is refused, never taken for equal.

import { FramerailError } from "../src/error.js";
import type { Json } from "../src/schema/schema.js";

type Keywords = { readonly [keyword: string]: Json };

export type Shape =
  | { readonly kind: "absent" }
  | { readonly kind: "any JSON" }
  | { readonly kind: "a set of words"; readonly words: readonly Json[]; readonly others: string | undefined }
  | { readonly kind: "a value or null"; readonly inner: Json }
  | { readonly kind: "a choice"; readonly by: string; readonly variants: ReadonlyMap<string, Json> }
  | { readonly kind: "an object"; readonly object: ObjectShape }
  | { readonly kind: "a map"; readonly values: Json; readonly bounds: Bounds }
  | { readonly kind: "an array"; readonly items: Json; readonly bounds: Bounds }
  | { readonly kind: "a string" | "an integer" | "a number" | "a boolean" | "null"; readonly bounds: Bounds };

export interface ObjectShape {
  readonly properties: ReadonlyMap<string, Json>;
  readonly required: ReadonlySet<string>;
  /** field → fields that must be there with it. */
  readonly requires: ReadonlyMap<string, ReadonlySet<string>>;
  readonly bounds: Bounds;
}

/** Keyword → its value. `$comment` carries the rules that JSON Schema has no words for. */
export type Bounds = ReadonlyMap<string, number | string>;

const BOUNDS = ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "pattern", "$comment"];
/** Keywords that say nothing about values. */
const REMARKS = ["description", "title", "deprecated", "examples"];
const FORMS = ["type", "const", "enum", "anyOf", "oneOf", "items", "additionalProperties"];
const OBJECT_FORMS = ["properties", "required", "dependentRequired"];
const KNOWN: ReadonlySet<string> = new Set([...BOUNDS, ...REMARKS, ...FORMS, ...OBJECT_FORMS]);

const SIMPLE = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  null: "null",
} as const;

export function readShape(schema: Json | undefined, where: string): Shape {
  if (schema === false) return { kind: "absent" };
  if (schema === true) return { kind: "any JSON" };
  const keywords = keywordsOf(schema, where);
  if (!Object.keys(keywords).every((keyword) => KNOWN.has(keyword))) throw unreadable(where);
  const { type, const: word, enum: words, anyOf, oneOf } = keywords;
  if (word !== undefined) return { kind: "a set of words", words: [word], others: undefined };
  if (words !== undefined) return { kind: "a set of words", words: listOf(words, where), others: undefined };
  if (anyOf !== undefined) return readAnyOf(listOf(anyOf, where), where);
  if (oneOf !== undefined) return readChoice(listOf(oneOf, where), where);
  if (type === undefined && Object.keys(keywords).every((keyword) => REMARKS.includes(keyword)))
    return { kind: "any JSON" };
  return readType(keywords, where);
}

function readType(keywords: Keywords, where: string): Shape {
  const { type, items, additionalProperties } = keywords;
  const bounds = readBounds(keywords, where);
  if (type === "array") return { kind: "an array", items: items ?? true, bounds };
  if (type === "object" && additionalProperties !== undefined) {
    return { kind: "a map", values: additionalProperties, bounds };
  }
  if (type === "object") return { kind: "an object", object: readObject(keywords, bounds, where) };
  if (typeof type === "string" && Object.hasOwn(SIMPLE, type)) {
    return { kind: SIMPLE[type as keyof typeof SIMPLE], bounds };
  }
  throw unreadable(where);
}

function readBounds(keywords: Keywords, where: string): Bounds {
  const bounds = new Map<string, number | string>();
  for (const name of BOUNDS) {
    const bound = keywords[name];
    if (typeof bound === "number" || typeof bound === "string") bounds.set(name, bound);
    else if (bound !== undefined) throw unreadable(where);
  }
  return bounds;
}

function readObject(
  { properties = {}, required = [], dependentRequired = {} }: Keywords,
  bounds: Bounds,
  where: string,
) {
  const requires = Object.entries(keywordsOf(dependentRequired, where));
  return {
    properties: new Map(Object.entries(keywordsOf(properties, where))),
    required: new Set(listOf(required, where).map(String)),
    requires: new Map(requires.map(([name, needed]) => [name, new Set(listOf(needed, where).map(String))])),
    bounds,
  };
}

function readAnyOf(parts: readonly Json[], where: string): Shape {
  const [first = true, second, ...more] = parts;
  const last = keywordsOf(second, where);
  const { enum: words } = keywordsOf(first, where);
  if (more.length === 0 && last.type === "null") return { kind: "a value or null", inner: first };
  if (more.length === 0 && words !== undefined && typeof last.pattern === "string") {
    return { kind: "a set of words", words: listOf(words, where), others: last.pattern };
  }
  throw unreadable(where);
}

/** The discriminator is the field that is one word in every alternative, and another word in each. */
function readChoice(alternatives: readonly Json[], where: string): Shape {
  const variants = alternatives.map((variant) => ({
    variant,
    words: Object.entries(keywordsOf(keywordsOf(variant, where).properties, where)).flatMap(([name, property]) => {
      const word = isKeywords(property) ? property.const : undefined;
      return typeof word === "string" ? [[name, word] as const] : [];
    }),
  }));
  for (const [by] of variants[0]?.words ?? []) {
    const byWord = new Map<string, Json>();
    for (const { variant, words } of variants) {
      const word = words.find(([name]) => name === by)?.[1];
      if (word !== undefined) byWord.set(word, variant);
    }
    if (byWord.size === variants.length) return { kind: "a choice", by, variants: byWord };
  }
  throw unreadable(where);
}

function isKeywords(value: Json | undefined): value is Keywords {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function keywordsOf(value: Json | undefined, where: string): Keywords {
  if (isKeywords(value)) return value;
  throw unreadable(where);
}

function listOf(value: Json, where: string): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw unreadable(where);
}

function unreadable(where: string): FramerailError {
  return new FramerailError("INVALID_ARGUMENT", `the schema of ${where} has a form that contracts do not use`);
}
