import { isFramerailError } from "@framerail/protocol";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { ToolContext } from "./define-tool.js";
import { KEY_BYTES_MAX } from "./limits.js";
import { defineRenderTool } from "./render-tool.js";
import { runTool } from "./run-tool.js";
import { envelopeOf, startBackend } from "./testing/enrichment-backend.js";
import type { Changes } from "./testing/render-bench.js";
import {
  CALL,
  collection,
  component,
  FRAME_BYTES_MAX,
  ITEMS,
  input,
  KEY,
  play,
  shownIn,
} from "./testing/render-bench.js";
import { createDoor, handClock, tick, toolBench } from "./testing/tool-bench.js";

describe("a collection", () => {
  test("is a placeholder, then its items under the same id, and the model gets a count [W-AC-8] [W-ENV-4] [W-EV-6] [W-EV-7] [W-FR-16]", async () => {
    await using backend = await startBackend(envelopeOf());
    const tool = collection(async ({ signal }) => (await fetch(backend.url, { signal })).json());
    const { outcome, frames, types, eventsOf } = await play(tool);
    expect(types()).toEqual(["tool_call", "data_loading", "data_loaded", "tool_completed"]);
    const [, , loading, loaded] = frames();
    expect(loading).toMatchObject({ data: { id: "call_1", type: "offer_list", key: KEY } });
    expect(loaded).toMatchObject({ data: { id: "call_1", type: "offer_list", key: KEY, items: ITEMS } });
    expect(eventsOf("data_loaded")[0]?.tool_call_id).toBe("call_1");
    expect(outcome).toEqual({ result: { shown: 2 }, isError: false });
  });

  test("no metadata of the envelope reaches the wire, the model or history [W-FR-10] [W-AC-8]", async () => {
    const marked = {
      ...envelopeOf({
        enricher_id: "C4NARY-enricher",
        domain_type: "C4NARY_domain",
        version: "1.4242",
        status: "partial",
        partial: [{ source: "C4NARY", reason: "C4NARY_reason" }],
        cache_meta: { key: "C4NARY" },
        timing: { host: "C4NARY" },
        principal: { tenant_id: "tenant_1", user_id: "user_1", session: "C4NARY" },
      }),
      trace_id: "C4NARY",
    };
    await using backend = await startBackend(marked);
    const loaded = async ({ signal }: ToolContext) => (await fetch(backend.url, { signal })).json();
    for (const tool of [
      collection(loaded),
      collection(async (context) => [await loaded(context)]),
      component(marked),
    ]) {
      const bench = await play(tool);
      const everything = bench.wire() + JSON.stringify([bench.outcome, bench.events()]);
      expect(bench.outcome).toMatchObject({ isError: false });
      expect(everything).not.toMatch(/C4NARY|4242|tenant_1|cache_meta|"partial"|"principal"/);
    }
  });

  test("envelope versions make no difference in any frame [W-ENV-5]", async () => {
    const wires = await Promise.all(
      ["1.0", "1.7", "2.0"].map(async (version) => {
        const { wire } = await play(
          collection(() => envelopeOf({ version })),
          { clock: handClock() },
        );
        return wire();
      }),
    );
    expect(new Set(wires).size).toBe(1);
  });

  test("calls side by side keep their own placeholder, whichever loads first [W-FR-16]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }), async (waits) => {
        const bench = toolBench();
        await Promise.all(
          waits.map((wait, index) => {
            const tool = collection(async ({ callId }) => {
              for (let turn = 0; turn < wait; turn += 1) await tick();
              return [{ of: callId }];
            });
            return runTool(tool, { id: `call_${index}`, argumentsText: `{"ids":["OFF_${index}"]}` }, bench.context);
          }),
        );
        const loading = bench.eventsOf("data_loading");
        expect(new Set(loading.map(({ id }) => id)).size).toBe(waits.length);
        for (const { id, key, items } of bench.eventsOf("data_loaded")) {
          expect(items).toEqual([{ of: id }]);
          expect(loading.find((one) => one.id === id)?.key).toEqual(key);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("one thing is a collection of one and nothing is an empty one", async () => {
    expect(shownIn(await play(collection(() => envelopeOf({ payload: { id: "OFF_1" } }))))).toEqual([{ id: "OFF_1" }]);
    for (const nothing of [null, undefined, []]) expect(shownIn(await play(collection(() => nothing)))).toEqual([]);
  });

  test("partial data is shown, and the model is told to say so [W-ENV-3]", async () => {
    const bench = await play(collection(() => envelopeOf({ status: "partial", partial: [{ source: "x" }] })));
    expect(shownIn(bench)).toEqual(ITEMS);
    expect(bench.outcome.result).toEqual({ shown: 2, note: expect.stringContaining("incomplete") as string });
  });
});

describe("a component", () => {
  test("is one component frame with its tool, and no placeholder [W-EV-8] [W-ENV-4]", async () => {
    const { types, frames, outcome } = await play(component(envelopeOf({ payload: { kind: "map", zoom: 3 } })));
    expect(types()).toEqual(["tool_call", "component", "tool_completed"]);
    expect(frames()[2]).toMatchObject({
      event_type: "component",
      chunk: { kind: "map", zoom: 3 },
      tool_call: { id: "call_1", name: "render_map", type: "function" },
    });
    expect(outcome).toEqual({ result: { shown: 1 }, isError: false });
  });

  test("partial data of one is shown, and the model is told to say so [W-ENV-3]", async () => {
    const { types, outcome, wire } = await play(component(envelopeOf({ status: "partial", payload: { zoom: 3 } })));
    expect(types()).toContain("component");
    expect(outcome.result).toEqual({ shown: 1, note: expect.stringContaining("incomplete") as string });
    expect(wire()).not.toContain("partial");
  });

  test("one that is missing, misshapen or too large is not sent [W-R-5] [W-NFR-7]", async () => {
    const itemSchemas = { map: z.object({ zoom: z.number() }) };
    const wrong: [unknown, Changes][] = [
      [null, {}],
      [{ zoom: "near" }, { itemSchemas }],
      [{ zoom: 1, tiles: "x".repeat(FRAME_BYTES_MAX) }, { itemSchemas }],
    ];
    for (const [value, changes] of wrong) {
      const { types, outcome, eventsOf } = await play(component(value, changes));
      expect(eventsOf("component")).toEqual([]);
      expect(types()).toEqual(["tool_call", "tool_completed"]);
      expect(outcome).toEqual({ result: { error: "The tool render_map failed." }, isError: true });
    }
  });
});

describe("what cannot be shown is not shown as something else:", () => {
  test.each([
    ["throws", () => Promise.reject(new Error("C4NARY"))],
    ["gives an error", () => envelopeOf({ status: "error", payload: ["C4NARY"] })],
    ["gives another user's data", () => envelopeOf({ principal: { tenant_id: "C4NARY", user_id: "user_1" } })],
    ["gives what is no JSON", () => [new Date(0)]],
  ])("a load that %s leaves its placeholder open, without any data_loaded [W-R-5] [I-24]", async (_what, load) => {
    const bench = await play(collection(load));
    expect(bench.types()).toEqual(["tool_call", "data_loading", "tool_completed"]);
    expect(bench.outcome.isError).toBe(true);
    expect(bench.wire() + JSON.stringify(bench.outcome)).not.toContain("C4NARY");
    bench.complete();
    expect(bench.types().at(-1)).toBe("completed");
  });

  test("data that comes after the cancel or the deadline is not shown [W-CAN-3]", async () => {
    for (const end of ["cancel", "deadline"] as const) {
      const clock = handClock();
      const bench = toolBench({ clock });
      const door = createDoor();
      const running = runTool(
        collection(() => door.opened.then(() => ITEMS), { timeoutMs: 5 }),
        CALL,
        bench.context,
      );
      await tick();
      if (end === "cancel") bench.cancel();
      else clock.pass(5);
      door.open();
      await running;
      await tick();
      expect(bench.eventsOf("data_loading")).toHaveLength(1);
      expect(bench.eventsOf("data_loaded")).toEqual([]);
    }
  });

  test("a key over its maximum is refused before anything is loaded", async () => {
    let loaded = false;
    const tool = collection(
      () => {
        loaded = true;
      },
      { key: () => [{ id: "x".repeat(KEY_BYTES_MAX) }] },
    );
    const { outcome, types } = await play(tool);
    expect([outcome.isError, loaded, types()]).toEqual([true, false, ["tool_call", "tool_completed"]]);
  });
});

describe("a render tool that is defined wrongly", () => {
  test("is refused when it is defined, by name", () => {
    const wrong: [Changes, RegExp][] = [
      [{ name: "offers" }, /tool offers .*render_/],
      [{ dataType: "" }, /render_offers needs a dataType/],
      [{ itemSchemas: { offer_list: {} as never } }, /render_offers has item schemas/],
      [{ key: undefined as never }, /render_offers .*key/],
      [{ load: undefined as never }, /render_offers needs a function load/],
      [{ shape: "list" } as never, /render_offers has the shape/],
    ];
    for (const [changes, says] of wrong) {
      try {
        collection(() => 1, changes);
        expect.unreachable(String(says));
      } catch (error) {
        expect(isFramerailError(error) && error.code).toBe("INVALID_AGENT");
        expect(String(error)).toMatch(says);
      }
    }
  });

  test("key and load are typed by the schema", () => {
    defineRenderTool({
      name: "render_offers",
      description: "d",
      input,
      dataType: "offer_list",
      shape: "collection",
      key(value) {
        expectTypeOf(value).toEqualTypeOf<{ ids: string[] }>();
        return [];
      },
      load(value) {
        expectTypeOf(value).toEqualTypeOf<{ ids: string[] }>();
        return [];
      },
    });
  });
});
