import type { Json } from "@framerail/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { capItems, findItemSchema } from "./fit-items.js";
import { countJsonBytes } from "./json-value.js";
import { runTool } from "./run-tool.js";
import { envelopeOf } from "./testing/enrichment-backend.js";
import { CALL, collection, FRAME_BYTES_MAX, play, shownIn } from "./testing/render-bench.js";
import { toolBench } from "./testing/tool-bench.js";

describe("the shape of items", () => {
  const offer = z.object({ id: z.string() });

  test("items of the wrong shape are dropped, counted as partial and logged; the others stay as they were [W-EV-7]", async () => {
    const payload = [{ id: "OFF_1", extra: true }, { id: 7 }, { id: "OFF_3" }];
    const bench = await play(collection(() => envelopeOf({ payload }), { itemSchemas: { offer_list: offer } }));
    expect(shownIn(bench)).toEqual([payload[0], payload[2]]);
    expect(bench.outcome.result).toEqual({ shown: 2, note: expect.stringContaining("incomplete") as string });
    expect(bench.eventsOf("log")).toEqual([
      { type: "log", level: "warn", message: "tool render_offers dropped 1 items of the wrong shape" },
    ]);
  });

  test("when no item is left there is no empty list in their place [W-R-5]", async () => {
    const bench = await play(collection(() => [{ id: 7 }], { itemSchemas: { offer_list: offer } }));
    expect(shownIn(bench)).toBeUndefined();
    expect(bench.outcome.isError).toBe(true);
  });

  test("the entry of domain and enricher comes before that of the domain [W-EV-7]", () => {
    const schemas = { offer_list: offer, "offer_list/ccs-offers": z.object({}) };
    const find = (source?: { domain_type: string; enricher_id: string }) =>
      findItemSchema(schemas, source, "offer_list");
    expect(find({ domain_type: "offer_list", enricher_id: "ccs-offers" })).toBe(schemas["offer_list/ccs-offers"]);
    expect(find({ domain_type: "offer_list", enricher_id: "other" })).toBe(offer);
    expect(find()).toBe(offer);
    expect(find({ domain_type: "toString", enricher_id: "x" })).toBeUndefined();
  });
});

describe("the size of a frame", () => {
  test("items that do not fit are dropped whole from the end, and the result is partial [C-18] [W-NFR-7]", async () => {
    const payload = Array.from({ length: 400 }, (_, index) => ({ id: `OFF_${index}`, text: "x".repeat(1_000) }));
    const bench = await play(collection(() => envelopeOf({ payload })));
    const items = shownIn(bench) ?? [];
    expect(items.length).toBeGreaterThan(200);
    expect(items).toEqual(payload.slice(0, items.length));
    expect(bench.outcome.result).toMatchObject({ shown: items.length, note: expect.any(String) as string });
    expect(bench.eventsOf("log")[0]?.message).toContain(`dropped ${400 - items.length} items that do not fit`);
  });

  test("whatever the items are, their frame is written and is under its maximum [C-18] [W-NFR-7]", async () => {
    const character = fc.constantFrom("x", "é", "€", "😀", '"', "\u2028", "\u0085", "\n");
    const item = fc.tuple(character, fc.integer({ min: 0, max: 60_000 })).map(([unit, count]) => unit.repeat(count));
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 12 }), async (items) => {
        // The longest ids there may be, of the characters that take most room.
        const bench = toolBench({ turnId: '"'.repeat(256) });
        const call = { ...CALL, id: "\u2028".repeat(1_024) };
        const { isError } = await runTool(
          collection(() => items),
          call,
          bench.context,
        );
        const loaded = bench
          .wire()
          .split("\n")
          .find((line) => line.startsWith("data: ") && line.includes('"data_loaded"'));
        expect(isError).toBe(loaded === undefined);
        if (loaded !== undefined)
          expect(Buffer.byteLength(loaded) - "data: ".length).toBeLessThanOrEqual(FRAME_BYTES_MAX);
        if (items.length === 0 || countJsonBytes(items[0] as Json) < 200_000) expect(isError).toBe(false);
      }),
      { numRuns: 25 },
    );
  });

  test("a frame that is filled to the brim still has room for the longest ids [C-18] [W-NFR-7]", async () => {
    const bench = toolBench({ turnId: '"'.repeat(256) });
    const tool = collection(() => Array<number>(200_000).fill(7));
    const { result } = await runTool(tool, { ...CALL, id: "\u2028".repeat(1_024) }, bench.context);
    expect(result).toMatchObject({ shown: expect.any(Number) as number });
    expect(bench.types()).toContain("data_loaded");
  });

  test("the cap counts the commas and keeps as many as fit [C-18]", () => {
    expect(capItems([1, 2, 3], 5)).toEqual([1, 2, 3]);
    expect(capItems([1, 2, 3], 4)).toEqual([1, 2]);
    expect(capItems(["é"], 4)).toEqual(["é"]);
    expect(capItems(["é"], 3)).toEqual([]);
  });
});
