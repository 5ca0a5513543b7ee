import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_TIMING, type StatusTiming } from "./limits.js";
import { type Bench, EVENT_OF, entryOf, openBench, registryOf } from "./testing/policy-bench.js";

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

  describe("in whatever order things are written, and however time passes", () => {
    const grouped = (group: string) => ({ default_policy: "batch", batch: { group } }) as const;
    const entries = [entryOf("a", grouped("g")), entryOf("b", grouped("g")), entryOf("c", grouped("h")), entryOf("t")];
    const words = Object.fromEntries(entries.map(({ id }) => [`status.${id}`, `${id}{n}`]));
    const registry = registryOf(entries, { en: words });
    const step = fc.oneof(fc.constantFrom("a", "b", "c", "t", "text", "thinking"), fc.integer({ min: 1, max: 200 }));
    const anySteps = fc.array(step, { maxLength: 60 });
    const isBatched = ({ kind }: { kind: string }) => ["a", "b", "c"].includes(kind);

    const play = (steps: readonly (string | number)[], limits: Partial<StatusTiming>) => {
      const stage = openBench({ registry, limits });
      const written: { kind: string; index: number }[] = [];
      for (const [index, one] of steps.entries()) {
        if (typeof one === "number") stage.clock.advance(one);
        else if (one === "text") stage.text(`text${index}`);
        else if (one === "thinking")
          stage.turn.apply({ type: "thinking", content: `thinking${index}`, role: "reasoning" }, "shop");
        else stage.status(one, { n: index });
        if (typeof one === "string") written.push({ kind: one, index });
      }
      stage.turn.flush();
      const told = stage.drafts.flatMap((draft, place) =>
        [
          ...JSON.stringify(draft.payload)
            .toLowerCase()
            .matchAll(/\b([a-z]+)(\d+)/g),
        ].map(([, kind = "", index]) => ({ kind, index: Number(index), place })),
      );
      expect(new Set(told.map(({ index }) => index)).size).toBe(told.length);
      return { written, told };
    };

    const requireOrder = (told: readonly { kind: string; index: number; place: number }[]) => {
      for (const batched of told.filter(isBatched))
        for (const other of told) {
          if (other.index < batched.index && !isBatched(other)) expect(other.place).toBeLessThan(batched.place);
          if (other.index > batched.index && other.kind === "text") expect(other.place).toBeGreaterThan(batched.place);
        }
    };

    test("order holds and nothing is lost or doubled [W-GAP-6]", () => {
      fc.assert(
        fc.property(anySteps, (steps) => {
          const { written, told } = play(steps, { collapseMs: 0, statusesPerSecond: 100 });
          requireOrder(told);
          const direct = (all: typeof written) => all.filter((one) => !isBatched(one)).map(({ index }) => index);
          expect(direct(told)).toEqual(direct(written));
          for (const kind of ["a", "b", "c"]) {
            const last = written.findLast((one) => one.kind === kind)?.index;
            expect(told.findLast((one) => one.kind === kind)?.index).toBe(last);
          }
        }),
      );
    });

    test("what repeats an id too soon is told all the same, whichever batch comes between [W-FR-5] [W-GAP-6]", () => {
      fc.assert(
        fc.property(anySteps, (steps) => {
          const { written, told } = play(steps, { statusesPerSecond: 100 });
          requireOrder(told);
          for (const kind of ["a", "b", "c", "t"]) {
            const last = written.findLast((one) => one.kind === kind)?.index;
            expect(told.findLast((one) => one.kind === kind)?.index).toBe(last);
          }
        }),
      );
    });

    test("what was written last is told, however slow the pace [W-FR-5]", () => {
      fc.assert(
        fc.property(anySteps, fc.integer({ min: 1, max: 3 }), (steps, statusesPerSecond) => {
          const { written, told } = play(steps, { statusesPerSecond });
          const last = written.findLast(({ kind }) => kind !== "text" && kind !== "thinking");
          if (last !== undefined) expect(told.map(({ index }) => index)).toContain(last.index);
        }),
      );
    });
  });

  test("a status that waits is told before the batch that would take its place [W-FR-5] [D-11]", () => {
    const ends = {
      flush: ({ turn }: Bench) => turn.flush(),
      text: ({ text }: Bench) => text("x"),
      timer: ({ clock }: Bench) => clock.advance(DEFAULT_TIMING.windowMs),
    };
    for (const [name, end] of Object.entries(ends)) {
      const stage = openBench();
      stage.status("reading_pages", { count: 1 });
      stage.status("searching_offers");
      stage.clock.advance(10);
      stage.status("reading_pages", { count: 2 });
      end(stage);
      stage.clock.advance(3_000);
      expect(stage.messages(), name).toEqual(["Reading 1 page…", "Reading 2 pages…", "Searching offers…"]);
    }
  });

  test("a batch that waits is told before the status that would take its place [W-POL-4]", () => {
    const registry = registryOf([entryOf("a", { default_policy: "batch" }), entryOf("t")], {
      en: { "status.a": "Reading {n}…", "status.t": "Comparing…" },
    });
    const stage = openBench({ registry });
    stage.status("a", { n: 1 });
    stage.clock.advance(160);
    stage.status("a", { n: 2 });
    stage.clock.advance(DEFAULT_TIMING.windowMs);
    stage.status("t");
    stage.clock.advance(3_000);
    expect(stage.messages()).toEqual(["Reading 1…", "Reading 2…", "Comparing…"]);
  });

  test("the end tells what the pace held back, and then the batch [W-FR-5] [W-FR-9a]", () => {
    const stage = openBench({ limits: { statusesPerSecond: 1 } });
    stage.status("comparing");
    stage.status("searching_offers");
    stage.clock.advance(10);
    stage.status("asking_partner");
    stage.turn.flush();
    expect(stage.messages()).toEqual(["Comparing…", "Asking a partner…", "Searching offers…"]);
  });

  test("where the pace has room for one, the newest is told, be it a batch or not [W-FR-5]", () => {
    const stage = openBench({ limits: { statusesPerSecond: 1 } });
    stage.status("comparing");
    stage.status("searching_offers");
    stage.clock.advance(10);
    stage.status("asking_partner");
    stage.clock.advance(3_000);
    expect(stage.messages()).toEqual(["Comparing…", "Asking a partner…"]);
  });
});

test("a batch that waits is before text too when no window is open [D-11]", () => {
  const registry = registryOf([entryOf("a", { default_policy: "batch" })], { en: { "status.a": "Reading {n}…" } });
  const stage = openBench({ registry });
  stage.status("a", { n: 1 });
  stage.clock.advance(160);
  stage.status("a", { n: 2 });
  stage.clock.advance(DEFAULT_TIMING.windowMs);
  stage.text("x");
  expect(stage.shown()).toEqual(["status:Reading 1…", "status:Reading 2…", "text:x"]);
});

test("a batch that waits, and ends the turn when it is shown at last, is the last one, and no timer stays", () => {
  const registry = registryOf([entryOf("a", { default_policy: "batch" }), entryOf("t")], {
    en: { "status.a": "Reading {n}…", "status.t": "Comparing…" },
  });
  const stage = openBench({ registry });
  const push = stage.drafts.push.bind(stage.drafts);
  stage.drafts.push = (...drafts) => {
    const length = push(...drafts);
    if (length === 2) stage.turn.close();
    return length;
  };
  stage.status("a", { n: 1 });
  stage.clock.advance(160);
  stage.status("a", { n: 2 });
  stage.clock.advance(DEFAULT_TIMING.windowMs);
  stage.status("t");
  expect(stage.messages()).toEqual(["Reading 1…", "Reading 2…"]);
  expect(stage.clock.timerCount).toBe(0);
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
