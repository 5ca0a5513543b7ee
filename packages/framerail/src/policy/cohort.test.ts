import type { FramerailError } from "@framerail/protocol";
import { EVENT_TYPES, FRAME_OF_EVENT, SUPPRESS } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { POLICIES } from "../registry/registry.js";
import type { Cohort } from "./cohort.js";
import { createPolicy } from "./create-policy.js";
import { createFakeClock } from "./testing/fake-clock.js";
import { EVENT_OF, entryOf, openBench, registryOf, SHOP } from "./testing/policy-bench.js";

const cohortOf = (more: Partial<Cohort>): Cohort => ({ name: "b", flag: "ai_assistant_status_wording", ...more });

const refusal = (more: Partial<Cohort>): string | undefined => {
  try {
    openBench({ cohort: cohortOf(more) });
    return undefined;
  } catch (error) {
    expect((error as FramerailError).code).toBe("INVALID_ARGUMENT");
    return (error as FramerailError).message;
  }
};

describe("a cohort", () => {
  test("reads its own wording, and other cohorts theirs [W-POL-5] [W-FR-3b]", () => {
    const shownTo = (cohort: Cohort | undefined, locale: string) => {
      const stage = openBench({ cohort, locale });
      stage.status("comparing");
      return stage.messages();
    };
    const playful = cohortOf({ messages: { en: { "status.comparing": "Weighing things up…" } } });
    const terse = cohortOf({ messages: { en: { "status.comparing": "Comparing" } } });
    expect(shownTo(playful, "en")).toEqual(["Weighing things up…"]);
    expect(shownTo(terse, "en")).toEqual(["Comparing"]);
    expect(shownTo(playful, "de")).toEqual(["Vergleiche…"]);
  });

  test("may hide a status, all statuses or an event type for a while [W-POL-3] [W-POL-5]", () => {
    const shownTo = (policies: NonNullable<Cohort["policies"]>) => {
      const stage = openBench({ cohort: cohortOf({ policies }) });
      stage.status("comparing");
      stage.status("asking_partner");
      stage.turn.apply(EVENT_OF.reasoning, "assistant");
      return stage.shown();
    };
    expect(shownTo({ comparing: "suppress" })).toEqual(["status:Asking a partner…", "reasoning"]);
    expect(shownTo({ status: "suppress" })).toEqual(["reasoning"]);
    expect(shownTo({ status: "suppress", comparing: "transform" })).toEqual(["status:Comparing…", "reasoning"]);
    expect(shownTo({ reasoning: "suppress" })).toEqual(["status:Comparing…", "status:Asking a partner…"]);
  });

  test("an id that every object has a property of is a status like any other", () => {
    const registry = registryOf([entryOf("constructor")], { en: { "status.constructor": "Building…" } });
    const stage = openBench({ registry, cohort: cohortOf({ policies: { status: "transform" } }) });
    stage.status("constructor");
    expect(stage.messages()).toEqual(["Building…"]);
    expect(stage.reports.map(({ decision }) => decision)).toEqual(["transform"]);
  });

  test("may batch what others see at once, and the other way round [W-FR-4]", () => {
    const stage = openBench({ cohort: cohortOf({ policies: { comparing: "batch", searching_offers: "transform" } }) });
    stage.status("comparing");
    stage.status("searching_offers");
    expect(stage.messages()).toEqual(["Searching offers…"]);
    stage.clock.advance(150);
    expect(stage.messages()).toEqual(["Searching offers…", "Comparing…"]);
  });

  test("may have windows of its own, and a reworded sentence is its own clause [W-POL-4]", () => {
    const cohort = cohortOf({
      windows: { fan_out: 400 },
      messages: { en: { "status.checking_stock": "Counting boxes…" } },
    });
    const stage = openBench({ cohort });
    stage.status("searching_offers");
    stage.status("checking_stock");
    stage.clock.advance(399);
    expect(stage.messages()).toEqual([]);
    stage.clock.advance(1);
    expect(stage.messages()).toEqual(["Searching offers and Counting boxes…"]);
  });

  test("may reword a part of a joined sentence, what joins it, and what is said when nothing else can be", () => {
    const stage = openBench({
      cohort: cohortOf({
        messages: {
          en: {
            "status.checking_stock": "Counting boxes…",
            "status.checking_stock_part": "counting boxes",
            "status.fallback": "One moment…",
            "batch.sentence": "Now {parts}.",
          },
        },
      }),
    });
    stage.status("searching_offers");
    stage.status("checking_stock");
    stage.turn.flush();
    stage.status("reading_pages");
    expect(stage.messages()).toEqual(["Now Searching offers and counting boxes.", "One moment…"]);
  });

  test("is looked at when the policy is made, and not again for any event [W-POL-5] [W-NFR-4]", () => {
    let reads = 0;
    const counting = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(object, name) {
          reads += 1;
          const value: unknown = Reflect.get(object, name);
          if (typeof value === "function") return value.bind(object) as unknown;
          return typeof value === "object" && value !== null ? counting(value) : value;
        },
      });
    const cohort = counting(cohortOf({ messages: { en: { "status.comparing": "Weighing…" } } }));
    const stage = openBench({ cohort, registry: counting(SHOP) });
    const readsBefore = reads;
    for (const event of Object.values(EVENT_OF)) stage.turn.apply(event, "shop");
    stage.status("searching_offers");
    stage.status("not_there");
    stage.turn.flush();
    expect(stage.messages()).toEqual(["Weighing…", "Searching offers…"]);
    expect(readsBefore).toBeGreaterThan(0);
    expect(reads).toBe(readsBefore);
  });

  test("leaves nothing behind: without its override the defaults are back [W-RB-2]", () => {
    const play = (cohort: Cohort | undefined) => {
      const stage = openBench({ cohort });
      for (const event of Object.values(EVENT_OF)) stage.turn.apply(event, "shop");
      stage.status("searching_offers");
      stage.turn.flush();
      return stage.drafts;
    };
    const before = play(undefined);
    const during = play(cohortOf({ policies: { comparing: "suppress", usage: "suppress" } }));
    expect(during).toHaveLength(before.length - 2);
    expect(play(undefined)).toEqual(before);
  });
});

describe("an override is refused", () => {
  test("when it would show an internal type, whatever the policy it names [W-R-6]", () => {
    const internal = EVENT_TYPES.filter((type) => FRAME_OF_EVENT[type] === SUPPRESS);
    expect(internal).toContain("support_content");
    for (const type of internal)
      for (const policy of POLICIES)
        expect(refusal({ policies: { [type]: policy } }) === undefined, `${type} ${policy}`).toBe(
          policy === "suppress",
        );
  });

  test("when it would show a status that the registry suppresses [W-R-6]", () => {
    expect(refusal({ policies: { warming_cache: "transform" } })).toContain("the registry suppresses it");
    const stage = openBench({ cohort: cohortOf({ policies: { status: "transform" } }) });
    stage.status("warming_cache");
    expect(stage.drafts).toEqual([]);
  });

  test("when it would break a turn: its first and last frame, or half of a pair", () => {
    for (const type of ["init_stream", "error", "end_stream"])
      expect(refusal({ policies: { [type]: "suppress" } }), type).toContain("a turn needs it");
    for (const type of ["tool_call", "tool_call_end", "data_loaded"])
      expect(refusal({ policies: { [type]: "suppress" } }), type).toContain("must be suppressed too");
    expect(refusal({ policies: { tool_call: "suppress", tool_call_end: "suppress" } })).toBeUndefined();
    expect(refusal({ policies: { data_loading: "suppress" } })).toBeUndefined();
    expect(refusal({ policies: { text: "batch" } })).toContain("forwarded or suppressed");
  });

  test("when it names nothing known, an emitter for instance [W-FR-4]", () => {
    expect(refusal({ policies: { shop: "suppress" } })).toContain("neither an event type nor a registered status");
    expect(refusal({ policies: { comparing: "hide" as "suppress" } })).toContain("a policy is one of");
    expect(refusal({ windows: { no_group: 100 } })).toContain("no group");
    expect(refusal({ messages: { fr: { "status.comparing": "x" } } })).toContain("no locale");
    expect(refusal({ messages: { en: { "status.compering": "x" } } })).toContain("no render key");
  });

  test("when its flag is not called ai_assistant_… [W-POL-5]", () => {
    for (const flag of ["", "status", "ai_assistant", "ai_assistant_", "AI_ASSISTANT_X", "my_ai_assistant_x"])
      expect(refusal({ flag }), flag).toContain("ai_assistant_");
    expect(refusal({ flag: "ai_assistant_x2" })).toBeUndefined();
    expect(refusal({ name: "" })).toContain("name");
  });

  test("when a message or a number of it cannot be [W-GAP-1]", () => {
    expect(refusal({ messages: { en: { "status.comparing": "{n" } } })).toContain("not ICU");
    for (const ms of [0, -1, 1.5, 5_001, Number.NaN])
      expect(refusal({ windows: { fan_out: ms } }), String(ms)).toContain("whole number");
  });
});

test("the timing has defaults, and a range that is checked [W-GAP-1]", () => {
  const make = (limits: object) => () =>
    createPolicy({ registry: SHOP, locale: "en", clock: createFakeClock(), limits });
  expect(make({})).not.toThrow();
  expect(make({ windowMs: 5_000, collapseMs: 0, statusesPerSecond: 1 })).not.toThrow();
  expect(make({ windowMs: 1, collapseMs: 10_000, statusesPerSecond: 100 })).not.toThrow();
  for (const limits of [
    { windowMs: 0 },
    { windowMs: 5_001 },
    { collapseMs: -1 },
    { collapseMs: 10_001 },
    { statusesPerSecond: 101 },
    { statusesPerSecond: 0 },
    { statusesPerSecond: 2.5 },
    { windowMs: undefined },
    { window_ms: 150 },
  ])
    expect(make(limits), JSON.stringify(limits)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  const entry = { ...SHOP.entries.get("checking_stock")!, batch: { group: "fan_out", window_ms: 0 } };
  const registry = { ...SHOP, entries: new Map([["checking_stock", entry]]) };
  expect(() => openBench({ registry })).toThrow(expect.objectContaining({ code: "INVALID_REGISTRY" }));
});
