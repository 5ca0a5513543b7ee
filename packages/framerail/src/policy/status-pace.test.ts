import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_TIMING } from "./limits.js";
import { entryOf, openBench, registryOf } from "./testing/policy-bench.js";

describe("the pace of statuses", () => {
  test("what was just said is not said again, whoever says it [W-FR-5] [W-POL-7]", () => {
    const stage = openBench();
    stage.status("comparing", undefined, "shop");
    stage.status("comparing", undefined, "wallet");
    stage.clock.advance(249);
    stage.status("comparing", undefined, "wallet");
    expect(stage.messages()).toHaveLength(1);
    stage.clock.advance(1);
    stage.status("comparing");
    expect(stage.messages()).toHaveLength(2);
  });

  test("a batch does not repeat what was just shown, and opens no window for it [W-FR-5]", () => {
    const stage = openBench();
    for (const id of ["searching_offers", "looking_up_points_balance"]) stage.status(id);
    stage.text("x");
    stage.status("searching_offers");
    stage.clock.advance(1_000);
    expect(stage.messages()).toHaveLength(1);
  });

  test("the same id with other words waits its time, and the newest words win [W-FR-5]", () => {
    const stage = openBench();
    for (let count = 1; count <= 50; count += 1) stage.status("reading_pages", { count });
    expect(stage.messages()).toEqual(["Reading 1 page…"]);
    stage.clock.advance(250);
    expect(stage.messages()).toEqual(["Reading 1 page…", "Reading 50 pages…"]);
    stage.status("reading_pages", { count: 51 });
    stage.status("reading_pages", { count: 50 });
    stage.clock.advance(2_000);
    expect(stage.messages()).toHaveLength(2);
  });

  test("the same id with other words waits also while text is written, unless it is a batch [W-FR-5] [D-11]", () => {
    const stage = openBench();
    for (const count of [1, 2]) stage.status("reading_pages", { count });
    stage.text("x");
    stage.clock.advance(250);
    expect(stage.shown()).toEqual(["status:Reading 1 page…", "text:x", "status:Reading 2 pages…"]);
  });

  test("what was shown last is what is not repeated, for its own time [W-FR-5]", () => {
    const stage = openBench();
    stage.status("reading_pages", { count: 1 });
    stage.clock.advance(100);
    stage.status("reading_pages", { count: 2 });
    stage.turn.flush();
    stage.clock.advance(160);
    stage.status("reading_pages", { count: 2 });
    expect(stage.messages()).toEqual(["Reading 1 page…", "Reading 2 pages…"]);
    stage.clock.advance(90);
    stage.status("reading_pages", { count: 2 });
    expect(stage.messages()).toHaveLength(3);
  });

  test("with no time to collapse in, everything is said again", () => {
    const stage = openBench({ limits: { collapseMs: 0 } });
    for (let time = 0; time < 3; time += 1) stage.status("comparing");
    expect(stage.messages()).toHaveLength(3);
    stage.clock.advance(1_000);
    expect(stage.clock.timerCount).toBe(0);
  });

  test("a batch that collects other words ends with the newest, also when they were shown before [W-FR-5]", () => {
    const entry = entryOf("a", { default_policy: "batch", batch: { group: "g" } });
    const stage = openBench({ registry: registryOf([entry], { en: { "status.a": "Reading {n}…" } }) });
    stage.status("a", { n: 1 });
    stage.text("x");
    for (const n of [2, 1]) stage.status("a", { n });
    stage.clock.advance(1_000);
    expect(stage.messages().at(-1)).toBe("Reading 1…");
  });

  const many = Array.from({ length: 12 }, (_, index) => entryOf(`s${index}`));
  const manyMessages = Object.fromEntries(many.map(({ id }) => [`status.${id}`, id]));
  const flood = registryOf(many, { en: manyMessages });

  test("beyond five in a second the newest waits for its slot in place of the others [W-FR-5] [W-R-2]", () => {
    const stage = openBench({ registry: flood });
    for (const { id } of many) stage.status(id);
    expect(stage.messages()).toEqual(["s0", "s1", "s2", "s3", "s4"]);
    stage.text("an answer is not held back by statuses");
    stage.clock.advance(999);
    expect(stage.shown()).toHaveLength(6);
    stage.clock.advance(1);
    expect(stage.messages().slice(5)).toEqual(["s11"]);
  });

  test("the end of a turn gives out what waits, whatever the pace [W-FR-5]", () => {
    const stage = openBench({ registry: flood });
    for (const { id } of many) stage.status(id);
    stage.turn.flush();
    expect(stage.messages().slice(5)).toEqual(["s11"]);
  });

  test("in no second are there more than five, and the last status is always shown [W-FR-5] [W-R-2]", () => {
    const step = fc.tuple(fc.nat(5), fc.nat(3), fc.nat(120));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 80 }), (steps) => {
        const words = Object.fromEntries(many.map(({ id }) => [`status.${id}`, `${id} {n}`]));
        const stage = openBench({ registry: registryOf(many, { en: words }) });
        const shownAt: number[] = [];
        let lastAt = 0;
        const look = () => {
          while (shownAt.length < stage.drafts.length) shownAt.push(stage.clock.now());
        };
        for (const [id, n, ms] of steps) {
          stage.status(`s${id}`, { n });
          lastAt = stage.clock.now();
          look();
          for (let passed = 0; passed < ms; passed += 1) {
            stage.clock.advance(1);
            look();
          }
        }
        for (const [index, at] of shownAt.entries())
          expect(at - (shownAt[index - 5] ?? 0)).toBeGreaterThanOrEqual(1_000);
        stage.turn.flush();
        look();
        const [id, n] = steps.at(-1) as [number, number, number];
        const place = stage.messages().lastIndexOf(`s${id} ${n}`);
        expect(shownAt[place] ?? 0).toBeGreaterThan(lastAt - DEFAULT_TIMING.collapseMs);
      }),
      { numRuns: 60 },
    );
  });

  test("time is measured by timers: a clock that is set back changes nothing", () => {
    const stage = openBench();
    const now = stage.clock.now;
    stage.clock.now = () => now() - 86_400_000;
    stage.status("comparing");
    stage.clock.advance(250);
    stage.status("comparing");
    expect(stage.messages()).toHaveLength(2);
  });
});
