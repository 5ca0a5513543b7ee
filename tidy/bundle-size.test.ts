import { expect, test } from "vitest";
import { DECODE_PATH_BYTES_MAX, judgeSizes } from "./bundle-size.js";
import { measureBundles, readCommittedSizes } from "./measure-bundle.js";

test("the bundles of this repository have their committed sizes", async () => {
  expect(judgeSizes(await measureBundles(), readCommittedSizes())).toEqual([]);
});

test("the parts an application leaves out cost it nothing", async () => {
  const sizes = await measureBundles();
  expect(sizes["decode path"]).toBeGreaterThan(1_000);
  expect(sizes["decode path"]).toBeLessThan(sizes["whole package"] * 0.8);
});

test("a bundle over its committed size, or far under it, is refused with the command that renews it", () => {
  const committed = { "decode path": 10_000, "whole package": 20_000 };
  const judge = (decodePath: number) => judgeSizes({ ...committed, "decode path": decodePath }, committed);
  for (const good of [10_024, 10_000, 9_000]) expect(judge(good), String(good)).toEqual([]);
  expect(judge(10_025)).toEqual([expect.stringMatching(/decode path: 10025 bytes, over .* 10000: run `npx tsx/)]);
  expect(judge(8_999)).toEqual([expect.stringMatching(/decode path: 8999 bytes, far under .* 10000: run `npx tsx/)]);
});

test("a size that was never committed is refused", () => {
  const committed = JSON.parse('{"decode path": 10}') as ReturnType<typeof readCommittedSizes>;
  expect(judgeSizes({ "decode path": 10, "whole package": 20 }, committed)).toHaveLength(1);
});

test("the decode path has a ceiling that a commit cannot raise", () => {
  const at = (bytes: number) => {
    const sizes = { "decode path": bytes, "whole package": 30_000 };
    return judgeSizes(sizes, sizes);
  };
  expect(at(DECODE_PATH_BYTES_MAX)).toEqual([]);
  expect(at(DECODE_PATH_BYTES_MAX + 1)).toEqual([expect.stringContaining("make it smaller")]);
});
