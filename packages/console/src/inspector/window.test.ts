import fc from "fast-check";
import { expect, test } from "vitest";
import { scrollToRow, windowOf } from "./window.js";

const ROWS = { rowHeight: 28, beyond: 8 };

test("of five thousand rows only those that are seen are made, and a few beside them [G8]", () => {
  const { from, to, offset, totalHeight } = windowOf({ ...ROWS, scrollTop: 70_000, height: 560, count: 5_000 });
  expect([from, to, offset, totalHeight]).toEqual([2_492, 2_529, 69_776, 140_000]);
});

test("every row that can be seen is made, wherever the list is scrolled", () => {
  const place = fc.record({ scrollTop: fc.nat(200_000), height: fc.nat(2_000), count: fc.nat(6_000) });
  fc.assert(
    fc.property(place, ({ scrollTop, height, count }) => {
      const { from, to, offset } = windowOf({ ...ROWS, scrollTop, height, count });
      expect(to - from).toBeLessThanOrEqual(Math.ceil(height / 28) + 1 + 16 + 1);
      expect(offset).toBe(from * 28);
      const lastTop = Math.max(0, count * 28 - height);
      const shown = Math.min(scrollTop, lastTop);
      for (let row = Math.floor(shown / 28); row < count && row * 28 < shown + height; row += 1) {
        expect(row).toBeGreaterThanOrEqual(from);
        if (scrollTop <= lastTop) expect(row).toBeLessThan(to);
      }
    }),
    { seed: 7, numRuns: 2_000 },
  );
});

test("an empty list makes nothing", () => {
  expect(windowOf({ ...ROWS, scrollTop: 0, height: 560, count: 0 })).toMatchObject({ from: 0, to: 0, totalHeight: 0 });
});

test("a chosen row is brought into sight, and the list stays where it is seen already", () => {
  const place = { scrollTop: 280, height: 280, rowHeight: 28 };
  expect([5, 12, 19, 20, 100].map((row) => scrollToRow(row, place))).toEqual([140, 280, 280, 308, 2_548]);
});
