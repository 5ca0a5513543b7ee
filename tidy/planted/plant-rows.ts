// Plants as rows: many bugs of one source of the runtime, each in a line or two.

import { plantIn } from "./plant-in.js";
import type { Plant } from "./plants.js";

/** A row without a test of its own is for the test that its source names. */
export type Row = readonly [guard: string, find: string, replace: string, test?: string];

/** The rows of one source; all their tests stand in its folder. */
export function rowsOf(folder: string, source: string, test: string, rows: readonly Row[]): Plant[] {
  return rows.map(([guard, find, replace, other = test]) =>
    plantIn(`${folder}/${source}.ts`, `${folder}/${other}.test.ts`)(guard, find, replace),
  );
}
