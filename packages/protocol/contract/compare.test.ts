import { describe, expect, test } from "vitest";
import type { Json } from "../src/schema/schema.js";
import type { Break } from "./compare.js";
import { compareContracts } from "./compare.js";
import { PUBLISHED } from "./published.js";
import { framesDocument } from "./schema-documents.js";

/** A document that may be changed in place. */
type Draft = { [key: string]: Draft };

const current = framesDocument(PUBLISHED, "0.5") as unknown as Json;

function breaksAfter(change: (defs: Draft) => void): Break[] {
  const copy = JSON.parse(JSON.stringify(current)) as { $defs: Draft };
  change(copy.$defs);
  return compareContracts(current, copy as unknown as Json);
}

function at(defs: Draft, path: string): Draft {
  return path.split("/").reduce((draft, key) => draft[key] as Draft, defs);
}

function set(path: string, name: string, value: unknown) {
  return (defs: Draft) => {
    at(defs, path)[name] = value as Draft;
  };
}

function remove(path: string, name: string) {
  return (defs: Draft) => {
    delete at(defs, path)[name];
  };
}

function inList(path: string, edit: (list: unknown[]) => unknown[]) {
  return (defs: Draft) => {
    const [name, ...parents] = path.split("/").reverse() as [string, ...string[]];
    const parent = at(defs, parents.reverse().join("/"));
    parent[name] = edit(parent[name] as unknown as unknown[]) as unknown as Draft;
  };
}

const all =
  (...changes: ((defs: Draft) => void)[]) =>
  (defs: Draft) => {
    for (const change of changes) change(defs);
  };

const without = (word: string) => (list: unknown[]) => list.filter((other) => other !== word);
const plus = (word: unknown) => (list: unknown[]) => [...list, word];
const TEXT = "text/properties";
const TOOL = "tool_completed/properties/tool_call/properties";
const FAILURES = "error/properties/error/oneOf";
const STATUSES = `${TOOL}/status/enum`;
const DATA = "data_loaded/properties/data/properties";
const REASON = `${FAILURES}/3/properties/reason`;
const REASONS = "error error{code=CCS_ENVELOPE_ERROR}.reason";

/** One planted break and what must be found, as `kind type path`. */
type Plant = readonly [name: string, change: (defs: Draft) => void, ...found: string[]];

const PLANTS: readonly Plant[] = [
  ["a removed type", (defs) => delete defs.reasoning, "type_removed reasoning "],
  [
    "a renamed field",
    all(
      remove(TEXT, "chunk"),
      set(TEXT, "piece", { type: "string" }),
      inList("text/required", without("chunk")),
      inList("text/required", plus("piece")),
    ),
    "field_removed text chunk",
    "newly_required text piece",
  ],
  [
    "a removed field",
    all(remove(TEXT, "chunk"), inList("text/required", without("chunk"))),
    "field_removed text chunk",
  ],
  ["a removed optional field", remove(TOOL, "status"), "field_removed tool_completed tool_call.status"],
  ["a field that must be absent now", set(TOOL, "status", false), "field_removed tool_completed tool_call.status"],
  ["another type", set(TEXT, "chunk", { type: "integer" }), "type_changed text chunk"],
  ["a field that may be null now", set(TEXT, "chunk", nullable({ type: "string" })), "type_changed text chunk"],
  ["a string made a set", set(TEXT, "chunk", { enum: ["a"] }), "type_changed text chunk"],
  [
    "free JSON made an object",
    set("component/properties", "chunk", { type: "object" }),
    "type_changed component chunk",
  ],
  ["a choice made an object", set("error/properties", "error", { type: "object" }), "type_changed error error"],
  [
    "another type of an item",
    set(`${DATA}/items`, "items", { type: "string" }),
    "type_changed data_loaded data.items[]",
  ],
  [
    "another type of the values of a map",
    set(`${DATA}/key/properties/ids/items`, "additionalProperties", { type: "string" }),
    "type_changed data_loaded data.key.ids[].*",
  ],
  ["an optional field made required", inList("text/required", plus("seq")), "newly_required text seq"],
  [
    "a new required field",
    all(set(TEXT, "language", { type: "string" }), inList("text/required", plus("language"))),
    "newly_required text language",
  ],
  [
    "a field required with another",
    set("thinking", "dependentRequired", { content: ["role"], role: ["content"] }),
    "newly_required thinking content",
  ],
  ["a required field made optional", inList("text/required", without("chunk")), "newly_optional text chunk"],
  [
    "a field not required with another any more",
    remove("thinking", "dependentRequired"),
    "newly_optional thinking role",
  ],
  ["a word less in a closed set", inList(STATUSES, without("unknown")), "enum_changed tool_completed tool_call.status"],
  ["a word more in a closed set", inList(STATUSES, plus("failed")), "enum_changed tool_completed tool_call.status"],
  ["another constant", set(`${TEXT}/version`, "const", "0.6"), "enum_changed text version"],
  ["an alternative less", inList(FAILURES, (list) => list.slice(1)), "enum_changed error error.code"],
  ["an alternative more", inList(FAILURES, plus(alternative("QUOTA"))), "enum_changed error error.code"],
  ["a word less in an open set", inList(`${REASON}/anyOf/0/enum`, without("unauthorized")), `enum_changed ${REASONS}`],
  ["other words in an open set", set(`${REASON}/anyOf/1`, "pattern", "^[A-Z]+$"), `enum_changed ${REASONS}`],
  ["an open set closed", close(REASON), `enum_changed ${REASONS}`],
  ["a smaller maximum", set(`${TOOL}/id`, "maxLength", 10), "bound_narrowed tool_completed tool_call.id"],
  ["a larger minimum", set(`${TEXT}/seq`, "minimum", 2), "bound_narrowed text seq"],
  ["a new bound", set(`${TEXT}/chunk`, "maxLength", 10), "bound_narrowed text chunk"],
  ["another pattern", set(`${TEXT}/timestamp`, "pattern", "^2"), "bound_narrowed text timestamp"],
  ["a new rule in words", set("text", "$comment", "chunk must rhyme"), "bound_narrowed text "],
  [
    "a larger minimum of items",
    set(`${FAILURES}/4/properties/failed`, "minItems", 2),
    "bound_narrowed error error{code=PARTIAL_FAN_OUT}.failed",
  ],
  ["a larger maximum", set(`${TOOL}/id`, "maxLength", 9_999), "bound_widened tool_completed tool_call.id"],
  ["a smaller minimum", set(`${TEXT}/seq`, "minimum", 0), "bound_widened text seq"],
  ["a bound less", remove(`${TOOL}/id`, "maxLength"), "bound_widened tool_completed tool_call.id"],
];

describe("a planted break is found", () => {
  for (const [name, change, ...found] of PLANTS) {
    test(`${name} is a break of its kind, with its type and path [W-FR-12, W-R-4]`, () => {
      expect(breaksAfter(change).map(({ kind, type, path }) => `${kind} ${type} ${path}`)).toEqual(found);
    });
  }

  test("and each says what to do about it [W-FR-12]", () => {
    const says = (change: (defs: Draft) => void) => breaksAfter(change).map((found) => found.says);
    expect(says((defs) => delete defs.reasoning)).toEqual([
      "reasoning is gone; restore the type, or bump the wire version",
    ]);
    expect(says(inList("text/required", plus("seq")))).toEqual([
      "text: seq is required now; make the field optional, or bump the wire version",
    ]);
    expect(says(remove(TOOL, "status"))).toEqual([
      "tool_completed: tool_call.status is gone; restore the field, or bump the wire version",
    ]);
    expect(says(set(TEXT, "chunk", { type: "integer" }))).toEqual([
      "text: chunk was a string and is an integer; restore the type, or bump the wire version",
    ]);
    expect(says(set(`${TOOL}/id`, "maxLength", 10))).toEqual([
      "tool_completed: tool_call.id had maxLength 1024 and has 10; restore the bound, or bump the wire version",
    ]);
    expect(says(inList(STATUSES, (list) => ["failed", list[0]]))).toEqual([
      'tool_completed: tool_call.status lost ["unknown"] and gained ["failed"]; restore the words, or bump the wire version',
    ]);
  });
});

describe("an addition is no break", () => {
  test.each<[string, (defs: Draft) => void]>([
    ["nothing changed", () => {}],
    ["a new type", (defs) => Object.assign(defs, { telemetry: { type: "object" } })],
    ["a new optional field", set(TEXT, "language", { type: "string", maxLength: 9 })],
    ["a new optional field deep inside", set(TOOL, "attempt", { type: "integer" })],
    ["a field that must be absent and never was there", set(TEXT, "error", false)],
    ["new words in an open set", inList(`${REASON}/anyOf/0/enum`, plus("quota_exceeded"))],
    ["another description", set(`${TEXT}/chunk`, "description", "Some words.")],
    ["a type marked as deprecated", set("text", "deprecated", true)],
    ["another order of types, fields and words", reorder],
  ])("%s is an addition [W-FR-12, W-R-4]", (_name, change) => {
    expect(breaksAfter(change)).toEqual([]);
  });
});

test("a baseline that states no bounds is not broken by those of today, and is by everything else [W-R-4]", () => {
  const document = (bound: object, extra: object = {}) => ({
    ...extra,
    $defs: { text: { type: "object", properties: { chunk: { type: "string", minLength: 1, ...bound } } } },
  });
  const unstated = { "x-bounds": "unstated" };
  expect(compareContracts(document({}, unstated), document({ maxLength: 9 }))).toEqual([]);
  expect(compareContracts(document({}), document({ maxLength: 9 }))).toHaveLength(1);
  expect(compareContracts(document({}, unstated), document({ minLength: 2 }))).toHaveLength(1);
});

describe("a document that cannot be read", () => {
  const withText = (text: unknown) => ({ $defs: { text } }) as Json;
  test.each([
    ["no document", null],
    ["a list", []],
    ["no definitions", {}],
    ["a definition that is a number", withText(7)],
    ["an unknown keyword", withText({ type: "integer", multipleOf: 2 })],
    ["an unknown type", withText({ type: "date" })],
    ["a list of types", withText({ type: ["string", "null"] })],
    ["an enum that is no list", withText({ enum: "a" })],
    ["a bound that is no number and no text", withText({ type: "string", maxLength: {} })],
    ["alternatives without a discriminator", withText({ oneOf: [{ type: "object", properties: {} }] })],
    ["alternatives with the same word", withText({ oneOf: [alternative("A"), alternative("A")] })],
    ["any of something unknown", withText({ anyOf: [{ type: "string" }, { type: "integer" }] })],
    ["any of one", withText({ anyOf: [{ type: "string" }] })],
    ["properties that are a list", withText({ type: "object", properties: [] })],
  ])("%s is refused, never taken for compatible [W-FR-12]", (_name, document) => {
    const refused = expect.objectContaining({ code: "INVALID_ARGUMENT" });
    const good = withText({ type: "string" });
    expect(() => compareContracts(document as Json, good)).toThrowError(refused);
    expect(() => compareContracts(good, document as Json)).toThrowError(refused);
  });
});

function nullable(schema: unknown) {
  return { anyOf: [schema, { type: "null" }] };
}

function alternative(code: string) {
  return { type: "object", properties: { code: { const: code } }, required: ["code"] };
}

/** An open set without its pattern. */
function close(path: string) {
  return (defs: Draft) => {
    const reason = at(defs, path);
    reason.enum = at(reason, "anyOf/0/enum");
    delete reason.anyOf;
  };
}

function reorder(defs: Draft): void {
  for (const [name, value] of Object.entries(defs).reverse()) {
    delete defs[name];
    defs[name] = value;
    if (Array.isArray(value)) value.reverse();
    else if (typeof value === "object" && value !== null && name !== "anyOf") reorder(value);
  }
}
