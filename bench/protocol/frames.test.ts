import { expect, test } from "vitest";
import { CASES, variantsOf } from "./frames.js";

test("every variant of the protocol bench writes the same frames, so their costs can be compared", async () => {
  for (const one of CASES) {
    const sizes: number[] = [];
    for (const { run } of variantsOf(one)) sizes.push(await run(25));
    expect(new Set(sizes).size, one.name).toBe(1);
    expect(sizes[0]).toBeGreaterThan(25 * 60);
  }
});
