import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("testing/count-collections.ts", import.meta.url));
/** V8 lets the heap of such a process grow as slowly as one that it takes for quiet. */
const SLOW = "--optimize-for-size";

function countCollections(nodeArgs: readonly string[], how = "tuned"): number {
  const args = ["--import", "tsx", ...nodeArgs, SCRIPT, how];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const count = Number.parseInt(stdout, 10);
  expect(count, stderr).toBeGreaterThan(0);
  return count;
}

test("a server looks through its heap after it has grown fourfold, also where V8 takes it for quiet", () => {
  expect(countCollections([SLOW])).toBeLessThan(countCollections([SLOW], "as it is") / 2);
});

test("how far the heap grows is left alone where whoever started the process has set it", () => {
  const few = countCollections([]);
  for (const flag of ["--heap-growing-percent=10", "--heap_growing_percent=10"]) {
    expect(countCollections([flag]), flag).toBeGreaterThan(few * 2);
  }
});
