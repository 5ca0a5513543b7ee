// Plants of the runtime share their file and their test: this says both once.

import type { Plant } from "./plants.js";

export type PlantIn = (guard: string, find: string, replace: string) => Plant;

/** Both under packages/framerail/src. */
export function plantIn(file: string, test: string): PlantIn {
  return (guard, find, replace) => ({ guard, package: "framerail", file, find, replace, test });
}
