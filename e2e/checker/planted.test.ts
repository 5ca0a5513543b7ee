import type { TestContext } from "vitest";
import { describe, expect, test } from "vitest";
import type { Plant, ProgramCopy } from "./plants.js";
import { copyProgram, PLANTS } from "./plants.js";

const TIMEOUT_MS = 180_000;

function copyFor({ onTestFinished }: TestContext, plant?: Plant): ProgramCopy {
  const copy = copyProgram(plant);
  onTestFinished(() => copy.dispose());
  return copy;
}

// Side by side, because most of a scenario is waiting: for a lease to end, for a turn to be sealed.
describe.concurrent("the checker", { timeout: TIMEOUT_MS }, () => {
  const bugs = PLANTS.filter(({ breaks }) => breaks !== undefined);
  for (const plant of bugs) {
    test(`finds that ${plant.name}`, async (context) => {
      const found = await plant.scenario(copyFor(context, plant));
      expect(found.map(({ invariant }) => invariant)).toContain(plant.breaks);
    });
  }

  for (const plant of PLANTS.filter(({ breaks }) => breaks === undefined)) {
    test(`finds nothing where ${plant.name}`, async (context) => {
      expect(await plant.scenario(copyFor(context, plant))).toEqual([]);
    });
  }

  for (const scenario of new Set(bugs.map((plant) => plant.scenario))) {
    test(`finds nothing in the program as it is, played by ${scenario.name}`, async (context) => {
      expect(await scenario(copyFor(context))).toEqual([]);
    });
  }
});
