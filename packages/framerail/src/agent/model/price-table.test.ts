import { expect, test } from "vitest";
import { createPriceTable } from "./price-table.js";

const usage = {
  input_tokens: 1_000_000,
  output_tokens: 500_000,
  total_tokens: 1_500_000,
  reasoning_tokens: 100_000,
  cached_tokens: 400_000,
};
const table = createPriceTable({
  currency: "USD",
  models: {
    "gpt-5": { input: 1, output: 8 },
    "gpt-5-mini": { input: 0.25, output: 2, cached_input: 0.025 },
    house: { input: 5, output: 5 },
    "house-2026": { input: 7, output: 7 },
  },
});

test("cached tokens have their own price and are not counted twice, nor is reasoning [R-6-3, C-14]", () => {
  expect(table.costOf("gpt-5-mini", usage)).toBeCloseTo(0.6 * 0.25 + 0.4 * 0.025 + 0.5 * 2, 12);
});

test("without a price of their own cached tokens cost what input costs [R-6-3]", () => {
  expect(table.costOf("gpt-5", usage)).toBeCloseTo(1 + 0.5 * 8, 12);
});

test.each(["gpt-5-mini-2026-02-01", "gpt-5-mini-20260201", "gpt-5-mini@latest", "gpt-5-mini-preview-05-20"])(
  "the dated name %s has the price of the longest name it extends [R-6-3]",
  (name) => {
    expect(table.costOf(name, usage)).toBe(table.costOf("gpt-5-mini", usage));
  },
);

test("of two names that a dated name extends the longest has the price [R-6-3]", () => {
  expect(table.costOf("house-2026-02-01", usage)).toBe(table.costOf("house-2026", usage));
});

test.each(["gpt-5-nano", "gpt-5.2", "gpt-5x", "gpt", "", "constructor", "__proto__", "toString"])(
  "the unknown model %j has no price rather than a wrong one [R-6-3]",
  (name) => {
    expect(table.costOf(name, usage)).toBeUndefined();
  },
);

test.each([
  ["a currency that is none", { currency: "dollars", models: {} }, "currency"],
  ["a currency that the ledger does not count in", { currency: "EUR", models: {} }, "currency"],
  ["a negative price", { currency: "USD", models: { m: { input: -1, output: 1 } } }, "models.m.input"],
  ["no price of output", { currency: "USD", models: { m: { input: 1 } } }, "models.m.output"],
  [
    "a price that is no number",
    { currency: "USD", models: { m: { input: 1, output: 1, cached_input: Number.NaN } } },
    "models.m.cached_input",
  ],
])("a table with %s is refused and says where", (_, options, path) => {
  const build = () => createPriceTable(options as Parameters<typeof createPriceTable>[0]);
  expect(build).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT", issue: expect.objectContaining({ path }) }),
  );
});
