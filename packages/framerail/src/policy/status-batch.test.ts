import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StatusEntry } from "../registry/registry.js";
import { DEFAULT_TIMING, PENDING_STATUSES_MAX } from "./limits.js";
import { EVENT_OF, entryOf, openBench, registryOf, SHOP } from "./testing/policy-bench.js";

const SHOP_PAIR = ["searching_offers", "looking_up_points_balance"] as const;

describe("a batch", () => {
  test("two emitters in one window give one sentence in each language [W-AC-2] [W-GAP-2] [W-FR-5]", () => {
    const sentences = {
      en: "Searching offers and looking up your points…",
      de: "Ich suche Angebote und lade Ihren Punktestand …",
      ja: "オファーを検索しています、ポイントを確認しています…",
      ar: "البحث عن العروض والتحقق من نقاطك…",
    };
    for (const [locale, sentence] of Object.entries(sentences)) {
      const stage = openBench({ locale });
      stage.status(SHOP_PAIR[0], undefined, "shop");
      stage.clock.advance(100);
      stage.status(SHOP_PAIR[1], undefined, "wallet");
      stage.clock.advance(1_000);
      const data = { event_id: SHOP_PAIR[0], message: sentence };
      expect(stage.drafts, locale).toEqual([{ type: "status", payload: { data } }]);
    }
  });

  test("three clauses are joined as the language does it [W-GAP-2]", () => {
    const sentences = {
      en: "Searching offers, looking up your points, and checking the stock…",
      de: "Ich suche Angebote, lade Ihren Punktestand und prüfe den Bestand …",
      ja: "オファーを検索しています、ポイントを確認しています、在庫を確認しています…",
    };
    for (const [locale, sentence] of Object.entries(sentences)) {
      const stage = openBench({ locale });
      for (const id of [...SHOP_PAIR, "checking_stock"]) stage.status(id);
      stage.turn.flush();
      expect(stage.messages(), locale).toEqual([sentence]);
    }
  });

  test("the frame around clauses is never of another language than theirs [W-GAP-2]", () => {
    const locales = new Map(SHOP.locales);
    const english = new Map([...(SHOP.locales.get("en")?.messages ?? []), ["batch.sentence", "Busy: {parts}"]]);
    locales.set("en", { tag: "en", messages: english });
    const joinedFor = (locale: string) => {
      const stage = openBench({ registry: { ...SHOP, locales }, locale });
      for (const id of SHOP_PAIR) stage.status(id);
      stage.turn.flush();
      return stage.messages();
    };
    expect(joinedFor("en")).toEqual(["Busy: Searching offers and looking up your points"]);
    expect(joinedFor("ja")).toEqual(["オファーを検索しています、ポイントを確認しています…"]);
  });

  test("inside the window there is one frame, outside there are two [W-POL-4]", () => {
    const play = (gapMs: number) => {
      const stage = openBench();
      stage.status(SHOP_PAIR[0]);
      stage.clock.advance(gapMs);
      stage.status(SHOP_PAIR[1]);
      stage.clock.advance(DEFAULT_TIMING.windowMs);
      return stage.messages();
    };
    expect(play(DEFAULT_TIMING.windowMs - 1)).toHaveLength(1);
    expect(play(DEFAULT_TIMING.windowMs)).toEqual(["Searching offers…", "Looking up your points…"]);
  });

  test("a status alone in its window is its own sentence, when the window ends [W-POL-4]", () => {
    const stage = openBench();
    stage.status("looking_up_points_balance");
    stage.clock.advance(149);
    expect(stage.messages()).toEqual([]);
    stage.clock.advance(1);
    expect(stage.messages()).toEqual(["Looking up your points…"]);
  });

  test("a repeated id is said once, with its latest values, and so are two ids with the same words [W-POL-4]", () => {
    const batched = { default_policy: "batch", batch: { group: "g" } } as const;
    const registry = registryOf([entryOf("a", batched), entryOf("b", batched), entryOf("c", batched)], {
      en: { "status.a": "Reading {n}…", "status.b": "Waiting.", "status.c": "Waiting." },
    });
    const stage = openBench({ registry });
    for (const n of [1, 2]) stage.status("a", { n });
    for (const id of ["b", "c"]) stage.status(id);
    stage.turn.flush();
    stage.clock.advance(2_000);
    for (const id of ["b", "c"]) stage.status(id);
    stage.turn.flush();
    expect(stage.messages()).toEqual(["Reading 2 and Waiting…", "Waiting."]);
  });

  test("groups have windows of their own, and the shortest wish of a group counts [W-GAP-1] [W-GAP-2]", () => {
    const inGroup = (group: string, window_ms?: number): Partial<StatusEntry> => ({
      default_policy: "batch",
      batch: window_ms === undefined ? { group } : { group, window_ms },
    });
    const entries = [
      entryOf("a", inGroup("slow", 900)),
      entryOf("b", inGroup("slow", 600)),
      entryOf("c", inGroup("other")),
      entryOf("alone", { default_policy: "batch" }),
    ];
    const messages = Object.fromEntries(entries.map(({ id }) => [`status.${id}`, id.toUpperCase()]));
    const stage = openBench({ registry: registryOf(entries, { en: messages }) });
    for (const { id } of entries) stage.status(id);
    stage.clock.advance(599);
    expect(stage.messages()).toEqual(["C", "ALONE"]);
    stage.clock.advance(1);
    expect(stage.messages()).toEqual(["C", "ALONE", "A and B…"]);
  });

  test("a window that was closed early does not cut the next one of its group short [W-POL-4]", () => {
    const stage = openBench();
    stage.status("searching_offers");
    stage.clock.advance(100);
    stage.text("x");
    stage.status("checking_stock");
    stage.clock.advance(149);
    expect(stage.messages()).toEqual(["Searching offers…"]);
    stage.clock.advance(1);
    expect(stage.messages()).toEqual(["Searching offers…", "Checking the stock…"]);
  });

  test("too many that wait close the windows early, and none is lost", () => {
    const entries = Array.from({ length: PENDING_STATUSES_MAX + 1 }, (_, index) =>
      entryOf(`s${index}`, { default_policy: "batch", batch: { group: "g" } }),
    );
    const messages = Object.fromEntries(entries.map(({ id }) => [`status.${id}`, id]));
    const stage = openBench({ registry: registryOf(entries, { en: messages }) });
    for (const { id } of entries.slice(0, PENDING_STATUSES_MAX - 1)) stage.status(id);
    expect(stage.messages()).toEqual([]);
    // One that waits already is not one more.
    stage.status("s0");
    expect(stage.messages()).toEqual([]);
    stage.status(`s${PENDING_STATUSES_MAX - 1}`);
    expect(stage.messages()).toHaveLength(1);
    stage.status(`s${PENDING_STATUSES_MAX}`);
    expect(stage.messages()).toHaveLength(1);
    stage.turn.flush();
    expect(stage.messages().join().match(/s\d+/gi)).toHaveLength(PENDING_STATUSES_MAX + 1);
  });
});

describe("the place of a batch", () => {
  test("is before text, data, components and errors, and other frames pass it [D-11] [W-GAP-6]", () => {
    const before = { text: "text:hello", data_loaded: "data_loaded", component: "component", part_failed: "error" };
    for (const [type, shown] of Object.entries(before)) {
      const stage = openBench();
      stage.status("searching_offers");
      stage.turn.apply(EVENT_OF[type as keyof typeof before], "assistant");
      expect(stage.shown(), type).toEqual(["status:Searching offers…", shown]);
    }
    for (const type of ["thinking", "reasoning", "tool_call", "data_loading", "usage", "episode"] as const) {
      const stage = openBench();
      stage.status("searching_offers");
      stage.turn.apply(EVENT_OF[type], "assistant");
      stage.status("comparing");
      stage.clock.advance(150);
      expect(stage.shown(), type).toEqual([type, "status:Comparing…", "status:Searching offers…"]);
    }
  });

  test("is before text too when an id of it was just shown with other words, in its window and after [D-11]", () => {
    const grouped = (group: string) => ({ default_policy: "batch", batch: { group } }) as const;
    const entries = [entryOf("a", grouped("g")), entryOf("b", grouped("h"))];
    const registry = registryOf(entries, { en: { "status.a": "Reading {n}…", "status.b": "Comparing {n}…" } });
    for (const waitedMs of [20, 160]) {
      const stage = openBench({ registry });
      for (const id of ["a", "b"]) stage.status(id, { n: 1 });
      stage.clock.advance(DEFAULT_TIMING.windowMs);
      stage.status("a", { n: 2 });
      stage.clock.advance(waitedMs);
      stage.status("b", { n: 2 });
      stage.text("x");
      stage.clock.advance(1_000);
      const [first, second] = ["status:Reading 2…", "status:Comparing 2…"];
      expect(stage.shown(), `${waitedMs} ms`).toEqual([
        "status:Reading 1…",
        "status:Comparing 1…",
        first,
        second,
        "text:x",
      ]);
    }
  });

  test("is before the terminal, whether it is flushed or written [W-POL-4] [D-11]", () => {
    for (const end of ["error", "end_stream"] as const) {
      const stage = openBench();
      stage.status("searching_offers");
      stage.turn.apply(EVENT_OF[end], "assistant");
      expect(stage.shown(), end).toEqual(["status:Searching offers…", end === "error" ? "error" : "completed"]);
    }
    // What the pace holds back comes before the end too.
    for (const end of ["error", "end_stream"] as const) {
      const stage = openBench({ limits: { statusesPerSecond: 1 } });
      for (const id of ["comparing", "asking_partner"]) stage.status(id);
      stage.turn.apply(EVENT_OF[end], "assistant");
      expect(stage.shown().slice(0, 2), end).toEqual(["status:Comparing…", "status:Asking a partner…"]);
    }
    const stage = openBench();
    stage.status("searching_offers");
    stage.turn.flush();
    stage.turn.flush();
    expect(stage.messages()).toEqual(["Searching offers…"]);
  });

  test("whatever is written and however time passes, order holds and nothing is lost or doubled [W-GAP-6]", () => {
    const grouped = (group: string) => ({ default_policy: "batch", batch: { group } }) as const;
    const entries = [entryOf("a", grouped("g")), entryOf("b", grouped("g")), entryOf("c", grouped("h")), entryOf("t")];
    const messages = Object.fromEntries(entries.map(({ id }) => [`status.${id}`, `${id}{n}`]));
    const registry = registryOf(entries, { en: messages });
    const step = fc.oneof(fc.constantFrom("a", "b", "c", "t", "text", "thinking"), fc.integer({ min: 1, max: 200 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const stage = openBench({ registry, limits: { collapseMs: 0, statusesPerSecond: 100 } });
        const places: { kind: string; index: number; place: number }[] = [];
        for (const [index, one] of steps.entries()) {
          if (typeof one === "number") stage.clock.advance(one);
          else if (one === "text") stage.text(`text${index}`);
          else if (one === "thinking")
            stage.turn.apply({ type: "thinking", content: `thinking${index}`, role: "reasoning" }, "shop");
          else stage.status(one, { n: index });
        }
        stage.turn.flush();
        for (const [place, draft] of stage.drafts.entries())
          for (const [, kind = "", index] of JSON.stringify(draft.payload)
            .toLowerCase()
            .matchAll(/\b([a-z]+)(\d+)/g))
            places.push({ kind, index: Number(index), place });
        const isBatched = (kind: string) => ["a", "b", "c"].includes(kind);
        const direct = places.filter(({ kind }) => !isBatched(kind)).map(({ index }) => index);
        const written = [...steps.entries()].filter(([, one]) => typeof one === "string");
        expect(direct).toEqual(written.filter(([, one]) => !isBatched(one as string)).map(([index]) => index));
        for (const batched of places.filter(({ kind }) => isBatched(kind)))
          for (const other of places) {
            if (other.index < batched.index && !isBatched(other.kind)) expect(other.place).toBeLessThan(batched.place);
            if (other.index > batched.index && other.kind === "text")
              expect(other.place).toBeGreaterThan(batched.place);
          }
        expect(new Set(places.map(({ index }) => index)).size).toBe(places.length);
        for (const kind of ["a", "b", "c"]) {
          const last = written.findLast(([, one]) => one === kind)?.[0];
          expect(places.findLast((place) => place.kind === kind)?.index).toBe(last);
        }
      }),
    );
  });
});

test("a frame that ends the turn while it is shown is the last one, and no timer stays", () => {
  const stage = openBench();
  const push = stage.drafts.push.bind(stage.drafts);
  stage.drafts.push = (...drafts) => {
    const length = push(...drafts);
    stage.turn.flush();
    stage.turn.close();
    return length;
  };
  stage.status("searching_offers");
  stage.text("not any more");
  expect(stage.shown()).toEqual(["status:Searching offers…"]);
  expect(stage.clock.timerCount).toBe(0);
});
