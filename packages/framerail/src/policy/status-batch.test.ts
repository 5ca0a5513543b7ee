import { describe, expect, test } from "vitest";
import type { StatusEntry } from "../registry/registry.js";
import { DEFAULT_TIMING, PENDING_STATUSES_MAX } from "./limits.js";
import { entryOf, openBench, registryOf, SHOP } from "./testing/policy-bench.js";

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

  test("a status that has nothing to say is left out of the sentence, and one that is left says its own [W-FR-3b]", () => {
    const batched = { default_policy: "batch", batch: { group: "g" } } as const;
    const registry = registryOf([entryOf("a", batched), entryOf("b", batched), entryOf("c", batched)], {
      en: { "status.a": "Reading {n} pages…", "status.b": "Looking up your points…", "status.c": "Comparing…" },
    });
    const tell = (...ids: readonly string[]) => {
      const stage = openBench({ registry });
      for (const id of ids) stage.status(id);
      stage.turn.flush();
      return stage.drafts.map(({ payload }) => payload);
    };
    const frame = (event_id: string, message: string) => [{ data: { event_id, message } }];
    expect(tell("a", "b")).toEqual(frame("b", "Looking up your points…"));
    expect(tell("b", "a")).toEqual(frame("b", "Looking up your points…"));
    expect(tell("a", "b", "c")).toEqual(frame("b", "Looking up your points and Comparing…"));
    expect(tell("a")).toEqual(frame("a", "…"));
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
