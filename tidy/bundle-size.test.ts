import { expect, test } from "vitest";
import { BYTES_MAX, judgeSizes } from "./bundle-size.js";
import { measureBundles, readCommittedSizes } from "./measure-bundle.js";

const SIZES = { "decode path": 10_000, "whole package": 20_000, client: 12_000, "client with react": 13_000 };

test("the bundles of this repository have their committed sizes", async () => {
  expect(judgeSizes(await measureBundles(), readCommittedSizes())).toEqual([]);
});

test("the parts an application leaves out cost it nothing", async () => {
  const sizes = await measureBundles();
  expect(sizes["decode path"]).toBeGreaterThan(1_000);
  expect(sizes["decode path"]).toBeLessThan(sizes["whole package"] * 0.8);
});

test("a bundle over its committed size, or far under it, is refused with the command that renews it", () => {
  const committed = { ...SIZES, "decode path": 10_000 };
  const judge = (decodePath: number) => judgeSizes({ ...committed, "decode path": decodePath }, committed);
  for (const good of [10_024, 10_000, 9_000]) expect(judge(good), String(good)).toEqual([]);
  expect(judge(10_025)).toEqual([expect.stringMatching(/decode path: 10025 bytes, over .* 10000: run `npx tsx/)]);
  expect(judge(8_999)).toEqual([expect.stringMatching(/decode path: 8999 bytes, far under .* 10000: run `npx tsx/)]);
});

test("a size that was never committed is refused", () => {
  const committed = JSON.parse('{"decode path": 10}') as ReturnType<typeof readCommittedSizes>;
  expect(judgeSizes({ ...SIZES, "decode path": 10 }, committed)).toHaveLength(3);
});

test.each(Object.entries(BYTES_MAX))("the ceiling of the %s is one that no commit can raise", (name, bytesMax) => {
  const at = (bytes: number) => judgeSizes({ ...SIZES, [name]: bytes }, { ...SIZES, [name]: bytes });
  expect(at(bytesMax)).toEqual([]);
  expect(at(bytesMax + 1)).toEqual([expect.stringContaining("make it smaller")]);
});
