// Compiles a schema into a validator. A good value costs a few compares and no allocation; a bad one gets the first
// field that broke a rule. No value made of data makes a validator throw; a getter or a proxy may throw what it likes.
//   V1. A value that passes survives JSON.stringify → JSON.parse unchanged (but for -0 and key order).
//   V2. `__proto__` as a key is refused at every depth: it is how a JSON merge swaps a prototype.
//   V3. Unknown fields pass by default, because clients must ignore what they do not know [W-FR-12]; `unknown: "refuse"`
//       is for what we write ourselves.

import type { Issue } from "../error.js";
import { unreachable } from "../error.js";
import { JSON_DEPTH_MAX } from "../limits.js";
import type {
  ArrayNode,
  ChoiceNode,
  MapNode,
  NumberNode,
  ObjectNode,
  OneOfNode,
  Schema,
  StringNode,
} from "./schema.js";
import { isOptional, schemaOf } from "./schema.js";
import { isWellFormed } from "./text.js";

/** Returns the first broken rule, or nothing. */
export type Check = (value: unknown) => Issue | undefined;

export interface CheckOptions {
  readonly unknown?: "ignore" | "refuse";
}

export function compileCheck(schema: Schema, options: CheckOptions = {}): Check {
  switch (schema.kind) {
    case "string":
      return checkString(schema);
    case "literal": {
      const { value: wanted } = schema;
      const rule = issue("literal", `must be ${JSON.stringify(wanted)}`);
      return (value) => (value === wanted ? undefined : value === undefined ? wrongType("", value) : rule);
    }
    case "one_of":
      return checkOneOf(schema);
    case "boolean":
      return (value) => (typeof value === "boolean" ? undefined : wrongType("a boolean", value));
    case "number":
      return checkNumber(schema);
    case "json":
      return (value) => checkJson(value, 0);
    case "array":
      return checkArray(schema, options);
    case "map":
      return checkMap(schema, options);
    case "object":
      return checkObject(schema, options);
    case "choice":
      return checkChoice(schema, options);
    case "nullable": {
      const inner = compileCheck(schema.inner, options);
      return (value) => (value === null ? undefined : inner(value));
    }
    case "absent":
      return () => issue("absent", "must not be present here");
    default:
      return unreachable(schema);
  }
}

function issue(rule: string, message: string): Issue {
  return { path: "", rule, message };
}

/** Puts a broken rule of a part under the part's name; the message always starts with the whole path. */
function within(name: string | number, inner: Issue): Issue {
  const path = inner.path === "" ? String(name) : `${name}.${inner.path}`;
  const says = inner.path === "" ? inner.message : inner.message.slice(inner.path.length + 1);
  return { path, rule: inner.rule, message: `${path} ${says}` };
}

function wrongType(wanted: string, value: unknown): Issue {
  return value === undefined
    ? issue("required", "is required")
    : issue("type", `must be ${wanted}, not ${nameType(value)}`);
}

// The value itself never enters a message: it may be a secret, and messages reach logs.
function nameType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function checkString({ pattern, lengthMin = 0, lengthMax = Number.POSITIVE_INFINITY }: StringNode): Check {
  return (value) => {
    if (typeof value !== "string") return wrongType("a string", value);
    if (value.length < lengthMin) return issue("length_min", `must have at least ${lengthMin} characters`);
    if (value.length > lengthMax) return issue("length_max", `must have at most ${lengthMax} characters`);
    if (!isWellFormed(value)) return issue("well_formed", "must be well-formed Unicode (it holds a lone surrogate)");
    if (pattern !== undefined && !pattern.test(value)) return issue("pattern", `must match ${pattern.source}`);
    return undefined;
  };
}

function checkOneOf({ values, others }: OneOfNode): Check {
  const known = new Set<unknown>(values);
  return (value) => {
    if (known.has(value)) return undefined;
    if (typeof value !== "string") return wrongType("a string", value);
    if (others?.test(value)) return undefined;
    return issue("one_of", `must be one of ${values.join(", ")}${others ? `, or match ${others.source}` : ""}`);
  };
}

function checkNumber({ whole, min = Number.NEGATIVE_INFINITY }: NumberNode): Check {
  const accepts = whole ? Number.isSafeInteger : Number.isFinite;
  const wanted = whole ? "a whole number" : "a finite number";
  return (value) => {
    if (!accepts(value)) return wrongType(wanted, value);
    return (value as number) < min ? issue("minimum", `must be at least ${min}`) : undefined;
  };
}

function checkJson(value: unknown, depth: number): Issue | undefined {
  if (value === null) return undefined;
  switch (typeof value) {
    case "string":
      return isWellFormed(value)
        ? undefined
        : issue("well_formed", "must be well-formed Unicode (it holds a lone surrogate)");
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : wrongType("a finite number", value);
    case "object":
      break;
    default:
      return wrongType("a JSON value", value);
  }
  if (depth >= JSON_DEPTH_MAX) return issue("depth_max", `must nest at most ${JSON_DEPTH_MAX} deep`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const broken = checkJson(value[index], depth + 1);
      if (broken) return within(index, broken);
    }
    return undefined;
  }
  if (!isPlainObject(value)) return issue("type", "must be a plain object (not a class instance, a date or a map)");
  for (const key in value) {
    const broken = checkKey(key) ?? checkJson(value[key], depth + 1);
    if (broken) return within(key, broken);
  }
  return undefined;
}

const FORBIDDEN_KEY = issue("forbidden_key", "must not be used as a key");

function checkKey(key: string): Issue | undefined {
  if (key === "__proto__") return FORBIDDEN_KEY;
  return isWellFormed(key) ? undefined : issue("well_formed", "must be a well-formed key");
}

function checkArray({ items, countMin = 0 }: ArrayNode, options: CheckOptions): Check {
  const check = compileCheck(items, options);
  return (value) => {
    if (!Array.isArray(value)) return wrongType("an array", value);
    if (value.length < countMin) return issue("count_min", `must have at least ${countMin} items`);
    for (let index = 0; index < value.length; index += 1) {
      const broken = check(value[index]);
      if (broken) return within(index, broken);
    }
    return undefined;
  };
}

function checkMap({ values }: MapNode, options: CheckOptions): Check {
  const check = compileCheck(values, options);
  return (value) => {
    if (!isPlainObject(value)) return wrongType("an object", value);
    for (const key of Object.keys(value)) {
      const broken = checkKey(key) ?? check(value[key]);
      if (broken) return within(key, broken);
    }
    return undefined;
  };
}

function checkObject(node: ObjectNode, options: CheckOptions): Check {
  const names = Object.keys(node.fields);
  const known = new Set(names);
  const optional = names.map((name) => isOptional(node.fields[name] as Schema));
  const checks = names.map((name) => compileCheck(schemaOf(node.fields[name] as Schema), options));
  const requires = Object.entries(node.requires ?? {});
  const rule = node.rule;
  const refuseUnknown = options.unknown === "refuse";
  return (value) => {
    if (!isPlainObject(value)) return wrongType("an object", value);
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] as string;
      const field = value[name];
      if (field === undefined && optional[index]) continue;
      const broken = (checks[index] as Check)(field);
      if (broken) return within(name, broken);
    }
    if (!isOrdinary(value) && Object.hasOwn(value, "__proto__")) return within("__proto__", FORBIDDEN_KEY);
    for (const [name, needed] of requires) {
      if (value[name] === undefined) continue;
      const missing = needed.find((other) => value[other] === undefined);
      if (missing !== undefined) return within(missing, issue("required", `is required when ${name} is present`));
    }
    if (refuseUnknown) {
      const stranger = Object.keys(value).find((key) => !known.has(key));
      if (stranger !== undefined) return within(stranger, issue("unknown_field", "is not a field of this type"));
    }
    if (rule !== undefined && !rule.holds(value as never)) return within(rule.path, issue("rule", rule.says));
    return undefined;
  };
}

function checkChoice({ by, variants }: ChoiceNode, options: CheckOptions): Check {
  const checks = new Map(
    Object.entries(variants).map(([value, schema]) => [value as unknown, compileCheck(schema, options)]),
  );
  const wanted = [...checks.keys()].join(", ");
  return (value) => {
    if (!isPlainObject(value)) return wrongType("an object", value);
    const check = checks.get(value[by]);
    if (check !== undefined) return check(value);
    return within(
      by,
      typeof value[by] === "string" ? issue("one_of", `must be one of ${wanted}`) : wrongType("a string", value[by]),
    );
  };
}

// Reading `__proto__` is one cached load, where getPrototypeOf and hasOwn are two calls, and it answers both questions at
// once: an ordinary object whose `__proto__` is Object.prototype has no key of that name.
export function isOrdinary(value: object): boolean {
  // biome-ignore lint/suspicious/noProto: read, never written; a runtime without the accessor takes the slower way.
  return (value as { __proto__: unknown }).__proto__ === Object.prototype;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  if (isOrdinary(value)) return true;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === Object.prototype || prototype === null || isForeignObject(prototype);
}

// An object of another realm (an iframe, a vm context) has another Object.prototype, which itself has none.
function isForeignObject(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "hasOwnProperty");
}
