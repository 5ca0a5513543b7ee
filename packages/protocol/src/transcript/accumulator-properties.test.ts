import fc from "fast-check";
import { expect, test } from "vitest";
import { compileCheck } from "../schema/check.js";
import type { Json } from "../schema/schema.js";
import { createMessageAccumulator } from "./accumulator.js";
import { assistantMessageSchema } from "./assistant-message.js";
import type { ContentItem } from "./content-item.js";
import { runningTools } from "./display-items.js";
import type { Step } from "./testing/reference-items.js";
import { referenceItems } from "./testing/reference-items.js";
import { SAMPLE_END, SAMPLE_TURN } from "./testing/sample.js";

const LONG = process.env.FRAMERAIL_LONG !== undefined;
const RUNS = LONG ? 1_000_000 : 20_000;
const timeout = RUNS * 3;
const seeded = (seed: number) => (LONG ? {} : { seed });
const checkDocument = compileCheck(assistantMessageSchema);

const content = fc.oneof(fc.constant(""), fc.string({ unit: "grapheme", maxLength: 6 }));
const json = fc.constantFrom<Json>(null, 0, "x", [1, [2]], { a: { b: null } });
const id = fc.constantFrom("a", "b", "c");
const name = fc.constantFrom("search", "render");
const made = fc
  .option(id, { nil: undefined })
  .map((tool_call_id) => (tool_call_id === undefined ? {} : { tool_call_id }));

const chunk = fc.record({ type: fc.constantFrom("text" as const, "reasoning" as const), content });
const atomic = fc.oneof(
  fc.record({
    type: fc.constant("tool_call" as const),
    tool_call_id: id,
    tool_name: name,
    arguments: json,
    timestamp: fc.nat(),
  }),
  fc.record({
    type: fc.constant("tool_result" as const),
    tool_call_id: id,
    result: json,
    is_error: fc.boolean(),
    duration_ms: fc.nat(),
  }),
  fc
    .tuple(
      fc.record({
        type: fc.constant("data_loaded" as const),
        id,
        data_type: name,
        key: fc.constant({ ids: [] }),
        items: fc.array(json),
      }),
      made,
    )
    .map(([event, by]) => ({ ...event, ...by })),
  fc.record({
    type: fc.constant("component" as const),
    data_id: id,
    data_type: name,
    chunk: json,
    tool_call_id: id,
    tool_name: name,
  }),
);
const ignored = fc.record({ type: fc.constantFrom("status", "node_enter", "error", "end_stream", "message"), content });
const event = fc.oneof(
  { arbitrary: chunk, weight: 6 },
  { arbitrary: atomic, weight: 3 },
  { arbitrary: ignored, weight: 1 },
);
const steps: fc.Arbitrary<Step[]> = fc.array(fc.tuple(event, fc.nat()), { maxLength: 24 });

function run(all: readonly Step[]) {
  const accumulator = createMessageAccumulator(SAMPLE_TURN);
  for (const [next, now] of all) accumulator.add(next, now);
  return accumulator;
}

test("for any events the items, at the end and at any point before, are those of the plain reference [P-28, P-29, P-32, P-33, P-34, I-19]", {
  timeout,
}, () => {
  fc.assert(
    fc.property(steps, fc.nat(24), (all, cut) => {
      const accumulator = createMessageAccumulator(SAMPLE_TURN);
      all.forEach(([next, now], index) => {
        if (index === cut) expect(accumulator.items()).toEqual(referenceItems(all.slice(0, cut)));
        accumulator.add(next, now);
      });
      const live = accumulator.items();
      expect(live).toEqual(referenceItems(all));
      expect(accumulator.finalize(SAMPLE_END).content_items).toEqual(live);
    }),
    { numRuns: RUNS, ...seeded(1) },
  );
});

test("for any events the document is valid, numbered from 0 without gaps, and survives JSON [P-28, P-41, P-61]", {
  timeout,
}, () => {
  fc.assert(
    fc.property(steps, (all) => {
      const document = run(all).finalize(SAMPLE_END);
      expect(checkDocument(document)).toBeUndefined();
      expect(document.content_items.map((item) => item.sequence)).toEqual([...document.content_items.keys()]);
      expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    }),
    { numRuns: RUNS / 4, ...seeded(2) },
  );
});

test("for any events the text is every answer chunk joined, and so are the message items [C-36]", { timeout }, () => {
  const joined = (type: string, all: readonly Step[]) =>
    all.map(([next]) => (next.type === type && "content" in next ? next.content : "")).join("");
  const itemText = (type: string, items: readonly ContentItem[]) =>
    items.map((item) => (item.type === type && "content" in item ? item.content : "")).join("");
  fc.assert(
    fc.property(steps, (all) => {
      const accumulator = run(all);
      expect(accumulator.text()).toBe(joined("text", all));
      const { content_items } = accumulator.finalize(SAMPLE_END);
      expect(itemText("message", content_items)).toBe(joined("text", all));
      expect(itemText("reasoning", content_items)).toBe(joined("reasoning", all));
    }),
    { numRuns: RUNS / 2, ...seeded(3) },
  );
});

test("reasoning and answer may alternate in any order, and the items follow it [P-18, P-56]", { timeout }, () => {
  const kinds = ["reasoning", "reasoning", "reasoning", "text", "text", "text"] as const;
  fc.assert(
    fc.property(fc.shuffledSubarray([...kinds], { minLength: 1 }), (order) => {
      const items = run(order.map((type, index): Step => [{ type, content: `${index};` }, index])).items();
      const pieces = items.flatMap((item) =>
        "content" in item ? item.content.match(/\d+;/g)?.map((piece) => `${item.type} ${piece}`) : [],
      );
      expect(pieces).toEqual(order.map((type, index) => `${type === "text" ? "message" : type} ${index};`));
      for (const [index, item] of items.entries()) expect(item.type).not.toBe(items[index + 1]?.type);
    }),
    { numRuns: 2_000, ...seeded(4) },
  );
});

test("tools that run side by side keep their ids, outcomes and order of results, however they end [P-55, P-62]", {
  timeout,
}, () => {
  const calls = fc
    .uniqueArray(fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 })
    .chain((ids) => fc.tuple(fc.constant(ids), fc.shuffledSubarray(ids, { minLength: ids.length }), fc.array(chunk)));
  fc.assert(
    fc.property(calls, ([ids, ended, chunks]) => {
      const accumulator = createMessageAccumulator(SAMPLE_TURN);
      for (const tool_call_id of ids)
        accumulator.add(
          { type: "tool_call", tool_call_id, tool_name: "t", arguments: { for: tool_call_id }, timestamp: 1 },
          1,
        );
      ended.forEach((tool_call_id, index) => {
        expect(runningTools(accumulator.items()).map((call) => call.tool_call_id)).toEqual(
          ids.filter((open) => !ended.slice(0, index).includes(open)),
        );
        const failed = ids.indexOf(tool_call_id) % 2 === 1;
        const result = failed ? { error: "Service unavailable" } : { for: tool_call_id };
        const end = { type: "tool_result", tool_call_id, result, is_error: failed, duration_ms: index } as const;
        accumulator.add(end, 2);
        const between = chunks[index];
        if (between) accumulator.add(between, 3);
      });
      const items = accumulator.finalize(SAMPLE_END).content_items;
      const results = items.filter((item) => item.type === "tool_result");
      expect(results.map((item) => item.tool_call_id)).toEqual(ended);
      for (const item of results) {
        const failed = ids.indexOf(item.tool_call_id) % 2 === 1;
        expect(item.is_error).toBe(failed);
        expect(item.result).toEqual(failed ? { error: "Service unavailable" } : { for: item.tool_call_id });
      }
      expect(runningTools(items)).toEqual([]);
    }),
    { numRuns: RUNS / 4, ...seeded(5) },
  );
});

test("a long answer costs the same per chunk as a short one [P-31]", () => {
  const accumulator = createMessageAccumulator(SAMPLE_TURN);
  const piece = { type: "text", content: "nine byte" };
  const begun = performance.now();
  for (let index = 0; index < 400_000; index += 1) {
    accumulator.add(piece, index);
    // Linear, this takes a fraction of a second; copying what is there for each chunk takes minutes, so stop early.
    if (index % 1_000 === 0 && performance.now() - begun > 15_000) expect.unreachable(`slow after ${index} chunks`);
  }
  expect(accumulator.text()).toHaveLength(3_600_000);
});

test("data behind a proxy, as libraries of state hand it out, is kept like any other [P-22, P-23, C-35]", () => {
  const [answer, list] = [new Proxy({ rows: [1] }, {}), new Proxy([{ n: 1 }], {})];
  const accumulator = createMessageAccumulator(SAMPLE_TURN);
  const events = [
    { type: "text", content: "a" },
    { type: "tool_call", tool_call_id: "x", tool_name: "search", arguments: answer, timestamp: 1 },
    { type: "tool_result", tool_call_id: "x", result: answer, is_error: false, duration_ms: 1 },
    { type: "data_loaded", id: "d", data_type: "offer_list", key: { ids: [] }, items: list },
  ];
  for (const event of events) accumulator.add(event, 1);
  expect(accumulator.items()).toMatchObject([
    { type: "message", content: "a" },
    { type: "tool_call", arguments: { rows: [1] } },
    { type: "tool_result", result: { rows: [1] } },
    { type: "component", items: [{ n: 1 }] },
  ]);
});
