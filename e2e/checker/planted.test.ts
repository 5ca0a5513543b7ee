import { afterEach, describe, expect, test } from "vitest";
import type { ProgramCopy } from "./plants.js";
import { copyProgram, PLANTS } from "./plants.js";

const TIMEOUT_MS = 180_000;

let copy: ProgramCopy | undefined;
afterEach(() => copy?.dispose());

describe("the checker", () => {
  const bugs = PLANTS.filter(({ breaks }) => breaks !== undefined);
  for (const plant of bugs) {
    test(`finds that ${plant.name}`, { timeout: TIMEOUT_MS }, async () => {
      copy = copyProgram(plant);
      const found = await plant.scenario(copy);
      expect(found.map(({ invariant }) => invariant)).toContain(plant.breaks);
    });
  }

  for (const plant of PLANTS.filter(({ breaks }) => breaks === undefined)) {
    test(`finds nothing where ${plant.name}`, { timeout: TIMEOUT_MS }, async () => {
      copy = copyProgram(plant);
      expect(await plant.scenario(copy)).toEqual([]);
    });
  }

  for (const scenario of new Set(bugs.map((plant) => plant.scenario))) {
    test(`finds nothing in the program as it is, played by ${scenario.name}`, { timeout: TIMEOUT_MS }, async () => {
      copy = copyProgram();
      expect(await scenario(copy)).toEqual([]);
    });
  }
});
