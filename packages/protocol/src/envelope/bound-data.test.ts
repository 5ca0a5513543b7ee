import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../schema/schema.js";
import { boundAgentEvent, boundCompletion } from "./bounds.js";
import { anyJson, anyText, bytesOf, EMOJI, HIGH, holds, LOW, refusalOf, throughUtf8 } from "./testing/generators.js";

const DROPPED = { dropped: { reason: "oversize" } };
const BOUND = 65_536;

function dataOf(data: unknown): unknown {
  const [event] = boundAgentEvent({ agent_kind: "codex", kind: "Status", data: data as Json });
  return event.data;
}

function jsonBytes(data: unknown): number {
  return bytesOf(JSON.stringify(data));
}

/** Data of exactly `bytes` bytes of compact JSON, most of it in characters of the given kind. */
function dataOfSize(bytes: number, unit: string): { s: string } {
  const shell = jsonBytes({ s: "" });
  const each = jsonBytes(unit) - 2;
  const count = Math.floor((bytes - shell) / each);
  const data = { s: unit.repeat(count) + "x".repeat((bytes - shell) % each) };
  expect(jsonBytes(data)).toBe(bytes);
  return data;
}

describe("the size of data", () => {
  test.each(["x", "é", "中", EMOJI, '"', "\n", "\u0001", "\u2028"])(
    "65536 bytes are kept and 65537 replaced, made of %j [E-12, E-13, E-33]",
    (unit) => {
      const full = dataOfSize(BOUND, unit);
      expect(dataOf(full)).toEqual(full);
      expect(dataOf(dataOfSize(BOUND + 1, unit))).toStrictEqual(DROPPED);
    },
  );

  test("the bound of a completion is the same [E-28]", () => {
    const full = dataOfSize(BOUND, EMOJI);
    expect(boundCompletion({ agent_kind: "codex", data: full })).toEqual({ agent_kind: "codex", data: full });
    const over = boundCompletion({ agent_kind: "codex", exit_code: 0, data: dataOfSize(BOUND + 1, EMOJI) });
    expect(over).toStrictEqual({ agent_kind: "codex", exit_code: 0, data: DROPPED });
  });

  test("punctuation, keys, numbers and words all count, to the byte [E-12]", () => {
    const parts: Json[] = [
      [],
      {},
      null,
      true,
      false,
      0,
      -0,
      1,
      -1.5,
      1e21,
      1e-7,
      "",
      [1, 2],
      { a: [], é: { b: false } },
    ];
    for (const part of parts) {
      const rest = BOUND - jsonBytes([part, ""]);
      expect(dataOf([part, "x".repeat(rest)])).toEqual([part, "x".repeat(rest)]);
      expect(dataOf([part, "x".repeat(rest + 1)])).toEqual(DROPPED);
    }
  });

  test("for any JSON, it is kept exactly when JSON.stringify makes at most 65536 bytes of it [E-12, E-34]", () => {
    const property = fc.property(anyJson, fc.integer({ min: -3, max: 3 }), (part, more) => {
      const data = { part, fill: "x".repeat(BOUND - jsonBytes({ part, fill: "" }) + more) };
      expect(dataOf(data)).toEqual(more <= 0 ? data : DROPPED);
    });
    holds(property, 700);
  });

  test("data within the bound survives a round trip through JSON [E-15]", () => {
    const property = fc.property(anyJson, (value) => {
      expect(JSON.parse(JSON.stringify(dataOf(value)))).toEqual(value);
    });
    holds(property, 3_000);
    const usage = { usage: { input_tokens: 200, output_tokens: 40, details: [{ kind: "cached", tokens: 20 }, null] } };
    expect(dataOf(usage)).toEqual(usage);
    for (const scalar of [null, false, 0, ""]) expect(dataOf(scalar)).toBe(scalar);
  });

  test("data far over the bound is dropped without being walked to its end [E-13]", () => {
    let shared: Json = ["x"];
    for (let level = 0; level < 20; level += 1) shared = [shared, shared];
    expect(dataOf(shared)).toEqual(DROPPED);
    for (const wide of [new Array<Json>(200_000).fill(0), Object.fromEntries(new Array(200_000).fill(0).entries())]) {
      let reads = 0;
      const counted = new Proxy(wide, {
        get(target, key) {
          reads += 1;
          return Reflect.get(target, key) as unknown;
        },
      });
      expect(dataOf(counted)).toEqual(DROPPED);
      expect(reads).toBeLessThanOrEqual(BOUND + 10);
    }
  });
});

describe("the copy", () => {
  test("what a backend does with its object afterwards changes no event [E-34]", () => {
    const mine = { list: ["a"], deep: { text: "b" } };
    const data = dataOf(mine);
    mine.list.push("x".repeat(BOUND));
    mine.deep.text = "changed";
    expect(data).toEqual({ list: ["a"], deep: { text: "b" } });
  });

  test("a property that changes between two reads cannot grow behind the measure [E-34]", () => {
    let reads = 0;
    const data = dataOf({
      get text() {
        reads += 1;
        return reads === 1 ? "small" : "x".repeat(BOUND);
      },
    });
    expect(data).toEqual({ text: "small" });
  });

  test("halves of pairs in strings and keys become U+FFFD and count as such [E-33, E-34]", () => {
    expect(dataOf({ [`k${LOW}`]: [`a${HIGH}`, EMOJI] })).toEqual({ "k\ufffd": ["a\ufffd", EMOJI] });
    const full = `${HIGH.repeat(21_844)}xx`;
    expect(jsonBytes(throughUtf8(full))).toBe(BOUND);
    expect(dataOf(full)).toBe(throughUtf8(full));
    expect(dataOf(`${full}x`)).toEqual(DROPPED);
    const anyKey = anyText.filter((key) => key !== "__proto__");
    const property = fc.property(fc.dictionary(anyKey, anyText), (data) => {
      expect(JSON.stringify(dataOf({ ...data }))).toBe(
        JSON.stringify(Object.fromEntries(Object.entries(data).map((entry) => entry.map(throughUtf8)))),
      );
    });
    holds(property, 2_000);
  });
});

describe("what is no JSON", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const twins: Record<string, unknown> = {};
  twins.left = twins;
  twins.right = twins;
  const ring: unknown[] = [];
  ring.push(ring);
  class Money {
    amount = 1;
  }
  const cases: [string, unknown, string, string][] = [
    ["NaN", { n: Number.NaN }, "data.n", "type"],
    ["an infinity", [1, Number.NEGATIVE_INFINITY], "data.1", "type"],
    ["undefined inside", { a: undefined }, "data.a", "required"],
    ["a hole in an array", Object.assign([], { 0: 1, 2: 2 }), "data.1", "required"],
    ["a function", { f() {} }, "data.f", "type"],
    ["a toJSON that would speak for the object", { toJSON: () => "x".repeat(99_999) }, "data.toJSON", "type"],
    ["a symbol", Symbol("s"), "data", "type"],
    ["a bigint", { n: 1n }, "data.n", "type"],
    ["a class instance", { price: new Money() }, "data.price", "type"],
    ["a date", new Date(0), "data", "type"],
    ["a map", new Map([["a", 1]]), "data", "type"],
    ["bytes", new Uint8Array(100_000), "data", "type"],
    ["an error", { cause: new Error("secret") }, "data.cause", "type"],
    ["a __proto__ key", JSON.parse('{"a":{"__proto__":{"admin":true}}}'), "data.a.__proto__", "forbidden_key"],
    ["a cycle", cycle, "data", "depth_max"],
    ["a cycle with two ways round", twins, "data", "depth_max"],
    ["a cycle of arrays", ring, "data", "depth_max"],
  ];

  test.each(cases)("%s is refused, naming the field and the rule [E-34]", (_name, data, path, rule) => {
    expect(refusalOf(() => dataOf(data))).toMatchObject({ code: "INVALID_ENVELOPE", issue: { path, rule } });
    const end = () => boundCompletion({ agent_kind: "codex", data: data as Json });
    expect(refusalOf(end)).toMatchObject({ code: "INVALID_ENVELOPE", issue: { path, rule } });
  });

  test("128 levels pass and 129 do not [E-34]", () => {
    const nest = (levels: number): Json => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as Json;
    expect(dataOf(nest(128))).toEqual(nest(128));
    expect(refusalOf(() => dataOf(nest(129)))).toMatchObject({ issue: { path: "data", rule: "depth_max" } });
    expect(refusalOf(() => dataOf(nest(30_000)))).toMatchObject({ issue: { path: "data", rule: "depth_max" } });
  });

  test("a property that throws while it is read is refused with its error as the cause [E-34]", () => {
    const boom = new TypeError("boom");
    const data = {
      get secret(): string {
        throw boom;
      },
    };
    expect(refusalOf(() => dataOf(data))).toMatchObject({
      code: "INVALID_ENVELOPE",
      cause: boom,
      issue: { rule: "readable" },
    });
  });
});
