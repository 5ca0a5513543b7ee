import { Ajv2020, type AnySchemaObject } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JSON_DEPTH_MAX } from "../src/limits.js";
import { compileCheck } from "../src/schema/check.js";
import { toJsonSchema } from "../src/schema/json-schema.js";
import type { Schema } from "../src/schema/schema.js";
import { array, integer, json, map, object, optional, string } from "../src/schema/schema.js";
import { PUBLISHED } from "./published.js";
import { SCHEMA_BASE, schemaDocuments } from "./schema-documents.js";
import { arbitraryOf } from "./testing/arbitrary-of.js";
import { mutate, nearMissOf } from "./testing/near-miss.js";

const LONG = process.env.FRAMERAIL_LONG !== undefined;
const RUNS = LONG ? 100_000 : 2_000;
const TIMEOUT_MS = LONG ? 1_800_000 : 60_000;
const PARAMETERS = LONG ? { numRuns: RUNS } : { numRuns: RUNS, seed: 20_260_301 };

/** Rules of our check that JSON Schema has no words for. */
const BEYOND_JSON_SCHEMA = new Set(["rule", "well_formed", "forbidden_key", "depth_max"]);

const ajv = new Ajv2020({ strict: true });
for (const document of schemaDocuments(PUBLISHED).values()) ajv.addSchema(document as unknown as AnySchemaObject);

function judgeOf(file: string, name?: string) {
  const judge = ajv.getSchema(SCHEMA_BASE + file + (name === undefined ? "" : `#/$defs/${name}`));
  if (judge === undefined) throw new Error(`no definition ${name} in ${file}`);
  return judge as (value: unknown) => boolean;
}

const vocabularies: readonly (readonly [string, Iterable<readonly [string, Schema]>])[] = [
  ...Object.entries(PUBLISHED.frameSets).map(([version, set]) => [`frames-${version}.json`, set] as const),
  ["events.json", Object.entries(PUBLISHED.events)],
  ["pipeline-messages.json", Object.entries(PUBLISHED.pipelineMessages)],
  ["agent-events.json", Object.entries(PUBLISHED.agentEvents)],
  ["messages.json", Object.entries(PUBLISHED.messages)],
];

describe.each(vocabularies)("%s", (file, types) => {
  test("compiles as a whole in strict mode [W-FR-1, W-GAP-7]", () => {
    expect(judgeOf(file)).toBeTypeOf("function");
  });

  test.each([...types])(
    "%s: our check and JSON Schema judge every value alike [W-FR-1, F-1]",
    { timeout: TIMEOUT_MS },
    (name, schema) => {
      const check = compileCheck(schema);
      const judge = judgeOf(file, name);
      const judgements = { valid: 0, invalid: 0 };
      // A bare comparison, because an `expect` for each value would cost more than the value.
      const property = fc.property(arbitraryOf(schema), fc.nat(), fc.nat(), (value, where, how) => {
        if (check(value) !== undefined || !judge(value)) return false;
        const mutant = mutate(value, where, how);
        const issue = check(mutant);
        if (issue !== undefined && BEYOND_JSON_SCHEMA.has(issue.rule)) return true;
        judgements[issue === undefined ? "valid" : "invalid"] += 1;
        return judge(mutant) === (issue === undefined);
      });
      fc.assert(property, PARAMETERS);
      expect(judgements.valid).toBeGreaterThan(RUNS / 100);
      expect(judgements.invalid).toBeGreaterThan(RUNS / 10);
    },
  );
});

describe("the published frames", () => {
  const judge = judgeOf("frames-0.5.json");
  const frame = {
    event_type: "text",
    version: "0.5",
    timestamp: "2026-05-15T18:00:00.000Z",
    response_id: "resp_1",
    chunk: "Hello",
  };

  test("take a frame, also one with an unknown field, and refuse an event_type that is not listed [W-FR-1, W-FR-12]", () => {
    expect(judge(frame)).toBe(true);
    expect(judge({ ...frame, added_later: { any: "thing" } })).toBe(true);
    expect(judge({ ...frame, event_type: "telemetry" })).toBe(false);
    expect(judge({ ...frame, version: "0.6" })).toBe(false);
  });
});

test("a value that fits two definitions of agent events, as an event does, passes the whole document [F-1]", () => {
  const event = { agent_kind: "codex", kind: "Status" };
  const fits = Object.keys(PUBLISHED.agentEvents).filter((name) => judgeOf("agent-events.json", name)(event));
  expect(fits).toEqual(["event", "completion"]);
  expect(judgeOf("agent-events.json")(event)).toBe(true);
});

describe("what JSON Schema takes and our check refuses", () => {
  const beyond = (schema: Schema, value: unknown) => {
    const judge = new Ajv2020({ strict: true }).compile(toJsonSchema(schema) as AnySchemaObject);
    return { check: compileCheck(schema)(value)?.rule, judge: judge(value) };
  };
  const rule = { path: "b", says: "must be a", holds: ({ a, b }: { a: number; b: number }) => a === b };
  const deep = JSON.parse(`${"[".repeat(JSON_DEPTH_MAX + 1)}${"]".repeat(JSON_DEPTH_MAX + 1)}`) as unknown;

  test.each([
    ["a rule over several fields", object({ a: integer(), b: integer() }, { rule }), { a: 1, b: 2 }, "rule"],
    ["a lone surrogate", string(), "\ud83d", "well_formed"],
    ["a key __proto__ in a map", map(json()), JSON.parse('{"__proto__":1}'), "forbidden_key"],
    ["a key __proto__ among fields", object({ a: optional(json()) }), JSON.parse('{"__proto__":1}'), "forbidden_key"],
    ["nesting beyond the maximum", json(), deep, "depth_max"],
    ["a length in UTF-16 units", string({ lengthMax: 3 }), "😀😀", "length_max"],
  ])("%s passes JSON Schema and not our check [F-1]", (_name, schema, value, refusedFor) => {
    expect(beyond(schema as Schema, value)).toEqual({ check: refusedFor, judge: true });
  });
});

test("a near miss is always refused, and the value it was made from is left as it was [F-1]", () => {
  const schema = object({ ids: array(map(integer()), { countMin: 1 }), name: optional(string({ lengthMin: 1 })) });
  const check = compileCheck(schema);
  fc.assert(
    fc.property(nearMissOf(schema), (value) => check(value) !== undefined),
    PARAMETERS,
  );
  fc.assert(
    fc.property(arbitraryOf(schema), fc.nat(), fc.nat(), (value, where, how) => {
      const before = JSON.stringify(value);
      mutate(value, where, how);
      return JSON.stringify(value) === before;
    }),
    PARAMETERS,
  );
});
