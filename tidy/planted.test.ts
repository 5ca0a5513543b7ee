import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALL_PLANTS, sourceOf } from "./planted/lists.js";
import { ROOT } from "./tree.js";

test("every planted bug still has its place in the sources, exactly once", () => {
  const lost = ALL_PLANTS.flatMap((plant) => {
    const path = join(ROOT, sourceOf(plant), plant.file);
    const places = existsSync(path) ? readFileSync(path, "utf8").split(plant.find).length - 1 : 0;
    return places === 1 ? [] : [`${plant.file}: "${plant.guard}" stands ${places} times`];
  });
  expect(lost, `mend the rows of tidy/planted:\n${lost.join("\n")}`).toEqual([]);
});

test("every planted bug changes something and names a test that exists", () => {
  const idle = ALL_PLANTS.filter(({ find, replace }) => find === replace).map(({ guard }) => guard);
  expect(idle).toEqual([]);
});
